"""Exercise 11.1, a draft without gaps and overlaps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def repair(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    """Touching spans that cover ``[0, end)`` and begin where the segments do, at starts of sentences."""
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    placed = {min(starts, key=lambda start: abs(start - position)) for position in inside}
    cuts = sorted(placed | {0})
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _walk_both_ways(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    """Oracle: from each segment's start go one character left, one right, two left …, until a sentence starts there."""
    begins = {0}
    for segment in segments:
        if segment.start in range(end):
            ways = [segment.start + sign * step for step in range(end) for sign in (-1, 1)]
            begins.add(next(place for place in ways if place in starts))
    begun: list[list[int]] = []
    for position in range(end):
        if position in begins:
            begun.append([])
        begun[-1].append(position)
    return [Span(run[0], run[-1] + 1) for run in begun]


def _answers(rng: Random) -> Iterator[tuple[list[Span], list[int], int]]:
    starts, end = [0, 10, 20, 30], 40
    yield ([Span(0, 20), Span(20, 40)], starts, end)
    yield ([Span(0, 10), Span(20, 40)], starts, end)
    yield ([Span(0, 30), Span(20, 40)], starts, end)
    yield ([Span(10, 20)], starts, end)
    yield ([Span(20, 40), Span(0, 20)], starts, end)
    yield ([Span(0, 20), Span(28, 40)], starts, end)
    yield ([Span(0, 20), Span(22, 40)], starts, end)
    yield ([Span(0, 20), Span(25, 40)], starts, end)
    yield ([Span(0, 20), Span(38, 40)], starts, end)
    yield ([Span(0, 20), Span(20, 30), Span(20, 40)], starts, end)
    yield ([Span(0, 20), Span(20, 40), Span(95, 99)], starts, end)
    yield ([], starts, end)
    for _ in range(40):
        starts = sorted({0, *(rng.randrange(1, 40) for _ in range(rng.randrange(1, 6)))})
        chosen = [rng.choice(starts) + rng.choice((0, 0, 1, 3, 7, 50)) for _ in range(rng.randrange(5))]
        yield ([Span(start, start + rng.randrange(1, 15)) for start in chosen], starts, 40)


def _nearest(position: int, starts: list[int]) -> int:
    return min(starts, key=lambda start: abs(start - position))


def _as_answered(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment for segment in segments if 0 <= segment.start < end]
    placed = {_nearest(start, starts): min(stop, end) for start, stop in inside}
    return [Span(start, stop) for start, stop in sorted(placed.items())] or [Span(0, end)]


def _without_beginning(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    cuts = sorted({_nearest(start, starts) for start in inside}) or [0]
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _unsorted(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    placed = [_nearest(start, starts) for start in inside]
    cuts = list(dict.fromkeys([0, *placed]))
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _empty_spans(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    placed = sorted(_nearest(start, starts) for start in inside)
    cuts = placed if placed[:1] == [0] else [0, *placed]
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _clipped(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [min(max(segment.start, 0), end - 1) for segment in segments]
    cuts = sorted({0, *(_nearest(start, starts) for start in inside)})
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _sentence_it_lies_in(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    cuts = sorted({0, *(starts[bisect_right(starts, start) - 1] for start in inside)})
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _next_sentence(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    cuts = sorted({0, *(starts[min(bisect_left(starts, start), len(starts) - 1)] for start in inside)})
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _later_of_two(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    cuts = sorted({0, *(min(reversed(starts), key=lambda start: abs(start - place)) for place in inside)})
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _inside_sentences(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    cuts = sorted({0, *(segment.start for segment in segments if 0 <= segment.start < end)})
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


TOUCHING = Exercise(
    id="11.1",
    title="A draft without gaps and overlaps",
    solution=repair,
    oracle=_walk_both_ways,
    cases=_answers,
    hints=(
        "If every segment ends where the next one starts, there can be neither a gap nor an overlap. So look only at "
        "the starts.",
        "min(starts, key=…) finds the nearest start. Of two that are as near it returns the first one in the list.",
        "Collect the places in a set together with 0, sort them, and pair each with the next one; the last with end.",
    ),
    mistakes=(
        Mistake(
            _as_answered,
            "The ends are still those of the answer, so a gap stays a gap and its text is lost. A segment ends where "
            "the next one starts.",
        ),
        Mistake(
            _without_beginning,
            "Where the first segment does not start at 0, the text before it is in no segment. 0 is always a start.",
        ),
        Mistake(
            _unsorted,
            "Segments can come in any order. Pairing neighbours of an unsorted list gives spans that run backwards.",
        ),
        Mistake(
            _empty_spans,
            "Two segments can have the same start, or get it when they are moved. One of them would be empty: count "
            "each place once.",
        ),
        Mistake(
            _clipped,
            "A start outside the text was moved to its edge, which makes a boundary that nobody has drawn. Drop it.",
        ),
        Mistake(
            _inside_sentences,
            "A start inside a sentence cuts that sentence in two. Move it to the nearest start of a sentence.",
        ),
        Mistake(
            _sentence_it_lies_in,
            "The start was moved to the beginning of the sentence that it lies in. The next one may be nearer: "
            "then that one was meant.",
        ),
        Mistake(_next_sentence, "The start was moved to the next sentence, although the one before may be nearer."),
        Mistake(_later_of_two, "Of two sentences that are as near, the later one was taken. Take the earlier one."),
    ),
)
