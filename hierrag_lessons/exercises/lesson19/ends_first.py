"""Exercise 19.3, the best passages at the two ends."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def ends_first(ranked: list[str]) -> list[str]:
    """The first in front, the second at the very end, the third second, …; the last ones in the middle."""
    return ranked[::2] + ranked[1::2][::-1]


def _one_by_one(ranked: list[str]) -> list[str]:
    """Oracle: give out the free places from the two ends, in turn."""
    places: list[str] = ["" for _ in ranked]
    left, right = 0, len(ranked) - 1
    for number, name in enumerate(ranked):
        if number % 2 == 0:
            places[left] = name
            left += 1
        else:
            places[right] = name
            right -= 1
    return places


def _cases(rng: Random) -> Iterator[tuple[list[str]]]:
    for n in range(9):
        yield (list("abcdefgh"[:n]),)
    for _ in range(20):
        yield ([rng.choice("abc") + str(i) for i in range(rng.randrange(12))],)


def _not_reversed(ranked: list[str]) -> list[str]:
    return ranked[::2] + ranked[1::2]


def _best_in_the_middle(ranked: list[str]) -> list[str]:
    return ranked[1::2][::-1] + ranked[::2]


def _second_in_front(ranked: list[str]) -> list[str]:
    return ranked[1::2] + ranked[::2][::-1]


def _halves(ranked: list[str]) -> list[str]:
    middle = (len(ranked) + 1) // 2
    return ranked[:middle] + ranked[middle:][::-1]


def _pairs_only(ranked: list[str]) -> list[str]:
    half = len(ranked) // 2
    return [ranked[2 * i] for i in range(half)] + [ranked[2 * i + 1] for i in reversed(range(half))]


ENDS_FIRST = Exercise(
    id="19.3",
    title="Best at the ends",
    solution=ends_first,
    oracle=_one_by_one,
    cases=_cases,
    hints=(
        "Write down the order for six: 1 3 5 6 4 2.",
        "The odd ranks go up from the front. What do the even ones do?",
        "A slice with a step: ranked[::2] is every second one, beginning with the first.",
    ),
    mistakes=(
        Mistake(_not_reversed, "The second best stands in the middle. The even ranks have to run backwards."),
        Mistake(_best_in_the_middle, "The best stands in the middle, which is the place that it should be spared."),
        Mistake(
            _second_in_front, "Here the second best is in front and the best at the end; it is the other way round."
        ),
        Mistake(_halves, "The first half stands in order, so the second best is second and not last."),
        Mistake(_pairs_only, "With an odd number of passages one is lost."),
    ),
)
