"""Mock interviews of 30 and 45 minutes: what is asked, how long each may take, and what came of it.

Lesson 26 uses it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Table
from hierrag_lessons.interview.choosing import Deck, topic_by_lot
from hierrag_lessons.interview.items import CodeReview, DesignCase, InterviewItem, InterviewQuestion
from hierrag_lessons.interview.marking import Marked, mark
from hierrag_lessons.interview.practice import Answer, Card
from hierrag_lessons.interview.rubrics import InterviewLevel
from hierrag_lessons.interview.scheduling import Attempt

MockMinutes = Literal[30, 45]
QUESTION, REVIEW, CASE = 3, 7, 15
"""Minutes for a question, a code review and a design case. Five more are for what the candidate wants to ask."""

_LEVELS: Mapping[InterviewLevel, tuple[InterviewLevel, ...]] = {
    "junior": ("junior", "junior", "junior", "junior", "senior", "senior"),
    "senior": ("junior", "senior", "senior", "senior", "senior", "staff"),
    "staff": ("senior", "senior", "staff", "staff", "staff", "staff"),
}


def minutes_for(item: InterviewItem) -> int:
    """Minutes that an interview gives to a question, a code review or a design case."""
    return {InterviewQuestion: QUESTION, CodeReview: REVIEW, DesignCase: CASE}[type(item)]


class MockSlot(NamedTuple):
    """Something that is asked in an interview, and the minutes that it may take."""

    item: InterviewItem
    minutes: int


def plan_mock(
    questions: Iterable[InterviewQuestion],
    reviews: Iterable[CodeReview],
    cases: Iterable[DesignCase],
    minutes: MockMinutes = 30,
    level: InterviewLevel = "senior",
    attempts: Iterable[Attempt] = (),
    seed: int = 0,
) -> tuple[MockSlot, ...]:
    """Six questions of different topics from easy to hard, a code review, and in 45 minutes a design case as well.

    Topics are drawn by lot, by the square of what :meth:`Deck.weakness` says. Four of the six questions are of the
    level that is asked for, two of those beside it. Review and case are of that level or one beside it: no junior meets
    one of level "staff", and staff none of level "junior". The same arguments give the same interview.

    Raises ``ValueError`` where there are no questions of the levels that are needed, or no review or case.
    """
    asked = checks.each("questions", questions, InterviewQuestion)
    code, designs = checks.each("reviews", reviews, CodeReview), checks.each("cases", cases, DesignCase)
    checks.one_of("minutes", minutes, MockMinutes)
    checks.one_of("level", level, InterviewLevel)
    checks.whole("seed", seed, 0)
    lots, weak = Random(f"mock {seed}"), Deck(asked, attempts).weakness()
    items: list[InterviewItem] = []
    for wanted in _LEVELS[level]:
        used = {item.topic for item in items}
        fitting = [q for q in asked if q.level == wanted and q.topic not in used]
        items.append(_one("questions", fitting, wanted, lots, weak))
    far = {"junior": "staff", "staff": "junior"}.get(level)
    items.append(_one("reviews", [own for own in code if own.level != far], level, lots, weak))
    if minutes == 45:
        items.append(_one("cases", [own for own in designs if own.level != far], level, lots, weak))
    return tuple(MockSlot(item, minutes_for(item)) for item in items)


def _one(
    name: str, items: Sequence[InterviewItem], level: str, lots: Random, weak: Mapping[str, float]
) -> InterviewItem:
    """One item by lot: first its topic, weak ones more often, then the item."""
    if not items:
        raise ValueError(f"{name} has too few {level} items of different topics; give more")
    topics = sorted({item.topic for item in items})
    topic = topic_by_lot(topics, weak, lots)
    return lots.choice([item for item in items if item.topic == topic])


class MockInterview:
    """A mock interview as it goes: :meth:`ask`, :meth:`answer`, :meth:`grade`, and again, then :meth:`report`.

    >>> from hierrag_lessons import RubricPoint
    >>> points = (RubricPoint("says why"),)
    >>> slot = MockSlot(InterviewQuestion("q", "junior", "search", "Why BM25?", points, "Words."), 3)
    >>> seconds = iter([0.0, 240.0])
    >>> mock = MockInterview([slot], clock=lambda: next(seconds))
    >>> mock.ask().question, mock.grade([1]).share, mock.report().rows[0]
    ('Why BM25?', 1.0, ('q', 'search', '4.0', 3, '100%'))

    Parameters
    ----------
    slots:
        What is asked; see :func:`plan_mock`.
    clock:
        Seconds, from any beginning.

    Raises ``ValueError`` when made with anything else.
    """

    def __init__(self, slots: Sequence[MockSlot], clock: Callable[[], float] = time.monotonic) -> None:
        self.slots = tuple(checks.each("slots", slots, MockSlot))
        checks.measure("clock", clock)
        self._clock, self._began = clock, 0.0
        self._ended: float | None = None
        self.marked: list[tuple[Marked, float]] = []

    @property
    def left(self) -> tuple[MockSlot, ...]:
        """What has not been marked yet."""
        return self.slots[len(self.marked) :]

    def ask(self) -> InterviewItem:
        """What is asked now; its time begins. Raises ``ValueError`` where the interview is over."""
        if not self.left:
            raise ValueError("slots is used up: the interview is over; use report()")
        self._began, self._ended = self._clock(), None
        return self.left[0].item

    def answer(self) -> Answer:
        """The rubric and what is expected of what was asked; its time ends. Raises ``ValueError`` after the last."""
        if not self.left:
            raise ValueError("slots is used up: the interview is over; use report()")
        if self._ended is None:
            self._ended = self._clock()
        return Card(self.left[0].item, 0).answer()

    def grade(self, marks: Sequence[int | bool] | Marked, seconds: float | None = None) -> Marked:
        """Mark the answer: one mark a point, or what a model has marked.

        It took the time until :meth:`answer`, or until now where that was not called, or ``seconds`` where given.

        Raises ``ValueError`` where the marks don't fit the rubric, or the interview is over.
        """
        if not self.left:
            raise ValueError("marks come too late: the interview is over; use report()")
        checks.number("seconds", seconds, 0, none="the time since it was asked")
        if seconds is None:
            seconds = (self._clock() if self._ended is None else self._ended) - self._began
        marked = marks if isinstance(marks, Marked) else mark(self.left[0].item, marks)
        self.marked.append((marked, seconds))
        return marked

    def report(self) -> Table:
        """A row for each answer: id, topic, minutes taken and allowed, share of the rubric."""
        rows = [
            (marked.item.id, marked.item.topic, f"{took / 60:.1f}", slot.minutes, f"{marked.share:.0%}")
            for (marked, took), slot in zip(self.marked, self.slots, strict=False)
        ]
        return Table(("asked", "topic", "minutes", "allowed", "rubric"), tuple(rows))
