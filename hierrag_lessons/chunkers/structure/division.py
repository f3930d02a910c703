"""Dividing a section that is too large for one chunk.

Lesson 07 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import regex

from hierrag_lessons.chunkers.sentence import sentence_units
from hierrag_lessons.model import Document, Span
from hierrag_lessons.text import Block, Ruler

_LINE_START = regex.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_ITEM_START = regex.compile(r"(?:(?<=\n)|(?<=\r)(?!\n))(?=[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t])")
# A paragraph that only makes sense together with what follows it: "The steps are:", "**Table 3 Revenue**".
_LEADS_ON = regex.compile(r"[:：][*_]*\s*$|^\s*(?:\*\*|__)?(?:Table|Figure|Listing|表|图|代码)\s*[0-9][^\n]{0,120}$")


class Unit(NamedTuple):
    """A piece of a section that is kept whole, if that can be.

    ``header`` holds the header rows where it is a later row of a divided table. ``leads_on`` says that it belongs with
    what follows. ``block`` is the block at its end that can be cut further.
    """

    span: Span
    header: str = ""
    leads_on: bool = False
    block: Block | None = None


@dataclass(frozen=True)
class Division:
    """How the sections of one document are divided, in units of ``ruler``."""

    document: Document
    ruler: Ruler
    max_size: int
    min_size: int

    def divide(self, blocks: Sequence[Block]) -> list[Unit]:
        """Cut a section between its blocks, and only where it must be inside one."""
        units = self._keep_together([unit for block in blocks for unit in self._units(block)])
        packed = self._pack(units)
        if len(packed) > 1 and self._is_short(packed[-1]):
            packed[-2:] = self._halve(packed[-2] + packed[-1])
        return [Unit(_span(group), group[0].header) for group in packed]

    # --- from blocks to units ----------------------------------------------------------------------------------------

    def _units(self, block: Block) -> list[Unit]:
        """A block as one unit where it fits, else its rows, items or sentences."""
        text, fits = self.document.text, self._fits(*block.span)
        if block.kind == "table" and not fits:
            return list(self._rows(block))
        if block.atomic:
            return [Unit(block.span, missing_header(text, block))]
        if not fits:
            return self._parts(Unit(block.span, block=block))
        if block.kind == "heading" or _LEADS_ON.search(text, *block.span):
            return [Unit(block.span, leads_on=True)]
        # A turn that fits is never cut.
        return [Unit(block.span, block=None if self.document.kind == "dialogue" else block)]

    def _parts(self, unit: Unit) -> list[Unit]:
        """The list items or sentences of a unit, what leads on to it with the first; the unit where it has none."""
        if unit.block is None:
            return [unit]
        text, is_list, spans = self.document.text, unit.block.kind == "list", list[Span]()
        for item in _cut_at(text, unit.block.span, _ITEM_START) if is_list else [unit.block.span]:
            whole = is_list and self._fits(*item)
            spans += [item] if whole else sentence_units(text, item, self.ruler, self.max_size)
        return [Unit(Span(unit.span.start, spans[0].end)), *map(Unit, spans[1:])]

    def _rows(self, table: Block) -> Iterator[Unit]:
        """The rows of a table, the first one with the header above it where that fits."""
        text = self.document.text
        rows, missing = _cut_at(text, table.span, _LINE_START), missing_header(text, table)
        if not missing:
            above = 3 if len(rows) > 2 and self._fits(rows[0].start, rows[2].end) else 2
            rows[:above] = [Span(rows[0].start, rows[:above][-1].end)]
        yield Unit(rows[0], missing)
        for row in rows[1:]:
            yield Unit(row, table.header)

    def _keep_together(self, units: Sequence[Unit]) -> list[Unit]:
        """Join a heading, a caption or a line that ends with a colon to what follows it, or to its beginning."""
        joined: list[Unit] = []  # from the last to the first
        for unit in reversed(units):
            if joined and unit.leads_on:
                if not self._fits(unit.span.start, joined[-1].span.end):
                    joined[-1:] = reversed(self._parts(joined[-1]))
                if self._fits(unit.span.start, joined[-1].span.end):
                    joined[-1] = joined[-1]._replace(span=Span(unit.span.start, joined[-1].span.end))
                    continue
            joined.append(unit)
        return joined[::-1]

    # --- from units to chunks ----------------------------------------------------------------------------------------

    def _pack(self, units: Sequence[Unit]) -> list[list[Unit]]:
        """Fill one chunk after the other; a unit is cut where the chunk before it would be left too small."""
        packed: list[list[Unit]] = []
        waiting = list(reversed(units))
        while waiting:
            unit = waiting.pop()
            if packed and self._fits(packed[-1][0].span.start, unit.span.end):
                packed[-1].append(unit)
            elif packed and unit.block and self._is_short(packed[-1]):
                waiting += reversed(self._parts(unit))
            else:
                packed.append([unit])
        return packed

    def _halve(self, units: list[Unit]) -> list[list[Unit]]:
        """Cut the last two chunks again, as evenly as their units allow, or where that is not enough their parts."""
        halves = self._most_even(units)
        if self._is_short(halves[1]):
            halves = self._most_even([part for unit in units for part in self._parts(unit)])
        return halves

    def _most_even(self, units: list[Unit]) -> list[list[Unit]]:
        halves = ([units[:cut], units[cut:]] for cut in range(1, len(units)))
        return min(halves, key=lambda pair: max(self.ruler.size(*_span(half)) for half in pair))

    def _fits(self, start: int, end: int) -> bool:
        return self.ruler.size(start, end) <= self.max_size

    def _is_short(self, units: Sequence[Unit]) -> bool:
        return self.ruler.size(*_span(units)) < self.min_size


def missing_header(text: str, block: Block) -> str:
    """The header of a table that does not begin with it, because only a part of the document is being cut."""
    return "" if text.startswith(block.header, block.start) else block.header


def _span(units: Sequence[Unit]) -> Span:
    return Span(units[0].span.start, units[-1].span.end)


def _cut_at(text: str, span: Span, starts: regex.Pattern[str]) -> list[Span]:
    """Cut a span at the places that a pattern of no width finds inside it."""
    cuts = [match.start() for match in starts.finditer(text, *span)]
    edges = [span.start, *(cut for cut in cuts if span.start < cut < span.end), span.end]
    return [Span(*pair) for pair in pairwise(edges)]
