"""Rulers measure the spans of one text.

Lesson 01 uses it.

Sizes in this course are counted by a *measure*, any function from a string to an integer: ``count_tokens``, or ``len``
for characters. A *ruler* answers the questions that every chunker asks of a text: how large is this span, and how far
can a chunk reach from here?
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Protocol

from hierrag_lessons import checks
from hierrag_lessons.text.graphemes import at_least_a_cluster, snap, snap_forward
from hierrag_lessons.text.token_ruler import TokenRuler
from hierrag_lessons.text.tokens import Measure, TokenCounter


class Ruler(Protocol):
    """Measures spans of one text."""

    def size(self, start: int, end: int) -> int:
        """The measure of ``text[start:end]``, exactly as if it were measured on its own."""
        ...

    def sizes(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        """The ``size`` of each span."""
        ...

    def before(self, positions: Sequence[int]) -> Sequence[int]:
        """How much lies before each of the ascending positions, counted from anywhere.

        The difference of two of them is close to ``size`` between the two, and costs next to nothing.
        """
        ...

    def reach(self, start: int, end: int, limit: int) -> int:
        """How far a chunk from ``start`` can go: the last permitted cut up to ``end`` with ``size`` at most ``limit``.

        A cut is permitted where :func:`snap` permits it. Where not even one cluster fits, its end is returned.
        """
        ...

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """How far a piece that stops at ``end`` can go back: the first permitted cut from which it fits the limit.

        Where not even one cluster fits, ``end`` is returned.
        """
        ...


class CharacterRuler:
    """A ruler for ``len``: the size of a span is the number of its code points."""

    def __init__(self, text: str) -> None:
        self.text = text

    def size(self, start: int, end: int) -> int:
        """``end - start``."""
        return end - start

    def sizes(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        """``end - start`` of each span."""
        return [end - start for start, end in spans]

    def before(self, positions: Sequence[int]) -> Sequence[int]:
        """The positions themselves."""
        return positions

    def reach(self, start: int, end: int, limit: int) -> int:
        """See :meth:`Ruler.reach`."""
        return at_least_a_cluster(self.text, start, end, snap(self.text, min(end, start + limit), start))

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """See :meth:`Ruler.reach_back`."""
        return snap_forward(self.text, start, max(start, end - limit))


class MeasureRuler:
    """A ruler for any measure that does not shrink when a text grows; each question measures a few slices."""

    def __init__(self, text: str, measure: Measure) -> None:
        self.text, self.measure = text, measure

    def size(self, start: int, end: int) -> int:
        """The measure of ``text[start:end]``."""
        return self.measure(self.text[start:end])

    def sizes(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        """The measure of each span."""
        return [self.size(start, end) for start, end in spans]

    def before(self, positions: Sequence[int]) -> Sequence[int]:
        """See :meth:`Ruler.before`; each stretch between two neighbours is measured once."""
        return list(accumulate(self.sizes(list(pairwise(positions))), initial=0))

    def reach(self, start: int, end: int, limit: int) -> int:
        """See :meth:`Ruler.reach`; found by doubling the span until it is too large, then by bisection."""
        fits, step = start, max(1, limit)
        while fits + step < end and self.size(start, fits + step) <= limit:
            fits, step = fits + step, step * 2
        too_far = min(end, fits + step) + 1
        while too_far - fits > 1:
            middle = (fits + too_far) // 2
            if self.size(start, middle) <= limit:
                fits = middle
            else:
                too_far = middle
        return at_least_a_cluster(self.text, start, end, snap(self.text, fits, start))

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """See :meth:`Ruler.reach_back`; found by bisection."""
        too_long, fits = start - 1, end
        while fits - too_long > 1:
            middle = (too_long + fits) // 2
            if self.size(middle, end) <= limit:
                fits = middle
            else:
                too_long = middle
        return snap_forward(self.text, start, fits)


def make_ruler(text: str, measure: Measure) -> Ruler:
    """The fastest ruler for a text and a measure; the last few are kept, since a hierarchy asks for the same again.

    Raises ``ValueError`` where the text is none, or the measure cannot be called.
    """
    checks.text("text", text)
    checks.measure("measure", measure)
    return _kept_ruler(text, measure)


@lru_cache(maxsize=8)
def _kept_ruler(text: str, measure: Measure) -> Ruler:
    if isinstance(measure, TokenCounter):
        return TokenRuler(text, measure.encoding)
    if measure is len:
        return CharacterRuler(text)
    return MeasureRuler(text, measure)
