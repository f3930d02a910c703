"""Sections: a heading with the blocks under it.

Lesson 07 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from hierrag_lessons.model import Span
from hierrag_lessons.text import Block, Ruler


class Section(NamedTuple):
    """Neighbouring blocks, the heading path that they share, and the path above the first of them."""

    blocks: tuple[Block, ...]
    path: tuple[str, ...]
    parent: tuple[str, ...]

    @property
    def span(self) -> Span:
        """From the start of the first block to the end of the last one."""
        return Span(self.blocks[0].start, self.blocks[-1].end)

    def is_below(self, path: tuple[str, ...]) -> bool:
        """Whether the section begins under these headings."""
        return self.blocks[0].path[: len(path)] == path

    def joined(self, other: Section) -> Section:
        """One section of this one and the one that follows it, with the path that both share."""
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(self.path, other.path, strict=False))
        return Section(self.blocks + other.blocks, tuple(title for title, _ in shared), self.parent)


def find_sections(blocks: Sequence[Block]) -> list[Section]:
    """Begin a section at each heading; a heading with nothing under it but a deeper heading belongs to that one."""
    groups: list[list[Block]] = []
    for block in blocks:
        before = groups[-1][-1] if groups else None
        goes_on = before and before.kind == "heading" and before.path == block.path[: len(before.path)] != block.path
        if not groups or (block.kind == "heading" and not goes_on):
            groups.append([])
        groups[-1].append(block)
    return [Section(tuple(group), group[-1].path, group[0].path[:-1]) for group in groups]


def merge_sections(sections: Sequence[Section], ruler: Ruler, max_size: int, min_size: int) -> list[Section]:
    """Join sections below ``min_size`` with the next one, then those that are still short with the one before.

    Only sections under the same heading are joined, and never to more than ``max_size``.
    """

    def is_short(section: Section) -> bool:
        return ruler.size(*section.span) < min_size

    def may_join(first: Section, second: Section) -> bool:
        return second.is_below(first.parent) and ruler.size(first.span.start, second.span.end) <= max_size

    forwards: list[Section] = []
    for section in sections:
        if forwards and is_short(forwards[-1]) and may_join(forwards[-1], section):
            forwards[-1] = forwards[-1].joined(section)
        else:
            forwards.append(section)
    merged: list[Section] = []
    for section in forwards:
        if merged and is_short(section) and may_join(merged[-1], section):
            merged[-1] = merged[-1].joined(section)
        else:
            merged.append(section)
    return merged
