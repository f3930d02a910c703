"""Exercise 04.1, windows over a text."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def windows(n: int, size: int, overlap: int) -> list[Span]:
    """Spans of ``size`` over ``n`` units, each repeating ``overlap`` of the one before, none inside another."""
    if not 0 <= overlap < size:
        raise ValueError(f"overlap is {overlap} with size {size}; it must be at least 0 and below the size")
    spans: list[Span] = []
    start = end = 0
    while end < n:
        end = min(start + size, n)
        spans.append(Span(start, end))
        start = end - overlap
    return spans


def _leave_out_what_adds_nothing(n: int, size: int, overlap: int) -> list[Span]:
    """Oracle: every multiple of the step, and of those only windows that hold a unit which no earlier one holds."""
    if overlap < 0 or overlap >= size:
        raise ValueError("impossible overlap")
    seen: set[int] = set()
    kept = []
    for i in range(n):
        units = set(range(i * (size - overlap), i * (size - overlap) + size)) & set(range(n))
        if not units <= seen:
            kept.append(Span(min(units), max(units) + 1))
        seen |= units
    return kept


def _cases(rng: Random) -> Iterator[tuple[int, int, int]]:
    yield (10, 5, 0)
    yield (7, 5, 0)
    yield (9, 5, 2)
    yield (11, 5, 2)
    yield (5, 5, 2)
    yield (3, 5, 2)
    yield (0, 5, 2)
    yield (9, 4, 4)
    yield (9, 4, 6)
    yield (9, 4, -1)
    for _ in range(40):
        size = rng.randrange(1, 9)
        yield (rng.randrange(25), size, rng.randrange(size))


def _range_over_everything(n: int, size: int, overlap: int) -> list[Span]:
    if not 0 <= overlap < size:
        raise ValueError
    return [Span(i, min(i + size, n)) for i in range(0, n, size - overlap)]


def _full_windows_only(n: int, size: int, overlap: int) -> list[Span]:
    if not 0 <= overlap < size:
        raise ValueError
    return [Span(i, i + size) for i in range(0, n - size + 1, size - overlap)]


def _past_the_end(n: int, size: int, overlap: int) -> list[Span]:
    return [Span(span.start, span.start + size) for span in windows(n, size, overlap)]


def _step_is_the_size(n: int, size: int, overlap: int) -> list[Span]:
    if not 0 <= overlap < size:
        raise ValueError
    return [Span(max(0, i - overlap), min(i + size, n)) for i in range(0, n, size)]


def _shifted_back(n: int, size: int, overlap: int) -> list[Span]:
    if not 0 <= overlap < size:
        raise ValueError
    return [Span(max(0, s.end - size), s.end) for s in windows(n, size, overlap)]


def _takes_any_overlap(n: int, size: int, overlap: int) -> list[Span]:
    if 0 <= overlap < size:
        return windows(n, size, overlap)
    return [Span(i, min(i + size, n)) for i in range(0, n, (size - overlap) or 1)]


WINDOWS = Exercise(
    id="04.1",
    title="Windows",
    solution=windows,
    oracle=_leave_out_what_adds_nothing,
    cases=_cases,
    hints=(
        "The next window starts `overlap` before the end of this one.",
        "Stop when a window has reached `n`. What comes after it would repeat its end and add nothing.",
        "Which overlaps would never get forward? Raise ValueError for them before anything else.",
    ),
    mistakes=(
        Mistake(
            _range_over_everything,
            "The last window lies inside the one before it: the text was at its end already, and this start only "
            "repeats the tail.",
        ),
        Mistake(
            _full_windows_only,
            "Only windows of the full size are kept, so the rest at the end of the text is lost, and a short text "
            "has no window at all.",
        ),
        Mistake(_past_the_end, "The last window reaches beyond `n`. It ends at `n`, and may be shorter."),
        Mistake(
            _step_is_the_size,
            "The overlap was added in front of windows that were full already, so they are larger than `size`.",
        ),
        Mistake(
            _shifted_back,
            "The last window was moved back to make it full, so it repeats more than `overlap`.",
        ),
        Mistake(
            _takes_any_overlap,
            "With an overlap that is not smaller than the size (or is negative) there is no sensible answer: raise "
            "ValueError instead of returning something.",
        ),
    ),
)
