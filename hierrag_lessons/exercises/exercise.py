"""What an exercise is made of: the official solution, an oracle, inputs, hints, and the mistakes people make."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from hierrag_lessons.exercises.comparing import same


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that people really give, as a function, and the misunderstanding behind it."""

    function: Callable[..., object]
    message: str


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Parameters
    ----------
    id, title:
        Lesson and number, such as ``"01.2"``, and what the learner writes.
    solution:
        The official answer. The notebook builder copies its source into the solution notebook.
    oracle:
        Another algorithm for the same thing, slow and obviously right. Where it raises, the learner's function must
        raise an error of that class.
    cases:
        Takes a seeded ``random.Random`` and yields tuples of positional arguments: the tricky ones, then random ones.
    hints:
        What ``hint()`` shows, one after the other.
    mistakes:
        At least three known wrong answers. They must terminate.
    equal:
        ``equal(returned, expected)`` decides whether an answer counts as right.
    start:
        In a "find the bug" exercise, the code as the learner gets it. While the learner's function still behaves like
        it, the exercise counts as not attempted.

    Raises
    ------
    ValueError
        For an id of another form, no hints, fewer than three mistakes, or two mistakes with one message.
    """

    id: str
    title: str
    solution: Callable[..., object]
    oracle: Callable[..., object]
    cases: Callable[[Random], Iterable[tuple[object, ...]]]
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    equal: Callable[[object, object], bool] = same
    start: Callable[..., object] | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d\d\.[1-9]", self.id):
            raise ValueError(f"exercise id {self.id!r} is not of the form '01.2': lesson, dot, number from 1")
        if not self.hints:
            raise ValueError(f"exercise {self.id} has no hints; give at least one")
        if len(self.mistakes) < 3:
            raise ValueError(
                f"exercise {self.id} has {len(self.mistakes)} mistakes; give at least 3 known wrong answers"
            )
        if len({mistake.message for mistake in self.mistakes}) < len(self.mistakes):
            raise ValueError(f"two mistakes of exercise {self.id} share one message; say what is special about each")
