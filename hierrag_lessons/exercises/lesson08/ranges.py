"""Exercise 08.3, find the bugs: windows of turns."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def turn_ranges(sizes: list[int], max_turns: int, max_size: int, overlap: int) -> list[tuple[int, int]]:
    """First and last turn of each chunk, for turns of these sizes."""
    ranges: list[tuple[int, int]] = []
    new = 0
    while new < len(sizes):
        first = max(new - overlap, ranges[-1][0] + 1) if ranges else 0
        while first < new and (new - first >= max_turns or sum(sizes[first : new + 1]) > max_size):
            first += 1
        last = new
        while last + 1 < len(sizes) and last + 1 - first < max_turns and sum(sizes[first : last + 2]) <= max_size:
            last += 1
        ranges.append((first, last))
        new = last + 1
    return ranges


def _published(sizes: list[int], max_turns: int, max_size: int, overlap: int) -> list[tuple[int, int]]:
    """First and last turn of each chunk, for turns of these sizes."""
    ranges: list[tuple[int, int]] = []
    first = 0
    while first < len(sizes):
        stop, size = first, 0
        while stop < len(sizes) and stop - first < max_turns and size + sizes[stop] <= max_size:
            size += sizes[stop]
            stop += 1
        ranges.append((first, stop - 1))
        if stop >= len(sizes):
            break
        first = max(stop - overlap, first + 1)
    return ranges


def _all_windows(sizes: list[int], max_turns: int, max_size: int, overlap: int) -> list[tuple[int, int]]:
    """Oracle: list every window that is permitted; take the one with the most overlap, then the longest."""
    turns = range(len(sizes))
    permitted = {(i, i) for i in turns} | {
        (i, j) for i in turns for j in turns if 0 < j - i < max_turns and sum(sizes[i : j + 1]) <= max_size
    }
    chosen: list[tuple[int, int]] = []
    for new in turns:
        if chosen and new <= chosen[-1][1]:
            continue
        earliest = chosen[-1][0] + 1 if chosen else 0
        starts = [i for i, j in permitted if j == new and i >= max(earliest, new - overlap)]
        chosen.append((min(starts), max(j for i, j in permitted if i == min(starts) and j >= new)))
    return chosen


def _cases(rng: Random) -> Iterator[tuple[list[int], int, int, int]]:
    yield [2, 3, 2], 6, 10, 0
    yield [12, 3], 6, 10, 0
    yield [3, 12], 6, 10, 1
    yield [3, 4, 8, 2], 6, 10, 1
    yield [2, 2, 2, 2, 2], 3, 10, 1
    yield [2, 2, 2, 2, 2], 3, 10, 2
    yield [4, 4, 9, 4, 4], 4, 10, 2
    yield [], 4, 10, 1
    for _ in range(40):
        most = rng.randrange(1, 6)
        sizes = [rng.choice((1, 1, 2, 2, 3, 5, 8, 14)) for _ in range(rng.randrange(1, 9))]
        yield sizes, most, 10, rng.randrange(min(most, 3))


def _range_only(sizes: list[int], max_turns: int, max_size: int, overlap: int) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    first = 0
    while first < len(sizes):
        stop, size = first, 0
        while stop < len(sizes) and stop - first < max_turns and (stop == first or size + sizes[stop] <= max_size):
            size += sizes[stop]
            stop += 1
        ranges.append((first, stop - 1))
        if stop >= len(sizes):
            break
        first = max(stop - overlap, first + 1)
    return ranges


def _without_large(sizes: list[int], max_turns: int, max_size: int, overlap: int) -> list[tuple[int, int]]:
    return [
        (first, last) for first, last in turn_ranges(sizes, max_turns, max_size, overlap) if sizes[last] <= max_size
    ]


def _no_overlap(sizes: list[int], max_turns: int, max_size: int, overlap: int) -> list[tuple[int, int]]:
    return turn_ranges(sizes, max_turns, max_size, 0)


def _overlap_first(sizes: list[int], max_turns: int, max_size: int, overlap: int) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    new = 0
    while new < len(sizes):
        first = max(new - overlap, ranges[-1][0] + 1) if ranges else 0
        last = new
        while last + 1 < len(sizes) and last + 1 - first < max_turns and sum(sizes[first : last + 2]) <= max_size:
            last += 1
        ranges.append((first, last))
        new = last + 1
    return ranges


RANGES = Exercise(
    id="08.3",
    title="Find the bugs: windows of turns",
    solution=turn_ranges,
    oracle=_all_windows,
    cases=_cases,
    start=_published,
    hints=(
        "Run it by hand on sizes [12, 3] with max_size 10. Which turns does the first chunk hold?",
        "Then on [3, 4, 8, 2] with overlap 1. Which chunks hold a turn that no chunk before them holds?",
        "Keep the index of the next new turn apart from the index where the chunk starts. The new turn always goes in; "
        "repeated ones go in front of it as long as they leave room for it.",
    ),
    mistakes=(
        Mistake(
            _range_only,
            "Every range holds a turn now, but some chunks repeat turns and add none: where the next new turn does not "
            "fit behind the overlap, the overlap has to give way.",
        ),
        Mistake(
            _without_large,
            "A turn that is larger than the limit is in no chunk: its text is lost. It should be a chunk by itself.",
        ),
        Mistake(_no_overlap, "No turn is repeated. A chunk should start with the last turns of the one before it."),
        Mistake(
            _overlap_first,
            "The repeated turns and the new one together are larger than max_size. Repeat fewer, until the new turn "
            "fits.",
        ),
    ),
)
