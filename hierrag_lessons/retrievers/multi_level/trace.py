"""What each level gave to each unit, to print and to look at.

Lesson 20 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hierrag_lessons.model import Node, Passage


@dataclass(frozen=True)
class LevelScores:
    """What one level said of a unit: BM25 of the node that the unit lies in, 0 to 1, and its cosine."""

    words: float
    meaning: float


@dataclass(frozen=True)
class UnitTrace:
    """A unit that was taken, what each level gave it, and how it came to its place.

    ``score`` is the mean over the levels, ``lifted`` that with the lift towards its leaf, ``taken_with`` that with the
    words of the query that no unit before it has.
    """

    node: Node
    levels: Mapping[str, LevelScores]
    score: float
    lifted: float
    taken_with: float


@dataclass(frozen=True)
class MultiLevelTrace:
    """One query: the units that were taken, best first, and the passages at the end."""

    query: str
    units: tuple[UnitTrace, ...]
    passages: tuple[Passage, ...]
