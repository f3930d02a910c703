"""Exercise 11.1, a draft without gaps and overlaps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def repair(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    """Touching spans that cover ``[0, end)`` and begin where the segments do, at starts of sentences."""
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    placed = {max(start for start in starts if start <= position) for position in inside}
    cuts = sorted(placed | {0})
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _character_by_character(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    """Oracle: walk through the text, and begin a new span at each sentence in which some segment starts."""
    begun: list[list[int]] = []
    for position in range(end):
        if position in starts:
            later = [start for start in starts if start > position]
            sentence = range(position, later[0] if later else end)
            if position == 0 or any(segment.start in sentence for segment in segments):
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
    yield ([Span(0, 20), Span(20, 30), Span(20, 40)], starts, end)
    yield ([Span(0, 20), Span(20, 40), Span(95, 99)], starts, end)
    yield ([], starts, end)
    for _ in range(40):
        starts = sorted({0, *(rng.randrange(1, 40) for _ in range(rng.randrange(1, 6)))})
        chosen = [rng.choice(starts) + rng.choice((0, 0, 0, 1, 3, 50)) for _ in range(rng.randrange(5))]
        yield ([Span(start, start + rng.randrange(1, 15)) for start in chosen], starts, 40)


def _as_answered(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment for segment in segments if 0 <= segment.start < end]
    placed = {starts[bisect_right(starts, start) - 1]: min(stop, end) for start, stop in inside}
    return [Span(start, stop) for start, stop in sorted(placed.items())] or [Span(0, end)]


def _without_beginning(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    cuts = sorted({starts[bisect_right(starts, start) - 1] for start in inside}) or [0]
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _unsorted(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    placed = [starts[bisect_right(starts, start) - 1] for start in inside]
    cuts = list(dict.fromkeys([0, *placed]))
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _empty_spans(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [segment.start for segment in segments if 0 <= segment.start < end]
    placed = sorted(starts[bisect_right(starts, start) - 1] for start in inside)
    cuts = placed if placed[:1] == [0] else [0, *placed]
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _clipped(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    inside = [min(max(segment.start, 0), end - 1) for segment in segments]
    cuts = sorted({0, *(starts[bisect_right(starts, start) - 1] for start in inside)})
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


def _inside_sentences(segments: list[Span], starts: list[int], end: int) -> list[Span]:
    cuts = sorted({0, *(segment.start for segment in segments if 0 <= segment.start < end)})
    return [Span(start, stop) for start, stop in pairwise([*cuts, end])]


TOUCHING = Exercise(
    id="11.1",
    title="A draft without gaps and overlaps",
    solution=repair,
    oracle=_character_by_character,
    cases=_answers,
    hints=(
        "If every segment ends where the next one starts, there can be neither a gap nor an overlap. So look only at "
        "the starts.",
        "max(start for start in starts if start <= x) is where the sentence starts that x lies in.",
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
            "A start inside a sentence cuts that sentence in two. Move it to where its sentence starts.",
        ),
    ),
)
