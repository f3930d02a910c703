"""Exercise 26.4, four answers to be marked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random

from hierrag_lessons.exercises.comparing import same
from hierrag_lessons.exercises.exercise import Exercise, Mistake


def marks(answer: str) -> list[int]:
    """For one of the answers ``"A"`` to ``"D"``, 1 or 0 for each of the four points."""
    return {
        "A": [1, 1, 0, 0],
        "B": [0, 0, 0, 0],  # names both kinds of filter and decides for neither
        "C": [0, 1, 1, 1],  # "a condition inside the query" is a filter in the search
        "D": [0, 0, 0, 0],  # takes its only point back
    }[answer]


def _written_down(answer: str) -> list[int]:
    """Oracle: the points that each answer makes, by their numbers."""
    made = {"A": {1, 2}, "B": set[int](), "C": {2, 3, 4}, "D": set[int]()}[answer]
    return [int(number in made) for number in range(1, 5)]


def _cases(rng: Random) -> Iterator[tuple[str]]:
    yield from (("A",), ("B",), ("C",), ("D",))


def _equal(returned: object, expected: object) -> bool:
    """True and False are marks as well."""
    if isinstance(returned, list | tuple):
        returned = [int(one) if isinstance(one, bool) else one for one in returned]
    return same(returned, expected)


_WHY = {
    ("A", 1): "A says that a small customer often gets nothing: that is point 1.",
    ("A", 2): "A lets the database search only what is left: that is a filter before the search, point 2.",
    ("A", 3): "A says what a customer may not see, and not where the system knows that from. You added point 3.",
    ("A", 4): "A measures nothing, so point 4 is not made.",
    ("B", 1): "B never says that too few results are left.",
    ("B", 2): "B names both kinds of filter and decides for neither: point 2 is not made.",
    ("B", 3): "B has the word 'role-based', and does not say where a role comes from.",
    ("B", 4): "B wants something 'evaluated carefully', and does not say what is counted.",
    ("C", 1): "C never says that too few are left where passages are dropped afterwards.",
    ("C", 2): "C never says 'filter', but a condition inside the query is one. Other words count.",
    ("C", 3): "C takes the id from the session, and nobody types it: that is the login, point 3.",
    ("C", 4): "C compares the approximate search with an exact one: that is measuring what it loses, point 4.",
    ("D", 1): "D speaks of a slow search, and not of too few results.",
    ("D", 2): "D says it and takes it back. What stands at the end is what the candidate would do.",
    ("D", 3): "D does not say where the rights come from.",
    ("D", 4): "D says that the search is slow, and measures nothing.",
}


def _but(own: str, given: list[int]) -> Callable[[str], list[int]]:
    """Right marks, but for one answer."""

    def slip(answer: str) -> list[int]:
        return given if answer == own else marks(answer)

    return slip


def _mistakes() -> Iterator[Mistake]:
    """Every wrong row of marks, and for each of its points the reason why it is otherwise."""
    for (answer,) in _cases(Random()):
        right = marks(answer)
        for row in product((0, 1), repeat=4):
            wrong = [number for number in range(1, 5) if row[number - 1] != right[number - 1]]
            if wrong:
                yield Mistake(_but(answer, list(row)), " ".join(_WHY[answer, number] for number in wrong))


MARKING = Exercise(
    id="26.4",
    title="Mark four answers",
    solution=marks,
    oracle=_written_down,
    cases=_cases,
    hints=(
        "For each mark that you give: which words of the answer make the point? Underline them.",
        "Two answers make no point at all. One of them sounds best; the other says something and takes it back.",
        "One answer makes a point without the word that the rubric has for it.",
    ),
    mistakes=tuple(_mistakes()),
    equal=_equal,
)
