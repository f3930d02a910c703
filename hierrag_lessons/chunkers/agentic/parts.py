"""The parts of a document, and which of them are difficult enough to ask a model about.

Lesson 11 builds it.

A part is the text under one heading. Most parts need no model: they fit into one chunk, or each of their paragraphs
has the size of a chunk, so that the author has done the dividing, or they are code and tables. What remains is prose
that is too large for one chunk and whose paragraphs are too large or too small: where do those belong? Turns of a
dialogue are always of this kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from hierrag_lessons.chunkers.cutting import check_sizes, check_within
from hierrag_lessons.model import Document, Span
from hierrag_lessons.spans import trim
from hierrag_lessons.text import Block, Ruler, blocks_within, snap, split_sentences

Verdict = Literal["short", "even", "blocks", "long", "uneven"]
VERDICTS: dict[Verdict, str] = {
    "short": "fits into one chunk",
    "even": "too large for one chunk, but each paragraph has the size of one",
    "blocks": "too large, but mostly code, tables or formulas",
    "long": "difficult: a paragraph or a turn alone is too large",
    "uneven": "difficult: some paragraphs, or the turns of a dialogue, cannot stand alone",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A paragraph, list, table or turn together with the headings right above it.

    ``sentences`` are the places where its sentences start, the first one being the cell's own start. ``solid`` says
    that nothing may be cut inside: a table, code, a formula, or a turn that fits into a chunk.
    """

    span: Span
    path: tuple[str, ...]
    solid: bool
    prose: bool
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring cells under one heading, and whether they are difficult to divide."""

    cells: tuple[Cell, ...]
    verdict: Verdict

    @property
    def path(self) -> tuple[str, ...]:
        """The headings above the part, the outermost first."""
        return self.cells[0].path

    @property
    def span(self) -> Span:
        """From the first character of the part to its last one."""
        return Span(self.cells[0].span.start, self.cells[-1].span.end)

    @property
    def difficult(self) -> bool:
        """Whether a model is worth its price here."""
        return self.verdict in ("long", "uneven")

    @property
    def sentences(self) -> list[int]:
        """Every place where the part can be cut."""
        return [start for cell in self.cells for start in cell.sentences]

    @property
    def solid(self) -> list[Span]:
        """What must not be cut."""
        return [cell.span for cell in self.cells if cell.solid]


def find_parts(document: Document, within: Span, ruler: Ruler, max_size: int, min_size: int) -> list[Part]:
    """The parts of a document, or of a span of it, in order. Only white space lies between them.

    Raises ``ValueError`` for sizes that cannot work, and where ``within`` does not lie in the document.
    """
    check_sizes(max_size, min_size=min_size)
    cells = _cells(document, check_within(document, within), ruler, max_size)
    return [
        Part(tuple(group), _judge(group, document, ruler, max_size, min_size))
        for _, together in groupby(cells, key=lambda cell: (cell.path, _too_large(cell, ruler, max_size)))
        for group in _alone_if_too_large(list(together), ruler, max_size)
    ]


def _too_large(cell: Cell, ruler: Ruler, max_size: int) -> bool:
    return cell.solid and ruler.size(*cell.span) > max_size


def _alone_if_too_large(group: list[Cell], ruler: Ruler, max_size: int) -> list[list[Cell]]:
    """A table larger than a chunk is a part of its own: there is nothing to decide about it."""
    return [[cell] for cell in group] if _too_large(group[0], ruler, max_size) else [group]


def _cells(document: Document, within: Span, ruler: Ruler, max_size: int) -> list[Cell]:
    cells: list[Cell] = []
    headings: list[Block] = []
    for block in blocks_within(document, within):
        if block.kind == "heading":
            headings.append(block)
            continue
        start = headings[0].start if headings else block.start
        whole = block.atomic or (document.kind == "dialogue" and ruler.size(*block.span) <= max_size)
        if headings and whole and ruler.size(start, block.end) > max_size:
            cells.append(_cell(document, headings, ruler, max_size))
            start = block.start
        cells.append(_cell(document, [*headings, block] if start < block.start else [block], ruler, max_size))
        headings = []
    if headings:
        cells.append(_cell(document, headings, ruler, max_size))
    return cells


def _cell(document: Document, blocks: list[Block], ruler: Ruler, max_size: int) -> Cell:
    """Join headings and what stands below them; a heading is never cut off from the first sentence."""
    text, last = document.text, blocks[-1]
    # Blocks and sentences are trimmed, and a space at the edge can carry an accent: snap keeps the two together.
    span = Span(snap(text, trim(text, blocks[0].span).start), last.end)
    turn = document.kind == "dialogue" and ruler.size(*span) <= max_size
    solid = last.atomic or turn
    inner = [] if solid or last.kind == "heading" else split_sentences(text, last.span)[1:]
    starts = {snap(text, sentence.start, span.start) for sentence in inner}
    return Cell(span, last.path, solid, not last.atomic, (span.start, *sorted(starts - {span.start})))


def _judge(cells: list[Cell], document: Document, ruler: Ruler, max_size: int, min_size: int) -> Verdict:
    whole = Span(cells[0].span.start, cells[-1].span.end)
    if ruler.size(*whole) <= max_size:
        return "short"
    prose = sum(ruler.size(*cell.span) for cell in cells if cell.prose)
    if 2 * prose < ruler.size(*whole):
        return "blocks"
    if any(ruler.size(*cell.span) > max_size for cell in cells):
        return "long"
    # A turn is no unit of thought, however long it is: the question before it belongs to it.
    divided = document.kind != "dialogue" and all(ruler.size(*cell.span) >= min_size for cell in cells)
    return "even" if divided else "uneven"
