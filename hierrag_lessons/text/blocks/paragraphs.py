"""Paragraphs of running text, and the numbered headings among their lines.

Lesson 07 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from hierrag_lessons.model import Span
from hierrag_lessons.text.blocks.lines import BareBlock, line_spans
from hierrag_lessons.text.blocks.numbering import Numbered, numbered_heading

_ENDS_A_SENTENCE = regex.compile(r"[.;:!?…。；：！？][\"'”’」』)）*_]*\s*$")
_ONE_INTEGER = regex.compile(r"\s*[0-9]+\.\s")


def plain_blocks(text: str) -> Iterator[BareBlock]:
    """The paragraphs and numbered headings of a plain text. Empty lines part paragraphs."""
    paragraph: list[Span] = []
    for line in line_spans(text):
        if text[line.start : line.end].strip():
            paragraph.append(line)
        else:
            yield from paragraph_blocks(text, paragraph)
            paragraph = []
    yield from paragraph_blocks(text, paragraph)


def paragraph_blocks(text: str, lines: Sequence[Span]) -> Iterator[BareBlock]:
    """Cut a paragraph, given as lines none of which is blank, at the numbered headings in it."""
    begun: int | None = None
    for number, line in enumerate(lines):
        heading = _heading_at(text, lines, number)
        if heading:
            if begun is not None:
                yield BareBlock(begun, lines[number - 1].end, "paragraph")
            end = line.start + heading.length
            yield BareBlock(line.start, end, "heading", heading.rank, heading.title)
            begun = end if end < line.end else None
        elif begun is None:
            begun = line.start
    if begun is not None and lines:
        yield BareBlock(begun, lines[-1].end, "paragraph")


def _heading_at(text: str, lines: Sequence[Span], number: int) -> Numbered | None:
    """The numbered heading in a line, unless the lines around it show that a sentence only wraps there."""
    line = lines[number]
    heading = numbered_heading(text[line.start : line.end])
    if heading is None:
        return None
    if number > 0:
        before = lines[number - 1]
        above = text[before.start : before.end]
        if not _ENDS_A_SENTENCE.search(above) and not numbered_heading(above):
            return None
    if number + 1 < len(lines):
        after = lines[number + 1]
        if text[after.start : after.end].lstrip()[:1].islower():
            return None
    # "1. Open the box" in a row of such lines is a list; alone between empty lines it is a heading.
    if len(lines) > 1 and _ONE_INTEGER.match(text, line.start, line.end):
        return None
    return heading
