"""Views that are an outline: lines with lines below them, one a node.

Lesson 15 uses it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hierrag_lessons.showing.colours import EDGE
from hierrag_lessons.showing.views import markup
from hierrag_lessons.showing.views.view import View, preview
from hierrag_lessons.text.invisible import one_line

# The lists' own marks and indentation would stand beside the triangles of what can be folded.
_LIST = f"{markup.PLAIN}list-style:none;margin:0;padding:0;"
_ITEM = f"{markup.PLAIN}border-left:2px solid {EDGE};margin:2px 0 2px 10px;padding:0 0 0 8px;"


@dataclass(frozen=True)
class Line:
    """A line of an outline, whether it is marked, and the lines below it."""

    text: str
    marked: bool = False
    below: tuple[Line, ...] = ()


class OutlineView(View):
    """A view whose body is an outline."""

    @abstractmethod
    def lines(self) -> Iterable[Line]:
        """The outermost lines."""

    def body_html(self) -> str:
        """Lists in lists; what has lines below it can be folded and is open."""
        return _list(self.lines())

    def body_text(self) -> str:
        """One line a node, indented by its place in the outline."""
        return "\n".join(_indented(self.lines(), ""))


def node_line(notes: Sequence[str], text: str) -> str:
    """What is known of a node, and the first words of its text: ``level 2, HIT 0.75: The notice period is…``."""
    return f"{', '.join(notes)}: {preview(text)}"


def _list(lines: Iterable[Line]) -> str:
    items = "".join(f'<li style="{_ITEM}">{_item(line)}</li>' for line in lines)
    return f'<ul style="{_LIST}">{items}</ul>' if items else ""


def _item(line: Line) -> str:
    note = markup.note(line.text)
    text = markup.span(markup.PAINT_GOLD, f"<strong>{note}</strong>") if line.marked else note
    return markup.folded(text, _list(line.below), is_open=True) if line.below else text


def _indented(lines: Iterable[Line], indent: str) -> Iterator[str]:
    for line in lines:
        yield indent + one_line(line.text)
        yield from _indented(line.below, f"{indent}  ")
