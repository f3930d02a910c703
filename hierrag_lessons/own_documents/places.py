"""Where a passage stands, in words that lead a reader to it, and document text that a terminal can show.

Lesson 24 uses it.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Span
from hierrag_lessons.text import known_values, read_blocks
from hierrag_lessons.text.invisible import visible

_HTML = (".html", ".htm")


def place_of(document: Document, span: Span) -> str:
    r"""The file, and what leads to the place in it: lines, pages of a PDF, turns of a dialogue, headings of a web page.

    >>> from hierrag_lessons import Document, Span, place_of
    >>> guide = Document("guide/install.md", "# Install\n\nUnpack it.\nStart it.\n", "markdown")
    >>> place_of(guide, Span(11, 31)), place_of(guide, Span(0, 9))
    ('guide/install.md:3-4', 'guide/install.md:1')

    Lines, pages and turns are counted from 1. The text of a web page is not that of its file, so it has no lines.

    Raises ``ValueError`` for what is no document, and a span outside its text.
    """
    checks.instance("document", document, Document)
    checks.span("span", span, len(document.text))
    start, end = span.start, max(span.start + 1, span.end)
    if pages := known_values("page", document, [Span(start, min(end, len(document.text)))]):
        return f"{document.doc_id}, page {_range(pages[0], pages[-1])}"
    turns: Any = document.metadata.get("turns")
    if turns:
        met = [number for number, turn in enumerate(turns, 1) if turn["start"] < end and start < turn["end"]]
        return f"{document.doc_id}, turn {_range(met[0], met[-1])}" if met else document.doc_id
    if PurePosixPath(document.doc_id).suffix.lower() in _HTML:
        paths = [block.path for block in read_blocks(document) if block.end > start]
        return " › ".join([document.doc_id, *(paths[0] if paths else ())])
    text = document.text[start:end].rstrip()
    first = document.text.count("\n", 0, start) + 1
    return f"{document.doc_id}:{_range(first, first + text.count(chr(10)))}"


def printable(text: str) -> str:
    r"""Replace what a terminal would obey, or nobody could see, by its number; line ends and tabs stay.

    >>> printable("red \x1b[31malert\r\n")
    'red <U+001B>[31malert\n'

    Characters that turn the direction of writing are among them. Raises ``ValueError`` for no text.
    """
    checks.text("text", text)
    return visible(text.replace("\r\n", "\n").replace("\r", "\n"))


def _range(first: object, last: object) -> str:
    return f"{first}" if first == last else f"{first}-{last}"
