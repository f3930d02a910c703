"""Lines of a text, and blocks before they know their paths.

Lesson 07 builds it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, NamedTuple

import regex

from hierrag_lessons.model import Span

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote", "formula", "rule"]

_LINE_BREAK = regex.compile(r"\r\n?|\n")


class BareBlock(NamedTuple):
    """A block before it knows its path; ``rank`` orders headings, a lower one stands above a higher one."""

    start: int
    end: int
    kind: BlockKind
    rank: int = 0
    title: str = ""
    header: str = ""


def line_spans(text: str) -> list[Span]:
    r"""The lines without their ends. As in CommonMark, only ``\n``, ``\r\n`` and ``\r`` end a line."""
    breaks = [match.span() for match in _LINE_BREAK.finditer(text)]
    edges = [(0, 0), *breaks, (len(text), len(text))]
    return [Span(before[1], after[0]) for before, after in pairwise(edges)]
