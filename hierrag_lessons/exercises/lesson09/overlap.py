"""Exercise 09.2, the bug in the overlap of one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def pack_sentences(sizes: list[int], max_size: int) -> list[list[int]]:
    """Chunks as lists of sentence numbers; each repeats the last sentence of the one before, where there is room."""
    chunks: list[list[int]] = []
    chunk, used = list[int](), 0
    for i, size in enumerate(sizes):
        if chunk and used + size > max_size:
            chunks.append(chunk)
            last = chunk[-1]
            if sizes[last] + size <= max_size:
                chunk, used = [last], sizes[last]
            else:
                chunk, used = [], 0
        chunk = [*chunk, i]
        used += size
    if chunk:
        chunks.append(chunk)
    return chunks


def _overlap_that_is_none(sizes: list[int], max_size: int) -> list[list[int]]:
    """The code that is handed out."""
    chunks: list[list[int]] = []
    chunk, used = list[int](), 0
    for i, size in enumerate(sizes):
        if chunk and used + size > max_size:
            chunks.append(chunk)
            chunk, used = [], 0
            if size <= max_size // 2:
                chunk, used = [i], size
                continue
        chunk = [*chunk, i]
        used += size
    if chunk:
        chunks.append(chunk)
    return chunks


def _by_first_and_end(sizes: list[int], max_size: int) -> list[list[int]]:
    """Oracle: from each first sentence the furthest end that fits, found by trying; then where the next one starts."""
    chunks, first = [], 0
    while first < len(sizes):
        end = max(e for e in range(first + 1, len(sizes) + 1) if sum(sizes[first:e]) <= max_size)
        chunks.append(list(range(first, end)))
        if end == len(sizes):
            break
        first = end - 1 if sum(sizes[end - 1 : end + 1]) <= max_size else end
    return chunks


def _cases(rng: Random) -> Iterator[tuple[list[int], int]]:
    yield [], 10
    yield [3], 10
    yield [3, 3], 10
    yield [5, 5], 6
    yield [4, 4, 4], 8
    yield [4, 4, 4, 4], 8
    yield [2, 2, 2, 2, 2, 2], 6
    yield [1, 9, 9, 1], 10
    yield [8, 8, 1, 1], 9
    for _ in range(40):
        yield [rng.randrange(1, 9) for _ in range(rng.randrange(1, 8))], rng.randrange(8, 16)


def _pack(sizes: list[int], max_size: int, repeat: int, room: bool, counted: bool) -> list[list[int]]:
    """The solution with one thing wrong: which sentence it repeats, or what it forgets to ask."""
    chunks: list[list[int]] = []
    chunk, used = list[int](), 0
    for i, size in enumerate(sizes):
        if chunk and used + size > max_size:
            chunks.append(chunk)
            old = chunk[repeat]
            if not room or sizes[old] + size <= max_size:
                chunk, used = [old], sizes[old] if counted else 0
            else:
                chunk, used = [], 0
        chunk = [*chunk, i]
        used += size
    return [*chunks, chunk] if chunk else chunks


def _no_room_asked(sizes: list[int], max_size: int) -> list[list[int]]:
    return _pack(sizes, max_size, -1, room=False, counted=True)


def _not_counted(sizes: list[int], max_size: int) -> list[list[int]]:
    return _pack(sizes, max_size, -1, room=True, counted=False)


def _first_repeated(sizes: list[int], max_size: int) -> list[list[int]]:
    return _pack(sizes, max_size, 0, room=True, counted=True)


def _new_sentence_lost(sizes: list[int], max_size: int) -> list[list[int]]:
    chunks: list[list[int]] = []
    chunk, used = list[int](), 0
    for i, size in enumerate(sizes):
        if chunk and used + size > max_size:
            chunks.append(chunk)
            last = chunk[-1]
            chunk, used = [last], sizes[last]
            continue
        chunk = [*chunk, i]
        used += size
    return [*chunks, chunk] if chunk else chunks


OVERLAP = Exercise(
    id="09.2",
    title="Find the bug: one sentence of overlap",
    solution=pack_sentences,
    oracle=_by_first_and_end,
    cases=_cases,
    start=_overlap_that_is_none,
    hints=(
        "Compare what the branch with `continue` does with what would happen without it.",
        "`i` is the new sentence. The sentence to repeat is the last one of the chunk that was just finished.",
        "Before `chunk` is emptied, keep `chunk[-1]`. The new chunk starts with it if it and the new sentence fit "
        "together; then the new sentence is added as always.",
    ),
    mistakes=(
        Mistake(
            _no_room_asked,
            "A chunk is above max_size: the repeated sentence and the new one have to fit together, or nothing is "
            "repeated.",
        ),
        Mistake(
            _not_counted,
            "The size of the repeated sentence is not counted, so chunks get too large by that much.",
        ),
        Mistake(
            _first_repeated,
            "It repeats the first sentence of the chunk before. Overlap is meant to keep neighbours together: repeat "
            "its last one.",
        ),
        Mistake(
            _new_sentence_lost,
            "A sentence is missing: with `continue` in that branch, the new sentence is never added. Lost text is "
            "worse than no overlap.",
        ),
    ),
)
