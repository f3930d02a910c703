"""When a card comes again: SM-2, the rule that most flashcard programs descend from.

Lesson 26 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

from hierrag_lessons import checks
from hierrag_lessons.evaluation.intervals import Interval

LOWEST_EASE = 1.3
"""SM-2's floor: with less, a hard card would come so often that nothing else does."""
KNOWN = 0.6
"""The share of a rubric from which an answer counts as known: SM-2's grade 3 of 5."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of a card: the day when it is due, the last interval in days, the ease, and the run of successes.

    A card that was never seen is due on day 0, with the ease 2.5 that SM-2 begins with.

    Raises ``ValueError`` for a negative number, or an ease below :data:`LOWEST_EASE`.
    """

    due: int = 0
    interval: int = 0
    ease: float = 2.5
    streak: int = 0

    def __post_init__(self) -> None:
        for name in ("due", "interval", "streak"):
            checks.whole(name, getattr(self, name), 0)
        checks.number("ease", self.ease, LOWEST_EASE)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer: the item's id, the day (a whole number, such as ``date.toordinal()``), and the share of its rubric.

    Raises ``ValueError`` for a share outside 0 to 1, or a negative day.
    """

    item_id: str
    day: int
    share: float

    def __post_init__(self) -> None:
        checks.text("item_id", self.item_id)
        checks.whole("day", self.day, 0)
        checks.share("share", self.share)


def after_review(memory: Memory, share: float, day: int) -> Memory:
    """What is known of a card after one more answer (Wozniak, "Optimization of learning", 1990: SM-2).

    >>> card = after_review(Memory(), 1.0, day=10)
    >>> card.due, after_review(card, 1.0, card.due).due, after_review(card, 0.2, card.due).due
    (11, 17, 12)

    The share of the rubric becomes SM-2's grade q from 0 to 5. From grade 3 on the card is known: it comes again after
    1 day, then 6, then the last interval times the ease, rounded up. Below 3 the run of successes ends and it comes
    again the next day. (The paper also repeats on the same day what was graded below 4; here nothing comes twice.)
    The ease changes by ``0.1 - (5 - q)(0.08 + (5 - q) 0.02)`` where the card was known, and is never below 1.3.

    Parameters
    ----------
    memory:
        The card before the answer.
    share:
        Share of the rubric that the answer met, from 0 to 1.
    day:
        The day of the answer. The next interval begins on it, and not on the day on which the card was due.

    Raises ``ValueError`` for a value out of its range.
    """
    checks.instance("memory", memory, Memory)
    checks.share("share", share)
    checks.whole("day", day, 0)
    if share < KNOWN:
        return replace(memory, due=day + 1, interval=1, streak=0)
    missing = 5 - 5 * share
    ease = max(LOWEST_EASE, memory.ease + 0.1 - missing * (0.08 + missing * 0.02))
    interval = (1, 6)[memory.streak] if memory.streak < 2 else ceil(round(memory.interval * ease, 6))
    return Memory(day + interval, interval, ease, memory.streak + 1)


def memories(attempts: Iterable[Attempt]) -> dict[str, Memory]:
    """What is known of each card that was answered, by its id: its attempts, one after the other.

    >>> memories([Attempt("a", 3, 1.0), Attempt("a", 4, 1.0), Attempt("b", 4, 0.0)])["a"].due
    10

    Raises ``ValueError`` where ``attempts`` holds anything else.
    """
    known: dict[str, Memory] = {}
    for attempt in checks.each("attempts", attempts, Attempt):
        known[attempt.item_id] = after_review(known.get(attempt.item_id, Memory()), attempt.share, attempt.day)
    return known


class Kept(NamedTuple):
    """How many cards were known the next day, and of how many.

    >>> low, high = Kept(7, 10).interval
    >>> round(low, 2), round(high, 2)
    (0.4, 0.89)
    """

    known: int
    of: int

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the share (Wilson, "Probable inference", 1927); 0 to 1 where nothing was counted."""
        if not self.of:
            return Interval(0.0, 1.0)
        z, share = 1.96, self.known / self.of
        middle = share + z**2 / (2 * self.of)
        half = z * (share * (1 - share) / self.of + z**2 / (4 * self.of**2)) ** 0.5
        return Interval(
            max(0.0, (middle - half) / (1 + z**2 / self.of)), min(1.0, (middle + half) / (1 + z**2 / self.of))
        )


def kept_overnight(attempts: Iterable[Attempt]) -> Kept:
    """Of the cards that were not known at first and came again the next day: how many were known then, of how many.

    >>> first, second = [Attempt("a", 1, 0.0), Attempt("b", 1, 0.2)], [Attempt("a", 2, 1.0), Attempt("b", 2, 0.4)]
    >>> kept_overnight([*first, *second])
    Kept(known=1, of=2)

    It says how fast somebody forgets, which decides whether asking what is due is worth its time. Cards that were known
    at first say nothing about that and are left out. Of several answers on a day the first counts.

    Raises ``ValueError`` where ``attempts`` holds anything else.
    """
    own: dict[str, list[Attempt]] = {}
    for attempt in checks.each("attempts", attempts, Attempt):
        own.setdefault(attempt.item_id, []).append(attempt)
    again = [
        next((later for later in answers if later.day > answers[0].day), None)
        for answers in own.values()
        if answers[0].share < KNOWN
    ]
    next_day = [later for later in again if later is not None and later.day == own[later.item_id][0].day + 1]
    return Kept(sum(later.share >= KNOWN for later in next_day), len(next_day))
