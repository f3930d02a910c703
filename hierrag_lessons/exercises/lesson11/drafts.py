"""Exercise 11.2, one list from the drafts of overlapping windows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Windows = list[tuple[int, int]]
Drafts = list[list[int]]


def merge_drafts(windows: list[tuple[int, int]], drafts: list[list[int]]) -> list[int]:
    """The boundaries of all drafts that their windows may decide about, ascending."""
    middles = [(end + start + 1) // 2 for (_, end), (start, _) in pairwise(windows)]
    edges = [windows[0][0], *middles, windows[-1][1]]
    zones = zip(drafts, pairwise(edges), strict=True)
    return sorted(unit for draft, (low, high) in zones for unit in draft if low <= unit < high)


def _unit_by_unit(windows: Windows, drafts: Drafts) -> list[int]:
    """Oracle: ask for each sentence which window decides about it, and whether that one drew a boundary."""
    found = []
    for unit in range(windows[0][0], windows[-1][1]):
        decides = 0
        for number in range(1, len(windows)):
            shared = range(windows[number][0], windows[number - 1][1])
            second_half = shared[(len(shared) + 1) // 2 :]
            if unit in second_half or unit >= windows[number - 1][1]:
                decides = number
        if unit in drafts[decides]:
            found.append(unit)
    return found


def _readings(rng: Random) -> Iterator[tuple[Windows, Drafts]]:
    yield ([(0, 5)], [[0, 3]])
    yield ([(0, 6), (6, 9)], [[0, 4], [6, 8]])
    yield ([(0, 8), (4, 12)], [[0, 3], [4, 9]])
    yield ([(0, 8), (4, 12)], [[0, 5, 7], [4, 5, 10]])
    yield ([(0, 8), (4, 12)], [[0, 5], [4, 7]])
    yield ([(0, 8), (4, 12)], [[0, 6], [4, 6]])
    yield ([(0, 7), (6, 12)], [[0, 3], [6, 9]])
    yield ([(0, 7), (4, 12)], [[0, 5], [4, 6]])
    for _ in range(40):
        windows, start, end = [], 0, 0
        for _ in range(rng.randrange(1, 4)):
            end = max(end, start) + rng.randrange(3, 8)
            windows.append((start, end))
            start = rng.randrange(max(start + 1, end - 4), end + 1)
        drafts = [[a, *(unit for unit in range(a + 1, b) if rng.random() < 0.3)] for a, b in windows]
        yield (windows, drafts)


def _all_of_them(windows: Windows, drafts: Drafts) -> list[int]:
    return sorted({unit for draft in drafts for unit in draft})


def _one_after_the_other(windows: Windows, drafts: Drafts) -> list[int]:
    return sorted(unit for draft in drafts for unit in draft)


def _first_decides(windows: Windows, drafts: Drafts) -> list[int]:
    merged = list(drafts[0])
    for (_, end), draft in zip(windows, drafts[1:], strict=False):
        merged += [unit for unit in draft if unit >= end]
    return merged


def _second_decides(windows: Windows, drafts: Drafts) -> list[int]:
    merged: list[int] = []
    for (start, _), draft in zip(windows, drafts, strict=True):
        merged = [unit for unit in merged if unit < start] + draft
    return merged


def _both_halves(windows: Windows, drafts: Drafts) -> list[int]:
    middles = [(end + start + 1) // 2 for (_, end), (start, _) in pairwise(windows)]
    edges = [windows[0][0], *middles, windows[-1][1]]
    zones = zip(drafts, pairwise(edges), strict=True)
    return sorted({unit for draft, (low, high) in zones for unit in draft if low <= unit <= high})


def _rounded_down(windows: Windows, drafts: Drafts) -> list[int]:
    middles = [(end + start) // 2 for (_, end), (start, _) in pairwise(windows)]
    edges = [windows[0][0], *middles, windows[-1][1]]
    zones = zip(drafts, pairwise(edges), strict=True)
    return sorted(unit for draft, (low, high) in zones for unit in draft if low <= unit < high)


def _only_agreed(windows: Windows, drafts: Drafts) -> list[int]:
    kept = []
    for unit in sorted({unit for draft in drafts for unit in draft}):
        readers = [draft for (start, end), draft in zip(windows, drafts, strict=True) if start <= unit < end]
        if all(unit in draft for draft in readers):
            kept.append(unit)
    return kept


DRAFTS = Exercise(
    id="11.2",
    title="Merge the drafts of overlapping windows",
    solution=merge_drafts,
    oracle=_unit_by_unit,
    cases=_readings,
    hints=(
        "Two windows (a, b) and (c, d) share the sentences from c to b. Where is the middle?",
        "(b + c + 1) // 2 is the first sentence that the second window decides about.",
        "So each window decides from one middle to the next: the first window from its start, the last to its end.",
    ),
    mistakes=(
        Mistake(
            _all_of_them,
            "Every boundary of every draft is in. But each draft begins with the start of its window, which is no "
            "boundary: it is only where the reading began. And where two drafts differ, both are kept.",
        ),
        Mistake(
            _one_after_the_other,
            "The drafts are put together as they are, so a boundary that two of them drew is there twice, and the "
            "start of every window counts as a boundary. Only one window decides about each sentence.",
        ),
        Mistake(
            _first_decides,
            "The first window decides about all that is shared. Near its end it has not seen what follows: from the "
            "middle on, the second one knows more.",
        ),
        Mistake(
            _second_decides,
            "The second window decides about all that is shared, and so the start of its reading becomes a boundary. "
            "Near its start it has not seen what came before.",
        ),
        Mistake(
            _both_halves,
            "The sentence in the middle is decided by both windows. Zones are half-open: from one middle up to, but "
            "not including, the next.",
        ),
        Mistake(
            _rounded_down,
            "The middle is rounded down. With an odd number of shared sentences, one of them above all, the second "
            "window then decides about the very sentence at which its reading began.",
        ),
        Mistake(
            _only_agreed,
            "Only what both readers drew is kept. In the first half of what is shared the first window decides alone, "
            "in the second half the second one.",
        ),
    ),
)
