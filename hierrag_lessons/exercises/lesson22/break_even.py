"""Exercise 22.4, when reading everything is cheaper."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def break_even(everything: int, passages: int, cached: float) -> int | None:
    """From how many questions on it costs less to read everything than to search; ``None`` for never.

    Reading: the first question pays for ``everything``, each further one the share ``cached`` of that. Searching: each
    question pays for ``passages``. All are tokens; equal costs are not less.
    """
    saved = passages - cached * everything
    if everything < passages:
        return 1
    if saved <= 0:
        return None
    questions = 1
    while everything + (questions - 1) * cached * everything >= questions * passages:
        questions += 1
    return questions


def _add_up(everything: int, passages: int, cached: float) -> int | None:
    """Oracle: add up both bills, question by question, far beyond the last case's answer."""
    reading, searching = 0.0, 0.0
    for number in range(1, 20_000):
        reading += everything if number == 1 else everything * cached
        searching += passages
        if reading < searching:
            return number
    return None


def _cases(rng: Random) -> Iterator[tuple[int, int, float]]:
    yield 400_000, 2_000, 0.125
    yield 8_000, 2_000, 0.125
    yield 8_000, 1_000, 0.125
    yield 16_000, 4_000, 0.0625
    yield 1_000, 2_000, 0.5
    yield 2_000, 2_000, 0.5
    yield 2_000, 2_000, 1.0
    for _ in range(40):
        yield rng.randrange(1, 200) * 128, rng.randrange(1, 40) * 128, rng.choice([0.0625, 0.125, 0.25, 0.5])


def _without_the_first(everything: int, passages: int, cached: float) -> int | None:
    return 1 if everything * cached < passages else None


def _never_none(everything: int, passages: int, cached: float) -> int | None:
    found = break_even(everything, passages, cached)
    return 20_000 if found is None else found


def _no_cache(everything: int, passages: int, cached: float) -> int | None:
    return 1 if everything < passages else None


def _rounded_up(everything: int, passages: int, cached: float) -> int | None:
    saved = passages - cached * everything
    return math.ceil((everything - cached * everything) / saved) if saved > 0 else None


def _equal_is_less(everything: int, passages: int, cached: float) -> int | None:
    reading, searching = 0.0, 0.0
    for number in range(1, 20_000):
        reading += everything if number == 1 else everything * cached
        searching += passages
        if reading <= searching:
            return number
    return None


BREAK_EVEN = Exercise(
    id="22.4",
    title="When is reading everything cheaper?",
    solution=break_even,
    oracle=_add_up,
    cases=_cases,
    hints=(
        "Write down both bills for one question, for two and for n.",
        "If a cached reading of everything costs no less than the passages, it never makes up for the first.",
        "Else count questions up until the one bill is below the other.",
    ),
    mistakes=(
        Mistake(
            _without_the_first,
            "The first question finds no cache: it pays for everything at the full price. Add that.",
        ),
        Mistake(_never_none, "Where each further question costs no less than searching, reading never wins: None."),
        Mistake(
            _no_cache, "Every question was charged the full price. From the second on only the share `cached` is paid."
        ),
        Mistake(
            _rounded_up,
            "You divided and rounded up. Where the division leaves no rest, both cost the same at that number: round "
            "down and add 1.",
        ),
        Mistake(
            _equal_is_less,
            "At this number both cost the same. The first number at which reading costs *less* is asked.",
        ),
    ),
)
