"""Exercise 25.4, the population stability index."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def stability(before: list[float], after: list[float], edges: list[float]) -> float:
    """The population stability index (PSI) of two samples: 0 where both fill the bins alike.

    ``edges`` are sorted and divide the numbers into ``len(edges) + 1`` bins; a value that equals an edge is in the bin
    above it. With half a value added to each bin, p and q are the shares of ``before`` and ``after`` in a bin, and the
    index is the sum of ``(q - p) * log(q / p)``.
    """
    from math import log

    def shares(values: list[float]) -> list[float]:
        counts = [0.5] * (len(edges) + 1)
        for value in values:
            counts[sum(edge <= value for edge in edges)] += 1
        return [count / sum(counts) for count in counts]

    return sum((q - p) * log(q / p) for p, q in zip(shares(before), shares(after), strict=True))


def _bin_by_bin(before: list[float], after: list[float], edges: list[float]) -> float:
    """Oracle: for each bin count both samples again, with the bin's two ends."""
    ends = [-math.inf, *edges, math.inf]
    total = 0.0
    for low, high in pairwise(ends):
        p = (sum(low <= value < high for value in before) + 0.5) / (len(before) + 0.5 * (len(edges) + 1))
        q = (sum(low <= value < high for value in after) + 0.5) / (len(after) + 0.5 * (len(edges) + 1))
        total += q * math.log(q / p) + p * math.log(p / q)
    return total


def _cases(rng: Random) -> Iterator[tuple[list[float], list[float], list[float]]]:
    yield [0.1, 0.2, 0.6, 0.7], [0.1, 0.2, 0.6, 0.7], [0.5]
    yield [0.1, 0.2, 0.6, 0.7], [0.6, 0.7, 0.8, 0.9], [0.5]
    yield [0.1, 0.2, 0.6], [0.1, 0.1, 0.2, 0.2, 0.6, 0.6, 0.6, 0.9], [0.5]
    yield [0.5, 0.25, 0.5], [0.75, 0.5, 0.0], [0.25, 0.5, 0.75]
    yield [0.1, 0.2], [0.9, 0.95, 0.99], [0.5]
    yield [0.1], [0.2], []
    # More below in one half, more above in the other: differences that cancel out where they are only added up.
    yield [0.1, 0.1, 0.1, 0.9], [0.1, 0.9, 0.9, 0.9], [0.5]
    for _ in range(40):
        edges = sorted(rng.sample([0.125, 0.25, 0.375, 0.5, 0.625, 0.75], rng.randrange(1, 5)))
        before, after = ([rng.randrange(9) / 8 for _ in range(rng.randrange(1, 12))] for _ in range(2))
        yield before, after, edges


def _pairs(
    before: list[float], after: list[float], edges: list[float], *, added: float = 0.5
) -> list[tuple[float, float]]:
    bins = len(edges) + 1
    rows = []
    for values in (before, after):
        counts = [added] * bins
        for value in values:
            counts[bisect_right(edges, value)] += 1
        rows.append([count / (len(values) + added * bins) for count in counts])
    return list(zip(*rows, strict=True))


def _counts(before: list[float], after: list[float], edges: list[float]) -> float:
    bins = len(edges) + 1
    p, q = [0.5] * bins, [0.5] * bins
    for counts, values in ((p, before), (q, after)):
        for value in values:
            counts[bisect_right(edges, value)] += 1
    return sum((b - a) * math.log(b / a) for a, b in zip(p, q, strict=True))


def _empty_left_out(before: list[float], after: list[float], edges: list[float]) -> float:
    pairs = _pairs(before, after, edges, added=0.0)
    return sum((q - p) * math.log(q / p) for p, q in pairs if p and q)


def _one_sided(before: list[float], after: list[float], edges: list[float]) -> float:
    return sum(q * math.log(q / p) for p, q in _pairs(before, after, edges))


def _differences(before: list[float], after: list[float], edges: list[float]) -> float:
    return sum(abs(q - p) for p, q in _pairs(before, after, edges))


def _turned_round(before: list[float], after: list[float], edges: list[float]) -> float:
    return -stability(before, after, edges)


def _bins_of_after(before: list[float], after: list[float], edges: list[float]) -> float:
    """Bins of equal width over the new values."""
    low, high = min(after), max(after)
    own = [low + (high - low) * step / (len(edges) + 1) for step in range(1, len(edges) + 1)]
    return stability(before, after, own)


def _base_ten(before: list[float], after: list[float], edges: list[float]) -> float:
    return stability(before, after, edges) / math.log(10)


def _mean_of_bins(before: list[float], after: list[float], edges: list[float]) -> float:
    return stability(before, after, edges) / (len(edges) + 1)


STABILITY = Exercise(
    id="25.4",
    title="A number for drift",
    solution=stability,
    oracle=_bin_by_bin,
    cases=_cases,
    hints=(
        "Count both samples into the same bins. The number of a bin is how many edges are at most the value.",
        "Add 0.5 to each count first, and divide by the sum of all counts of that sample. So no share is 0.",
        "Sum `(q - p) * log(q / p)` over the bins: where q is larger both factors are positive, where it is "
        "smaller both are negative.",
    ),
    mistakes=(
        Mistake(
            _counts,
            "You compared counts. The samples can have different sizes: divide by the sum, half values included.",
        ),
        Mistake(
            _empty_left_out,
            "You left out empty bins. A bin that empties or fills for the first time is what drift looks like: add "
            "half a value to each bin.",
        ),
        Mistake(
            _one_sided,
            "That is the sum of q · log(q / p) alone, the Kullback-Leibler divergence. The index adds the other "
            "direction: (q − p) · log(q / p).",
        ),
        Mistake(_differences, "You added up differences. The index weighs each with the logarithm of q / p."),
        Mistake(_turned_round, "The sign is turned round. The index is never below 0."),
        Mistake(
            _bins_of_after,
            "You made new bins from the new values. Use the edges that are given, for both samples: they come from "
            "the time before.",
        ),
        Mistake(_base_ten, "You took the logarithm to base 10. The natural one is meant."),
        Mistake(_mean_of_bins, "You divided by the number of bins. The index is the sum over the bins."),
    ),
)
