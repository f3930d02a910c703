"""Exercise 15.1, how many children must be found."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def children_needed(children: int, threshold: str) -> int:
    """The least number of found children that is at least ``threshold`` of all ``children``."""
    return -(-Fraction(threshold) * children // 1)  # // rounds down, and the two signs make it round up


def _count_up(children: int, threshold: str) -> int:
    """Oracle: try one child after the other, in decimals."""
    found = 0
    while Decimal(found) < Decimal(threshold) * children:
        found += 1
    return found


def _cases(rng: Random) -> Iterator[tuple[int, str]]:
    yield (3, "0.6")
    yield (5, "0.6")
    yield (2, "0.5")
    yield (1, "0.5")
    yield (4, "1")
    yield (1, "0.01")
    yield (100, "0.55")
    yield (25, "0.28")
    yield (50, "0.14")
    yield (7, "0.5")
    for _ in range(60):
        yield (rng.randrange(1, 120), f"0.{rng.randrange(1, 100):02}")


def _floats(children: int, threshold: str) -> int:
    return ceil(float(threshold) * children)


def _strictly_more(children: int, threshold: str) -> int:
    return floor(Fraction(threshold) * children) + 1


def _rounded(children: int, threshold: str) -> int:
    return max(1, round(Fraction(threshold) * children))


def _cut_off(children: int, threshold: str) -> int:
    return max(1, int(Fraction(threshold) * children))


def _not_a_single_one(children: int, threshold: str) -> int:
    return max(2, children_needed(children, threshold))


CHILDREN_NEEDED = Exercise(
    id="15.1",
    title="How many children does it take?",
    solution=children_needed,
    oracle=_count_up,
    cases=_cases,
    hints=(
        "Three of five children are 0.6 of them, and that is enough. Two of five are not.",
        "You need the smallest whole number that is at least threshold times children: round up.",
        "Multiplied as floats, 0.55 * 100 is a little more than 55. fractions.Fraction reads '0.55' exactly.",
    ),
    mistakes=(
        Mistake(_floats, "0.55 * 100 is 55.00000000000001 in floats, and rounded up one child too many."),
        Mistake(_strictly_more, "A share equal to the threshold is enough: one of two children at 0.5."),
        Mistake(_rounded, "To the nearest whole number can be too few: 2 of 5 children are below 0.49."),
        Mistake(_cut_off, "Cutting off the decimals gives too few: 1 of 3 children is not 0.6 of them."),
        Mistake(
            _not_a_single_one,
            "One child can be enough: the only one, or one of two at 0.5. Whether that is wise is another question.",
        ),
    ),
)
