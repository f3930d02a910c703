"""The span algebra: the few operations that the whole course is built from.

Lesson 01 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hierrag_lessons import checks
from hierrag_lessons.model import Span

__all__ = ["clip", "cover", "grow", "merge", "overlap", "subtract", "trim"]


def overlap(a: Span, b: Span) -> int:
    """Number of code points that two spans share, 0 where they are apart.

    >>> overlap(Span(0, 5), Span(3, 9))
    2
    >>> overlap(Span(0, 5), Span(5, 9))
    0
    """
    return max(0, min(a.end, b.end) - max(a.start, b.start))


def clip(span: Span, within: Span) -> Span:
    """The part of ``span`` inside ``within``; an empty span at the nearer edge where they are apart.

    >>> clip(Span(2, 20), within=Span(5, 10))
    Span(start=5, end=10)
    >>> clip(Span(12, 20), within=Span(5, 10))
    Span(start=10, end=10)
    """
    start = min(max(span.start, within.start), within.end)
    return Span(start, max(start, min(span.end, within.end)))


def grow(span: Span, before: int, after: int, within: Span) -> Span:
    """Widen ``span`` by ``before`` and ``after`` code points, and stop at the edges of ``within``.

    >>> grow(Span(4, 6), before=3, after=3, within=Span(0, 8))
    Span(start=1, end=8)

    Raises ``ValueError`` where one of them is no whole number of 0 or more.
    """
    checks.whole("before", before, 0)
    checks.whole("after", after, 0)
    return clip(Span(span.start - before, span.end + after), within)


def merge(spans: Iterable[Span], gap: int = 0) -> list[Span]:
    """The union of spans as a sorted list of disjoint, non-empty spans.

    >>> merge([Span(8, 9), Span(0, 3), Span(2, 5)])
    [Span(start=0, end=5), Span(start=8, end=9)]
    >>> merge([Span(0, 3), Span(4, 6)], gap=1)
    [Span(start=0, end=6)]

    Spans that touch, or that lie at most ``gap`` code points apart, become one.

    Raises ``ValueError`` for a ``gap`` that is no whole number of 0 or more.
    """
    checks.whole("gap", gap, 0)
    merged: list[Span] = []
    for start, end in sorted(s for s in spans if s.end > s.start):
        if merged and start <= merged[-1].end + gap:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Span(start, end))
    return merged


def cover(spans: Iterable[Span]) -> int:
    """Number of code points that lie in at least one of the spans.

    >>> cover([Span(0, 5), Span(3, 9)])
    9
    """
    return sum(end - start for start, end in merge(spans))


def subtract(span: Span, taken: Sequence[Span]) -> list[Span]:
    """The parts of ``span`` that lie in none of the ``taken`` spans, in order.

    >>> subtract(Span(0, 10), [Span(2, 4), Span(8, 12)])
    [Span(start=0, end=2), Span(start=4, end=8)]
    """
    left, start = [], span.start
    # Only what lies in the span is merged: of the many that were taken from a document that is next to nothing.
    for other in merge(other for other in taken if other.end > start and other.start < span.end):
        if other.start > start:
            left.append(Span(start, other.start))
        start = other.end
    if start < span.end:
        left.append(Span(start, span.end))
    return left


def trim(text: str, span: Span) -> Span:
    """``span`` without the white space at its two ends; an empty span where it holds nothing else.

    >>> trim("  two words ", Span(0, 12))
    Span(start=2, end=11)
    """
    piece = text[span.start : span.end]
    start = span.start + len(piece) - len(piece.lstrip())
    return Span(start, max(start, span.start + len(piece.rstrip())))
