"""When to stop taking passages, though there is room for more.

Lesson 20 builds it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hierrag_lessons import checks


@dataclass(frozen=True, slots=True)
class Stop:
    """Take what scores nearly as well as the best, and nothing else.

    >>> rule = Stop(gap=0.4)
    >>> [rule.allows(score, best=0.9) for score in (0.9, 0.5, 0.4)]
    [True, True, False]

    Parameters
    ----------
    gap:
        The most that a score may be below the best one. It carries over to other texts where scores are on one scale.
    share:
        The least share of the best score. More precise where one passage answers, and the less so where many do.

    Give one of them or both; what either refuses is left out. Raises ``ValueError`` for none, and for a value out of
    its range.
    """

    gap: float | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        checks.number("gap", self.gap, 0, none="no limit")
        checks.share("share", self.share, none="no limit")
        if self.gap is None and self.share is None:
            raise ValueError("gap and share are both None; give Stop one of them, for example Stop(gap=0.4)")

    def allows(self, score: float, best: float) -> bool:
        """Whether something with this score is taken beside the best."""
        near = self.gap is None or best - score <= self.gap
        return near and (self.share is None or score >= self.share * best)
