"""What all views have in common: one line that sums it up, a body, and two ways to show both.

Lesson 01 uses it.
"""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod

from hierrag_lessons.showing.views import markup
from hierrag_lessons.text import snap
from hierrag_lessons.text.invisible import one_line, visible

_PREVIEW = 60  # characters


class View(ABC):
    """Something to look at."""

    @property
    @abstractmethod
    def caption(self) -> str:
        """One line with the numbers, for example ``recall 0.33, 998 tokens, 5 passages``."""

    @abstractmethod
    def body_html(self) -> str:
        """The body as HTML, everything escaped."""

    @abstractmethod
    def body_text(self) -> str:
        """The body as plain text, the same content."""

    def _repr_html_(self) -> str:
        return markup.card(f"<div><strong>{markup.note(self.caption)}</strong></div>{self.body_html()}")

    def __repr__(self) -> str:
        return f"{one_line(self.caption)}\n{self.body_text()}"


def count(number: int, noun: str) -> str:
    """``1 token``, ``2 tokens``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def preview(text: str) -> str:
    """The first words of a text, with ``…`` where there are more."""
    cut = snap(text, _PREVIEW)
    return f"{text[:cut].rstrip()}{'…' if cut < len(text) else ''}"


def indented(text: str) -> str:
    """Untrusted text as indented lines, invisible characters made visible."""
    return textwrap.indent(visible(text), "    ")
