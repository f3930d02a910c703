"""Long parts are read in overlapping windows, and the drafts for them become one list of boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from hierrag_lessons.text import Ruler

Method = Literal["structure", "recursive", "text_tiling", "model"]


@dataclass(frozen=True, slots=True)
class Boundary:
    """A place where a segment starts, who proposed it, and the reason given."""

    start: int
    method: Method
    reason: str = ""


def windows(starts: Sequence[int], end: int, ruler: Ruler, size: int, overlap: int) -> list[range]:
    """Runs of units of at most ``size``, each beginning with at most ``overlap`` of the one before it.

    Units are known by their ``starts``; each window is a range of their indices. A unit larger than ``size`` is a
    window by itself. Every window holds a unit that the one before it does not.
    """
    ends = [*starts[1:], end]
    made: list[range] = []
    first = stop = 0
    while stop < len(starts):
        new = stop + 1
        while new < len(starts) and ruler.size(starts[first], ends[new]) <= size:
            new += 1
        made.append(range(first, new))
        first = stop = new
        if stop < len(starts):
            while first - 1 > made[-1].start and _fits(
                starts[first - 1], starts[stop], ends[stop], ruler, size, overlap
            ):
                first -= 1
    return made


def _fits(start: int, seen: int, end: int, ruler: Ruler, size: int, overlap: int) -> bool:
    """Can a window start so early, and still hold the next unit, which ends at ``end``?"""
    return ruler.size(start, seen) <= overlap and ruler.size(start, end) <= size


def merge_drafts(read: Sequence[range], drafts: Sequence[Sequence[Boundary]], starts: Sequence[int]) -> list[Boundary]:
    """One list of boundaries, ascending, from the drafts of overlapping windows.

    Near the end of a window its reader did not see what follows, near the beginning not what came before. So where two
    windows overlap, the first one decides up to the middle of what they share, and the second one from there.
    """
    middles = [(before.stop + after.start + 1) // 2 for before, after in pairwise(read)]
    edges = [starts[0], *(starts[middle] for middle in middles), starts[-1] + 1]
    merged: dict[int, Boundary] = {}
    for draft, (low, high) in zip(drafts, pairwise(edges), strict=True):
        for boundary in draft:
            if low <= boundary.start < high:
                merged.setdefault(boundary.start, boundary)
    return [merged[start] for start in sorted(merged)]
