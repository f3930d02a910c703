"""Exercise 13.3, a window that stays at home."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def window_within(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    """The half-open range of a window around sentence ``hit`` that ends where another speaker begins."""
    first = end = hit
    while first > 0 and first > hit - before and homes[first - 1] == homes[hit]:
        first -= 1
    while end + 1 < len(homes) and end < hit + after and homes[end + 1] == homes[hit]:
        end += 1
    return first, end + 1


def _cut_the_run(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    """Oracle: find the run of equal homes that the hit lies in, and cut the whole window to it."""
    start = 0
    for _, run in groupby(homes):
        stop = start + len(list(run))
        if start <= hit < stop:
            return max(start, hit - before), min(stop, hit + after + 1)
        start = stop
    raise IndexError(hit)


def _cases(rng: Random) -> Iterator[tuple[list[str], int, int, int]]:
    yield (list("AAAAA"), 2, 1, 1)
    yield (list("AABBB"), 3, 1, 1)
    yield (list("AABBB"), 2, 1, 1)
    yield (list("AABBB"), 1, 1, 2)
    yield (list("AABAA"), 1, 1, 3)
    yield (list("AABAA"), 3, 3, 1)
    yield (list("ABA"), 1, 2, 2)
    yield (["A"], 0, 2, 2)
    for _ in range(50):
        n = rng.randrange(1, 10)
        homes = [rng.choice("AAB") for _ in range(n)]
        yield (homes, rng.randrange(n), rng.randrange(4), rng.randrange(4))


def _no_border(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    return max(0, hit - before), min(len(homes), hit + after + 1)


def _same_name_is_enough(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    near = range(max(0, hit - before), min(len(homes), hit + after + 1))
    same = [place for place in near if homes[place] == homes[hit]]
    return same[0], same[-1] + 1


def _only_in_front(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    return window_within(homes, hit, before, 0)[0], min(len(homes), hit + after + 1)


def _only_behind(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    return max(0, hit - before), window_within(homes, hit, 0, after)[1]


def _made_up_for(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    first, end = window_within(homes, hit, len(homes), len(homes))
    missing = before - min(before, hit - first)
    return max(first, hit - before), min(end, hit + after + missing + 1)


def _the_whole_home(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    return window_within(homes, hit, len(homes), len(homes))


def _last_one_as_end(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    first, end = window_within(homes, hit, before, after)
    return first, end - 1


BORDERS = Exercise(
    id="13.3",
    title="A window that stays at home",
    solution=window_within,
    oracle=_cut_the_run,
    cases=_cases,
    hints=(
        "Go from the hit to the left, one sentence at a time. What stops you?",
        "Three things can stop you: the edge of the list, enough sentences, another name.",
        "Ann, Bob, Ann: when Ann speaks again, it is another turn. Stop at the first change, and don't look beyond it.",
    ),
    mistakes=(
        Mistake(_no_border, "The window leaves the turn: it holds sentences of another speaker."),
        Mistake(
            _same_name_is_enough,
            "The same name further on is another turn, and what another speaker said in between is in the range.",
        ),
        Mistake(_only_in_front, "The border after the hit counts as well."),
        Mistake(_only_behind, "The border before the hit counts as well."),
        Mistake(
            _made_up_for,
            "What the border takes away before the hit is not made up for after it: `after` sentences, not more.",
        ),
        Mistake(_the_whole_home, "This is the whole turn. The window is at most `before` and `after` sentences."),
        Mistake(_last_one_as_end, "Ranges are half-open: the end is one after the last sentence that is shown."),
    ),
)
