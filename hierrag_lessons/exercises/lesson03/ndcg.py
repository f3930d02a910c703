"""Exercise 03.2, nDCG at k."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def ndcg_at(gains: list[int], missed: list[int], k: int) -> float:
    """Discounted gain of the first ``k`` passages, divided by that of the best order of everything there is."""

    def dcg(values: list[int]) -> float:
        return sum(value / log2(rank + 1) for rank, value in enumerate(values[:k], start=1))

    return dcg(gains) / dcg(sorted(gains + missed, reverse=True))


def _ndcg_step_by_step(gains: list[int], missed: list[int], k: int) -> float:
    """Oracle: take the largest gain that is left, again and again."""
    left, actual, ideal = [*gains, *missed], 0.0, 0.0
    for place in range(min(k, len(left))):
        weight = 1 / log2(place + 2)
        actual += weight * (gains[place] if place < len(gains) else 0)
        best = max(left)
        left.remove(best)
        ideal += weight * best
    return actual / ideal


def _gains(rng: Random) -> Iterator[tuple[list[int], list[int], int]]:
    yield [10], [], 1
    yield [0, 10], [], 2
    yield [0, 0, 10], [], 2
    yield [10], [10], 2
    yield [0, 5, 0, 20], [30], 3
    for _ in range(30):
        gains = [rng.choice((0, 0, 1, 2, 5, 10)) for _ in range(rng.randrange(1, 6))]
        yield gains, [rng.randrange(1, 12) for _ in range(rng.randrange(1, 3))], rng.randrange(1, 6)


def _ideal_of_what_was_returned(gains: list[int], missed: list[int], k: int) -> float:
    def dcg(values: list[int]) -> float:
        return sum(value / log2(rank + 1) for rank, value in enumerate(values[:k], start=1))

    ideal = dcg(sorted(gains, reverse=True))
    return dcg(gains) / ideal if ideal else 0.0


def _ideal_of_the_top(gains: list[int], missed: list[int], k: int) -> float:
    def dcg(values: list[int]) -> float:
        return sum(value / log2(rank + 1) for rank, value in enumerate(values[:k], start=1))

    ideal = dcg(sorted(gains[:k], reverse=True))
    return dcg(gains) / ideal if ideal else 0.0


def _no_discount(gains: list[int], missed: list[int], k: int) -> float:
    return sum(gains[:k]) / sum(sorted(gains + missed, reverse=True)[:k])


def _reciprocal_discount(gains: list[int], missed: list[int], k: int) -> float:
    def dcg(values: list[int]) -> float:
        return sum(value / rank for rank, value in enumerate(values[:k], start=1))

    return dcg(gains) / dcg(sorted(gains + missed, reverse=True))


def _ideal_not_cut(gains: list[int], missed: list[int], k: int) -> float:
    def dcg(values: list[int]) -> float:
        return sum(value / log2(rank + 1) for rank, value in enumerate(values, start=1))

    return dcg(gains[:k]) / dcg(sorted(gains + missed, reverse=True))


def _logarithm_of_the_rank(gains: list[int], missed: list[int], k: int) -> float:
    def dcg(values: list[int]) -> float:
        return sum(value / log2(rank) for rank, value in enumerate(values[:k], start=1))

    return dcg(gains) / dcg(sorted(gains + missed, reverse=True))


def _smallest_first(gains: list[int], missed: list[int], k: int) -> float:
    def dcg(values: list[int]) -> float:
        return sum(value / log2(rank + 1) for rank, value in enumerate(values[:k], start=1))

    ideal = dcg(sorted(gains + missed))
    return dcg(gains) / ideal if ideal else 0.0


NDCG = Exercise(
    id="03.2",
    title="nDCG at k",
    solution=ndcg_at,
    oracle=_ndcg_step_by_step,
    cases=_gains,
    hints=(
        "Write a small function that gives the discounted gain of a list, and call it twice.",
        "The passage at rank 1 is divided by log2(2), which is 1; at rank 2 by log2(3).",
        "The ideal list is `sorted(gains + missed, reverse=True)`. Both lists are cut after `k`.",
    ),
    mistakes=(
        Mistake(
            _ideal_of_what_was_returned,
            "The ideal list has only what was returned, so a retriever that finds one crumb and misses the rest can "
            "score 1. The missed gold belongs into the ideal list.",
        ),
        Mistake(
            _ideal_of_the_top,
            "The ideal list is the top k in better order. It must have everything there is to find: what stands below "
            "rank k and what was missed.",
        ),
        Mistake(
            _no_discount,
            "Rank makes no difference here: a gain at rank 5 counts as much as at rank 1. Divide each by "
            "log2(rank + 1).",
        ),
        Mistake(
            _reciprocal_discount,
            "Each gain is divided by its rank. That is the discount of MRR; nDCG divides by log2(rank + 1), which "
            "falls more slowly.",
        ),
        Mistake(
            _ideal_not_cut,
            "The ideal list is longer than k, so even a perfect top k stays below 1. Cut both lists after k.",
        ),
        Mistake(
            _logarithm_of_the_rank,
            "At rank 1 this divides by log2(1), which is 0. Counting from 1, the divisor is log2(rank + 1).",
        ),
        Mistake(
            _smallest_first,
            "`sorted` puts the smallest gain first, so the ideal list is the worst order of all. Sort with "
            "`reverse=True`.",
        ),
    ),
)
