"""Exercise 01.1, what is stored twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span
from hierrag_lessons.spans import merge


def repeated(spans: list[Span]) -> list[Span]:
    """What lies in two or more of the spans, as sorted spans that are disjoint and not empty."""
    shared, reach = [], 0
    for start, end in sorted(spans):
        if start < reach:
            shared.append(Span(start, min(end, reach)))
        reach = max(reach, end)
    return merge(shared)


def _count_every_character(spans: list[Span]) -> list[Span]:
    """Oracle: count the spans over each character, then read off the runs of two or more."""
    over = Counter(position for start, end in spans for position in range(start, end))
    twice = {position for position, count in over.items() if count > 1}
    starts = sorted(position for position in twice if position - 1 not in twice)
    ends = sorted(position + 1 for position in twice if position + 1 not in twice)
    return [Span(start, end) for start, end in zip(starts, ends, strict=True)]


def _span_lists(rng: Random) -> Iterator[tuple[list[Span]]]:
    yield ([],)
    yield ([Span(2, 7)],)
    yield ([Span(0, 5), Span(5, 8)],)
    yield ([Span(0, 5), Span(3, 8)],)
    yield ([Span(3, 8), Span(0, 5)],)
    yield ([Span(4, 6), Span(4, 6)],)
    yield ([Span(0, 9), Span(2, 4)],)
    yield ([Span(0, 9), Span(1, 3), Span(5, 7)],)
    yield ([Span(0, 6), Span(2, 8), Span(4, 9)],)
    for _ in range(30):
        starts = [rng.randrange(25) for _ in range(rng.randrange(1, 7))]
        yield ([Span(start, start + rng.randrange(1, 10)) for start in starts],)


def _neighbours_only(spans: list[Span]) -> list[Span]:
    pairs = pairwise(sorted(spans))
    return merge(Span(max(a.start, b.start), max(b.start, min(a.end, b.end))) for a, b in pairs)


def _unmerged(spans: list[Span]) -> list[Span]:
    pairs = combinations(spans, 2)
    shared = [Span(max(a.start, b.start), min(a.end, b.end)) for a, b in pairs]
    return sorted(span for span in shared if span.start < span.end)


def _touching(spans: list[Span]) -> list[Span]:
    shared, reach = [], -1
    for start, end in sorted(spans):
        if start <= reach:
            shared.append(Span(start, min(end, reach)))
        reach = max(reach, end)
    joined: list[Span] = []
    for start, end in shared:
        if joined and start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, end))
        else:
            joined.append(Span(start, end))
    return joined


def _union(spans: list[Span]) -> list[Span]:
    return merge(spans)


def _to_the_far_end(spans: list[Span]) -> list[Span]:
    shared, reach = [], 0
    for start, end in sorted(spans):
        if start < reach:
            shared.append(Span(start, reach))
        reach = max(reach, end)
    return merge(shared)


STORED_TWICE = Exercise(
    id="01.1",
    title="What is stored twice",
    solution=repeated,
    oracle=_count_every_character,
    cases=_span_lists,
    hints=(
        "Go through the spans sorted by start, and keep in mind how far the earlier ones reach.",
        "A span that starts before that point shares its beginning with an earlier one. How far?",
        "The shared part ends at the smaller of two ends. `merge` joins what overlaps or touches.",
    ),
    mistakes=(
        Mistake(
            _neighbours_only,
            "Each span is compared only with the one before it. A long span reaches over several later ones: keep "
            "the furthest end of all earlier spans.",
        ),
        Mistake(
            _unmerged,
            "What each pair shares is right, but with three spans these parts overlap one another and the same "
            "characters are listed several times: merge the parts.",
        ),
        Mistake(
            _touching,
            "Spans that only touch share nothing: the end of a half-open span is no longer part of it, so an "
            "empty span such as [5, 5) is not shared text.",
        ),
        Mistake(
            _union,
            "This is the union: what lies in one span or more. Asked for is what lies in two or more.",
        ),
        Mistake(
            _to_the_far_end,
            "A span inside a longer one shares only its own length: what two spans share ends at the smaller of "
            "their ends.",
        ),
    ),
)
