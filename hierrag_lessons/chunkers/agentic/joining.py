"""Where chunks start, who says so, and what keeps them within their sizes: cells packed, pieces divided and joined.

Lesson 11 builds it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Literal

from hierrag_lessons.chunkers.agentic.parts import Cell
from hierrag_lessons.chunkers.cutting import join_units
from hierrag_lessons.chunkers.recursive import MARKDOWN, split_recursively
from hierrag_lessons.model import Span
from hierrag_lessons.spans import clip, trim
from hierrag_lessons.text import Ruler

Method = Literal["structure", "recursive", "text_tiling", "model"]


@dataclass(frozen=True, slots=True)
class Boundary:
    """A place where a segment starts, who proposed it, and the reason given."""

    start: int
    method: Method
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk to be: it reaches to the start of the next one, so that nothing between them can be lost."""

    start: int
    path: tuple[str, ...]
    method: Method
    reason: str = ""
    whole: bool = False
    """Whether it is all that stands under its headings."""


def spans_from(starts: Sequence[int], end: int) -> list[Span]:
    """Touching spans that begin at ``starts``, the last one ending at ``end``."""
    return [Span(a, b) for a, b in pairwise([*starts, end])]


def pack_cells(text: str, cells: Sequence[Cell], within: Span, ruler: Ruler, max_size: int) -> list[int]:
    """Where chunks start when whole cells are packed together, and too large ones divided at their sentences.

    This is the recursive method with knowledge of blocks. A sentence that is too large is divided as
    :class:`~hierrag_lessons.chunkers.recursive.RecursiveChunker` does it. The first start is that of ``within``.
    """
    first = bisect_right(cells, within.start, key=lambda cell: cell.span.end)
    last = bisect_left(cells, within.end, key=lambda cell: cell.span.start)
    inside = ((cell, clip(cell.span, within)) for cell in cells[first:last])
    units = [unit for cell, span in inside for unit in _units(text, cell, span, ruler, max_size)]
    return [within.start, *(span.start for span in join_units(units, ruler, max_size)[1:])]


def _units(text: str, cell: Cell, span: Span, ruler: Ruler, max_size: int) -> Iterator[Span]:
    if cell.solid or ruler.size(*span) <= max_size:
        yield span
        return
    inner = cell.sentences[bisect_right(cell.sentences, span.start) : bisect_left(cell.sentences, span.end)]
    for sentence in spans_from([span.start, *inner], span.end):
        yield from split_recursively(text, sentence, ruler, max_size, MARKDOWN)


def keep_sizes(
    text: str, boundaries: Sequence[Boundary], end: int, cells: Sequence[Cell], ruler: Ruler, max_size: int
) -> tuple[list[Piece], int]:
    """The pieces between boundaries, too large ones divided recursively, and how many of a model's those were."""
    pieces: list[Piece] = []
    too_large = 0
    path = cells[0].path
    for boundary, span in zip(boundaries, spans_from([b.start for b in boundaries], end), strict=True):
        if ruler.size(*trim(text, span)) <= max_size:
            pieces.append(Piece(boundary.start, path, boundary.method, boundary.reason))
        else:
            pieces += [Piece(start, path, "recursive") for start in pack_cells(text, cells, span, ruler, max_size)]
            too_large += boundary.method == "model"
    return pieces, too_large


def join_small(
    text: str, pieces: Sequence[Piece], end: int, ruler: Ruler, min_size: int, max_size: int
) -> tuple[list[Piece], int]:
    """Join pieces below ``min_size`` with a neighbour where both fit, and count those of a model among them.

    Joined are pieces of one part, and whole sections below a common heading. A section that had to be divided takes
    in nothing of its neighbours.
    """
    joined: list[tuple[Piece, int]] = []
    too_small = 0
    for piece, span in zip(pieces, spans_from([piece.start for piece in pieces], end), strict=True):
        size = ruler.size(*trim(text, span))
        if joined:
            before, before_size = joined[-1]
            both = ruler.size(*trim(text, Span(before.start, span.end)))
            path = _shared(before.path, piece.path)
            siblings = len(path) >= max(len(before.path), len(piece.path)) - 1
            near = before.path == piece.path or (before.whole and piece.whole and siblings)
            small, small_size = (before, before_size) if before_size <= size else (piece, size)
            if small_size < min_size and both <= max_size and near:
                larger = piece if small is before else before
                joined[-1] = replace(larger, start=before.start, path=path, whole=before.whole and piece.whole), both
                too_small += small.method == "model"
                continue
        joined.append((piece, size))
    return [piece for piece, _ in joined], too_small


def _shared(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(x for x, _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
