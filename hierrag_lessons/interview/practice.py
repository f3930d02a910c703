"""Practice in a notebook, without widgets: draw a card, answer aloud, look, give yourself marks.

Lesson 26 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path
from textwrap import fill

from hierrag_lessons import checks
from hierrag_lessons.interview.choosing import RuleName, choose, shuffled
from hierrag_lessons.interview.items import CodeReview, DesignCase, InterviewItem, InterviewQuestion
from hierrag_lessons.interview.keeping import add_attempt, read_attempts
from hierrag_lessons.interview.loading import load_interview_questions
from hierrag_lessons.interview.marking import Marked, mark, points_of
from hierrag_lessons.interview.rubrics import InterviewLevel
from hierrag_lessons.interview.scheduling import Attempt

_WIDTH = 100
"""Characters of a line, in a terminal and in a notebook."""


class Answer(str):
    """A text that a notebook shows with its lines, folded, so that nobody reads it before answering."""

    __slots__ = ()

    def __repr__(self) -> str:
        return wrapped(self)

    def _repr_html_(self) -> str:
        return f"<details><summary>Answer aloud first, then open</summary><pre>{escape(wrapped(self))}</pre></details>"


def wrapped(text: str) -> str:
    """The text with its long lines broken between words; code, whose lines are short or indented, stays as it is."""
    lines = text.split("\n")
    return "\n".join(fill(line, _WIDTH) if len(line) > _WIDTH and line[0] != " " else line for line in lines)


@dataclass(frozen=True, repr=False)
class Card:
    """Something that is asked: shown, it is the question; then come :meth:`answer` and :meth:`grade`.

    Attributes
    ----------
    item:
        What is asked.
    day:
        The day of the attempt, as ``date.toordinal()`` counts.
    path:
        The file that keeps the marks; None for the learner's.

    Raises ``ValueError`` when made with a value of another type.
    """

    item: InterviewItem
    day: int
    path: Path | str | None = None

    def __post_init__(self) -> None:
        checks.instance("item", self.item, InterviewQuestion | DesignCase | CodeReview)
        checks.whole("day", self.day, 0)
        if self.path is not None:
            checks.path("path", self.path)

    def __repr__(self) -> str:
        return wrapped(repr(self.item))

    def answer(self) -> Answer:
        """The rubric, numbered, and what is expected. Say your answer aloud before you look."""
        return Answer("\n".join(["A good answer", *points_of(self.item), "", self.item.expected]))

    def grade(self, marks: Sequence[int | bool]) -> Marked:
        """Mark your answer, 1 or 0 for each point of the rubric. The result is kept, for the next draw.

        Raises ``ValueError`` where a mark is neither 0 nor 1, or there are not as many as points.
        """
        marked = mark(self.item, marks)
        add_attempt(Attempt(self.item.id, self.day, marked.share), self.path)
        return marked


def select(items: Iterable[InterviewItem], topic: str | None, level: InterviewLevel | None) -> list[InterviewItem]:
    """Those of a topic and a level; None stands for all. Raises ``ValueError`` where there is no such one."""
    cards = checks.each("items", items, object)
    for card in cards:
        checks.instance("items", card, InterviewQuestion | DesignCase | CodeReview)
    checks.one_of("topic", topic, sorted({card.topic for card in cards}), none="all topics")
    checks.one_of("level", level, InterviewLevel, none="all levels")
    found = [card for card in cards if topic in (None, card.topic) and level in (None, card.level)]
    if cards and not found:
        levels = sorted({card.level for card in cards if topic in (None, card.topic)})
        raise ValueError(f"level is {level!r}; none of these is of that level, give {' or '.join(map(repr, levels))}")
    return found


def drill(
    topic: str | None = None,
    level: InterviewLevel | None = None,
    rule: RuleName = "due, half new",
    *,
    items: Sequence[InterviewItem] | None = None,
    day: int | None = None,
    seed: int = 0,
    path: Path | str | None = None,
) -> Card:
    """Draw a card; what was answered before decides which.

    ::

        card = drill()  # shows the question: answer it aloud
        card.answer()  # the rubric and a model answer
        card.grade([1, 0, 1])  # one mark a point; the next drill() knows it

    Parameters
    ----------
    topic, level:
        Ask only these; None for all.
    rule:
        How to choose; see :func:`choose`.
    items:
        What may be asked; None for the course's questions. Cases and reviews can be given as well.
    day:
        Today, as ``date.toordinal()`` counts; None for the date of this machine.
    seed:
        For the order of the cards, and for those ways of choosing that draw lots.
    path:
        The file that keeps the marks; None for the learner's, see :func:`attempts_file`.

    Raises ``ValueError`` for an unknown topic, level or way of choosing, and where nothing is left to ask.
    """
    known = load_interview_questions() if items is None else items
    checks.whole("day", day, 0, none="today")
    today = date.today().toordinal() if day is None else day
    item = choose(shuffled(select(known, topic, level), seed), read_attempts(path), today, rule, seed)
    return Card(item, today, path)
