"""Exercise 13.2, windows that meet become one passage."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def join_windows(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    """Ranges ``(first, end, score)`` of the sentences shown, best first, then in order; ``end`` is not shown."""
    joined: list[tuple[int, int, float]] = []
    for position, score in sorted(hits):
        first, end = max(0, position - before), min(n, position + after + 1)
        if joined and first <= joined[-1][1]:
            start, last, best = joined[-1]
            joined[-1] = (start, max(last, end), max(best, score))
        else:
            joined.append((first, end, score))
    return sorted(joined, key=lambda passage: (-passage[2], passage[0]))


def _paint(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    """Oracle: mark each sentence that is shown, read off the runs, and look which hits lie in them."""
    shown = [any(-before <= i - position <= after for position, _ in hits) for i in range(n)]
    passages: list[tuple[int, int, float]] = []
    first = 0
    while first < n:
        end = first
        while end < n and shown[end]:
            end += 1
        if end > first:
            passages.append((first, end, max(score for position, score in hits if first <= position < end)))
        first = max(end, first + 1)
    passages.sort(key=lambda passage: passage[0])
    return sorted(passages, key=lambda passage: passage[2], reverse=True)


def _cases(rng: Random) -> Iterator[tuple[list[tuple[int, float]], int, int, int]]:
    yield ([], 1, 1, 10)
    yield ([(5, 0.9)], 2, 2, 10)
    yield ([(5, 0.9), (6, 0.8)], 2, 2, 20)
    yield ([(6, 0.9), (9, 0.8)], 1, 1, 20)
    yield ([(6, 0.9), (10, 0.8)], 1, 1, 20)
    yield ([(0, 0.9), (19, 0.8)], 2, 2, 20)
    yield ([(2, 0.6), (12, 0.9)], 1, 1, 20)
    yield ([(12, 0.9), (2, 0.8), (13, 0.7), (11, 0.6)], 1, 1, 20)
    yield ([(2, 0.9), (8, 0.8), (5, 0.7)], 1, 1, 20)
    yield ([(12, 0.5), (2, 0.5)], 1, 1, 20)
    yield ([(4, 0.9), (5, 0.8)], 0, 0, 9)
    yield ([(5, 0.9)], 2, 1, 10)
    yield ([(9, 0.9)], 1, 2, 10)
    for _ in range(50):
        n = rng.randrange(4, 16)
        places = rng.sample(range(n), rng.randrange(min(n, 6)))
        scores = sorted((rng.randrange(1, 10) / 10 for _ in places), reverse=True)
        yield (list(zip(places, scores, strict=True)), rng.randrange(4), rng.randrange(4), n)


def _touching_apart(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    joined: list[tuple[int, int, float]] = []
    for position, score in sorted(hits):
        first, end = max(0, position - before), min(n, position + after + 1)
        if joined and first < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end), max(joined[-1][2], score))
        else:
            joined.append((first, end, score))
    return sorted(joined, key=lambda passage: (-passage[2], passage[0]))


def _not_joined(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    ranges = [(max(0, position - before), min(n, position + after + 1), score) for position, score in hits]
    return sorted(ranges, key=lambda passage: (-passage[2], passage[0]))


def _in_the_order_of_the_ranking(
    hits: list[tuple[int, float]], before: int, after: int, n: int
) -> list[tuple[int, int, float]]:
    joined: list[tuple[int, int, float]] = []
    for position, score in hits:
        first, end = max(0, position - before), min(n, position + after + 1)
        if joined and first <= joined[-1][1] and joined[-1][0] <= end:
            start, last, best = joined[-1]
            joined[-1] = (min(start, first), max(last, end), max(best, score))
        else:
            joined.append((first, end, score))
    return sorted(joined, key=lambda passage: (-passage[2], passage[0]))


def _one_partner(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    joined: list[tuple[int, int, float]] = []
    for position, score in hits:
        first, end = max(0, position - before), min(n, position + after + 1)
        for place, (start, last, best) in enumerate(joined):
            if first <= last and start <= end:
                joined[place] = (min(start, first), max(last, end), max(best, score))
                break
        else:
            joined.append((first, end, score))
    return sorted(joined, key=lambda passage: (-passage[2], passage[0]))


def _scores_added(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    added = [
        (first, end, sum(score for position, score in hits if first <= position < end))
        for first, end, _ in join_windows(hits, before, after, n)
    ]
    return sorted(added, key=lambda passage: (-passage[2], passage[0]))


def _first_in_the_text(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    scored = [
        (first, end, min((position, score) for position, score in hits if first <= position < end)[1])
        for first, end, _ in join_windows(hits, before, after, n)
    ]
    return sorted(scored, key=lambda passage: (-passage[2], passage[0]))


def _over_the_edges(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    far = before + after + 1
    moved = join_windows([(position + far, score) for position, score in hits], before, after, n + 2 * far)
    return [(first - far, end - far, score) for first, end, score in moved]


def _end_not_cut(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    far = after + 1
    return join_windows(hits, before, after, n + far)


def _one_short(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    return join_windows(hits, before, after - 1, n)


def _one_long(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    return join_windows(hits, before, after + 1, n)


def _inclusive_end(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    return [(first, end - 1, score) for first, end, score in join_windows(hits, before, after, n)]


def _swapped(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    return join_windows(hits, after, before, n)


def _in_document_order(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    return sorted(join_windows(hits, before, after, n))


MEETING = Exercise(
    id="13.2",
    title="Windows that meet",
    solution=join_windows,
    oracle=_paint,
    cases=_cases,
    hints=(
        "Lesson 01 merged spans of characters. These are spans of sentences.",
        "Go through the hits in the order of their places. Then only the last range can meet the next one.",
        "Ranges [5, 8) and [8, 11) touch: no sentence lies between them. Keep the larger end and the better score.",
    ),
    mistakes=(
        Mistake(_not_joined, "Windows that overlap must become one range, or the same sentences are shown twice."),
        Mistake(_touching_apart, "Where one window ends and the next begins with no sentence between, they are one."),
        Mistake(
            _in_the_order_of_the_ranking,
            "Only a hit and the one before it in the ranking are compared. Neighbours in the text can be far apart in "
            "the ranking: sort by place first.",
        ),
        Mistake(
            _one_partner,
            "Each window is joined to the first range that it meets. One that lies between two ranges meets both, and "
            "all three are one range. Going through the hits by place avoids that.",
        ),
        Mistake(
            _scores_added,
            "A range scores as its best hit does. Added up, many weak hits in one place would beat a good one.",
        ),
        Mistake(
            _first_in_the_text,
            "A range scores as its best hit does, and the best hit need not be the first in the text.",
        ),
        Mistake(_over_the_edges, "There is nothing before sentence 0 and nothing after the last one."),
        Mistake(
            _end_not_cut, "The end is not cut off: a text of `n` sentences has no place `n` or later, so min(n, ...)."
        ),
        Mistake(
            _inclusive_end,
            "`end` is the first sentence that is not shown. A window of sentences 5 to 7 is (5, 8, score).",
        ),
        Mistake(
            _one_short,
            "The hit itself needs a place: the window ends at place + after + 1, because `end` is not shown.",
        ),
        Mistake(_one_long, "One sentence too many after the hit: the window ends at place + after + 1."),
        Mistake(
            _swapped, "`before` sentences come before the hit and `after` sentences after it, not the other way round."
        ),
        Mistake(_in_document_order, "The ranges are right, but the best one comes first, not the first in the text."),
    ),
)
