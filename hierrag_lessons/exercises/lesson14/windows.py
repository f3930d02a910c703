"""Exercise 14.3, local windows in a parent."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span
from hierrag_lessons.spans import grow, merge


def local_windows(hits: list[Span], parent: Span, around: int, gap: int) -> list[Span]:
    """Each hit widened by ``around`` on both sides inside its parent; windows at most ``gap`` apart are one."""
    return merge([grow(hit, around, around, parent) for hit in hits], gap)


def _every_character(hits: list[Span], parent: Span, around: int, gap: int) -> list[Span]:
    """Oracle: write down each character that is shown, then start a new window after each gap that is too wide."""
    shown = sorted(
        place
        for place in range(parent.start, parent.end)
        if any(hit.start - around <= place < hit.end + around for hit in hits)
    )
    windows: list[list[int]] = []
    for place in shown:
        if windows and place - windows[-1][-1] - 1 <= gap:
            windows[-1].append(place)
        else:
            windows.append([place])
    return [Span(window[0], window[-1] + 1) for window in windows]


def _cases(rng: Random) -> Iterator[tuple[list[Span], Span, int, int]]:
    parent = Span(10, 50)
    yield ([], parent, 3, 2)
    yield ([Span(20, 25)], parent, 3, 0)
    yield ([Span(12, 15)], parent, 5, 0)
    yield ([Span(45, 49)], parent, 5, 0)
    yield ([Span(20, 22), Span(30, 32)], parent, 2, 4)
    yield ([Span(20, 22), Span(30, 32)], parent, 2, 3)
    yield ([Span(20, 22), Span(26, 28)], parent, 2, 0)
    yield ([Span(30, 32), Span(20, 22)], parent, 1, 0)
    yield ([Span(20, 40), Span(25, 28)], parent, 1, 0)
    for _ in range(40):
        start = rng.randrange(20)
        parent = Span(start, start + rng.randrange(10, 60))
        hits = []
        for _ in range(rng.randrange(5)):
            first = rng.randrange(parent.start, parent.end)
            hits.append(Span(first, rng.randrange(first, parent.end) + 1))
        yield (hits, parent, rng.randrange(6), rng.randrange(8))


def _leaves_the_parent(hits: list[Span], parent: Span, around: int, gap: int) -> list[Span]:
    return merge([Span(max(0, start - around), end + around) for start, end in hits], gap)


def _overlapping_only(hits: list[Span], parent: Span, around: int, gap: int) -> list[Span]:
    return merge([grow(hit, around, around, parent) for hit in hits])


def _closer_than(hits: list[Span], parent: Span, around: int, gap: int) -> list[Span]:
    return merge([grow(hit, around, around, parent) for hit in hits], gap - 1)


def _gap_between_hits(hits: list[Span], parent: Span, around: int, gap: int) -> list[Span]:
    return merge([grow(core, around, around, parent) for core in merge(hits, gap)])


def _unsorted(hits: list[Span], parent: Span, around: int, gap: int) -> list[Span]:
    windows: list[Span] = []
    for hit in hits:
        start, end = grow(hit, around, around, parent)
        if windows and start <= windows[-1].end + gap:
            windows[-1] = Span(windows[-1].start, max(end, windows[-1].end))
        else:
            windows.append(Span(start, end))
    return windows


def _last_end_wins(hits: list[Span], parent: Span, around: int, gap: int) -> list[Span]:
    windows: list[Span] = []
    for start, end in sorted(grow(hit, around, around, parent) for hit in hits):
        if windows and start <= windows[-1].end + gap:
            windows[-1] = Span(windows[-1].start, end)
        else:
            windows.append(Span(start, end))
    return windows


def _only_in_front(hits: list[Span], parent: Span, around: int, gap: int) -> list[Span]:
    return merge([grow(hit, around, 0, parent) for hit in hits], gap)


WINDOWS = Exercise(
    id="14.3",
    title="Local windows",
    solution=local_windows,
    oracle=_every_character,
    cases=_cases,
    hints=(
        "Two functions of lesson 01 do all of it: one widens a span inside another one, one joins spans.",
        "grow(span, before, after, within) and merge(spans, gap).",
        "Widen first, then join: the gap is between the windows, not between the hits.",
    ),
    mistakes=(
        Mistake(
            _leaves_the_parent,
            "A window goes beyond its parent. It would show text of a neighbour, under this parent's heading.",
        ),
        Mistake(_overlapping_only, "Windows that come close to each other, at most `gap` apart, are one window."),
        Mistake(_closer_than, "Windows that are exactly `gap` characters apart are joined."),
        Mistake(
            _gap_between_hits,
            "The hits were joined where they are `gap` apart. Widen them first: the gap is between the windows.",
        ),
        Mistake(_unsorted, "The hits come in any order, best first for example. Sort the windows before joining them."),
        Mistake(_last_end_wins, "A window inside another one shortens it: take the larger end."),
        Mistake(_only_in_front, "A window reaches to both sides of its hit."),
    ),
)
