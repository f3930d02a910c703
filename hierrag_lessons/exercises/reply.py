"""What the learner sees: one small card, as text and as HTML."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

Status = Literal["correct", "incorrect", "not attempted", "hint", "solution", "unknown"]

_HEADINGS: dict[Status, tuple[str, str]] = {
    "correct": ("Correct", "#2e7d32"),
    "incorrect": ("Incorrect", "#c62828"),
    "not attempted": ("Not attempted yet", "#8a6d00"),
    "hint": ("Hint", "#1565c0"),
    "solution": ("Solution", "#1565c0"),
    "unknown": ("No such exercise", "#8a6d00"),
}
_CODE_IN_PROSE = re.compile(r"`([^`\n]+)`")


class Part(NamedTuple):
    """A label and what it names: code or a value, shown as it is, or prose, in which backticks mark code."""

    label: str
    text: str
    is_prose: bool = False


@dataclass(frozen=True, repr=False)
class Reply:
    """An answer to the learner.

    ``title`` says which exercise, ``footer``, which is prose, what to do next.
    """

    status: Status
    title: str
    parts: tuple[Part, ...] = ()
    footer: str = ""

    @property
    def heading(self) -> str:
        """The first line: the status and the exercise."""
        return f"{_HEADINGS[self.status][0]} · {self.title}"

    def __repr__(self) -> str:
        lines = [self.heading]
        for label, text, _ in self.parts:
            if "\n" in text or len(label) + len(text) > 90:
                lines += [f"  {label}:", textwrap.indent(text, "    ")]
            else:
                lines.append(f"  {label}: {text}")
        if self.footer:
            lines.append(f"  {self.footer}")
        return _encodable("\n".join(lines))

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<div style="margin-top: 0.5em">{escape(label)}</div>{_prose(text) if is_prose else _code(text)}'
            for label, text, is_prose in self.parts
        )
        footer = f'<div style="margin-top: 0.5em">{_prose(self.footer)}</div>' if self.footer else ""
        return _encodable(
            f'<div style="border-left: 4px solid {_HEADINGS[self.status][1]}; padding-left: 0.8em">'
            f"<strong>{escape(self.heading)}</strong>{rows}{footer}</div>"
        )


def _prose(text: str) -> str:
    return "<div>" + _CODE_IN_PROSE.sub(r"<code>\1</code>", escape(text)) + "</div>"


def _code(text: str) -> str:
    return f'<pre style="margin: 0; white-space: pre-wrap; overflow-wrap: anywhere">{escape(text)}</pre>'


def _encodable(text: str) -> str:
    # Half a surrogate pair, printed or in an error's message, could not be sent to the browser.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
