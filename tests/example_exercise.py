"""A complete exercise, as a lesson's module holds several: for the tests of the framework and of the builder."""

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises import Exercise, Mistake, Reply
from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.model import Span


def merge_spans(spans: list[Span]) -> list[Span]:
    """Join spans that overlap or touch; sorted by start."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def character_by_character(spans: list[Span]) -> list[Span]:
    covered = {position for start, end in spans for position in range(start, end)}
    starts = sorted(position for position in covered if position - 1 not in covered)
    ends = sorted(position + 1 for position in covered if position + 1 not in covered)
    return [Span(start, end) for start, end in zip(starts, ends, strict=True)]


def span_lists(rng: Random) -> Iterator[tuple[list[Span]]]:
    yield ([],)
    yield ([Span(0, 5), Span(5, 8)],)
    yield ([Span(3, 8), Span(0, 5)],)
    yield ([Span(0, 9), Span(2, 4)],)
    for _ in range(30):
        starts = [rng.randrange(30) for _ in range(rng.randrange(8))]
        yield ([Span(start, start + rng.randrange(1, 6)) for start in starts],)


def only_overlapping(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def as_they_come(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in spans:
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def last_end_wins(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, span.end)
        else:
            merged.append(span)
    return merged


EXAMPLE = Exercise(
    id="98.1",
    title="Merge spans",
    solution=merge_spans,
    oracle=character_by_character,
    cases=span_lists,
    hints=("Sort by start first.", "Touching spans have no gap between them.", "Which of two ends is the larger?"),
    mistakes=(
        Mistake(only_overlapping, "[0, 5) and [5, 8) touch: there is no gap between half-open spans."),
        Mistake(as_they_come, "Only neighbours in the list are compared, but the list need not be sorted."),
        Mistake(last_end_wins, "A span inside another one shortens it: take the larger end."),
    ),
)


def check(exercise_id: str, function: object = ...) -> Reply:
    assert exercise_id == EXAMPLE.id
    return assess(EXAMPLE, function)
