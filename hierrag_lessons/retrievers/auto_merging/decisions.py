"""What merging keeps and why: nodes with their hits, decisions with their reasons, and the threshold they are held to.

Lesson 15 builds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Node

MergeOutcome = Literal["merged", "few", "ratio", "level", "derived", "budget"]

MAJORITY = Fraction(500_001, 1_000_000)
"""More than one half, written as a share that is enough: for up to half a million children these are the same."""


class KeptNode(NamedTuple):
    """A node to return: one that was hit, or a parent that took the place of its children; with the hits in it."""

    node: Node
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class MergeDecision:
    """Whether one parent took the place of its children, and why.

    ``found`` are its children that were hit or merged before, each once, in document order, of ``children`` in all.
    ``outcome`` is ``"merged"``, or the first rule that forbade it: too ``"few"`` children were found; the ``"ratio"``
    is below the threshold; the parent is above the highest ``"level"`` allowed; its text is ``"derived"``, so it is not
    the text of its children; the ``"budget"`` would be exceeded. ``tokens`` is the size that all nodes kept have, or
    would have had, with the parent in place; ``None`` where the budget was not asked. ``size_share`` is the share of
    the parent's text that was found, where the threshold is one of size; otherwise ``None``.
    """

    parent: Node
    found: tuple[Node, ...]
    children: int
    threshold: Fraction
    outcome: MergeOutcome
    tokens: int | None = None
    size_share: Fraction | None = None

    @property
    def merged(self) -> bool:
        """Whether the parent took the place of its children."""
        return self.outcome == "merged"

    @property
    def ratio(self) -> Fraction:
        """What the threshold is compared with: the share of the parent's children that were found, or of its text."""
        return Fraction(len(self.found), self.children) if self.size_share is None else self.size_share


def exact(threshold: float | Fraction) -> Fraction:
    """The fraction that is meant by a number such as ``0.6`` or ``2 / 3``, which a float only comes close to.

    Raises ``ValueError`` where it is not above 0 and at most 1.
    """
    checks.number("threshold", float(threshold) if isinstance(threshold, Fraction) else threshold, above=0, most=1)
    return Fraction(threshold).limit_denominator(1_000_000)
