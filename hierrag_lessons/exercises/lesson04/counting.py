"""Exercise 04.2, how many windows."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def count_windows(n: int, size: int, overlap: int) -> int:
    """Number of windows over ``n`` units, without making them."""
    if n == 0:
        return 0
    # The first window covers `size` units, each other one `size - overlap` new ones; -(-a // b) rounds up.
    return 1 + max(0, -(-(n - size) // (size - overlap)))


def _walk(n: int, size: int, overlap: int) -> int:
    """Oracle: go through the text window by window and count."""
    windows = covered = 0
    while covered < n:
        windows += 1
        covered = size if windows == 1 else covered + (size - overlap)
    return windows


def _cases(rng: Random) -> Iterator[tuple[int, int, int]]:
    yield (10, 5, 0)
    yield (11, 5, 0)
    yield (9, 5, 2)
    yield (8, 5, 2)
    yield (5, 5, 4)
    yield (3, 5, 2)
    yield (1, 5, 0)
    yield (0, 5, 2)
    yield (1_000, 200, 40)
    for _ in range(40):
        size = rng.randrange(1, 30)
        yield (rng.randrange(300), size, rng.randrange(size))


def _no_overlap(n: int, size: int, overlap: int) -> int:
    return -(-n // size)


def _one_for_each_step(n: int, size: int, overlap: int) -> int:
    return -(-n // (size - overlap))


def _rounds_down(n: int, size: int, overlap: int) -> int:
    return 0 if n == 0 else 1 + max(0, (n - size) // (size - overlap))


def _empty_has_one(n: int, size: int, overlap: int) -> int:
    return 1 + max(0, -(-(n - size) // (size - overlap)))


def _short_has_none(n: int, size: int, overlap: int) -> int:
    return 0 if n < size else 1 + -(-(n - size) // (size - overlap))


COUNTING = Exercise(
    id="04.2",
    title="How many windows",
    solution=count_windows,
    oracle=_walk,
    cases=_cases,
    hints=(
        "How many new units does the first window bring, and how many each of the others?",
        "So n - size units are left for the others, which bring size - overlap each. Round up.",
        "Whole numbers round up with -(-a // b). Then look at n = 0 and at n < size.",
    ),
    mistakes=(
        Mistake(_no_overlap, "This is the number without overlap. Each window after the first brings fewer new units."),
        Mistake(
            _one_for_each_step,
            "This counts every start. The starts in the last `overlap` units make windows that repeat what is there.",
        ),
        Mistake(_rounds_down, "What is left at the end needs a window too, even if it doesn't fill it: round up."),
        Mistake(_empty_has_one, "An empty text has no window."),
        Mistake(_short_has_none, "A text that is shorter than a window still needs one."),
    ),
)
