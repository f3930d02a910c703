"""Exercise 09.2, the threshold that divides the development texts best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from statistics import fmean, pstdev

import numpy as np

from hierrag_lessons.evaluation import pk, window_diff
from hierrag_lessons.exercises.exercise import Exercise, Mistake

Texts = list[tuple[list[float], list[int]]]


def best_level(texts: list[tuple[list[float], list[int]]], levels: list[float]) -> float:
    """The level with the lowest mean WindowDiff; the highest one among equals."""

    def cost(level: float) -> float:
        found = []
        for scores, starts in texts:
            gaps = np.array(scores[1:])
            limit = gaps.mean() + level * gaps.std()
            cuts = [i for i in range(1, len(scores)) if scores[i] > limit]
            found.append(window_diff(len(scores), starts, cuts))
        return round(float(np.mean(found)), 6)

    return min(levels, key=lambda level: (cost(level), -level))


def _by_windows(texts: Texts, levels: list[float]) -> float:
    """Oracle: every window is counted out, without NumPy and without the package's measure."""
    best, lowest = levels[0], float("inf")
    for level in sorted(levels, reverse=True):
        costs = []
        for scores, starts in texts:
            mean, spread, n = fmean(scores[1:]), pstdev(scores[1:]), len(scores)
            true, found = {start for start in starts if start}, set()
            for i in range(1, n):
                if scores[i] > mean + level * spread:
                    found.add(i)
            k = max(1, round(n / (len(true) + 1) / 2))
            windows = [range(i + 1, i + k + 1) for i in range(n - k)]
            wrong = [sum(i in true for i in window) != sum(i in found for i in window) for window in windows]
            costs.append(sum(wrong) / len(wrong))
        cost = round(sum(costs) / len(costs), 6)
        if cost < lowest:
            best, lowest = level, cost
    return best


def _cases(rng: Random) -> Iterator[tuple[Texts, list[float]]]:
    yield [([0.0, 0.1, 0.9, 0.1], [0, 2])], [0.5, 3.0]
    yield [([0.0, 0.1, 0.9, 0.1], [0, 2])], [0.5, 1.0]
    yield [([0.0, 0.5, 0.9, 0.1, 0.1, 0.5], [0, 2])], [0.0, 1.0]
    yield [([0.0, 0.6, 0.6, 0.9, 0.6, 0.6, 0.9, 0.8], [0, 3, 6])], [0.0, 0.5, 1.0, 1.5]
    yield [([0.0, 0.5, 0.9, 0.5, 0.5], [0, 2]), ([0.0, 0.1, 0.2, 0.1, 0.1], [0, 2])], [0.0, 1.0, 2.0]
    yield [([0.0, 0.0, 1.0, 0.0, 1.0], [0, 2, 4])], [0.5, 1.0]
    for _ in range(40):
        texts = []
        for _ in range(rng.randrange(1, 4)):
            n, base = rng.randrange(6, 14), rng.randrange(1, 6)
            starts = [0, *sorted(rng.sample(range(2, n - 1), rng.randrange(1, 3)))]
            texts.append(([0.0, *((base + rng.randrange(5) + 3 * (i in starts)) / 8 for i in range(1, n))], starts))
        yield texts, rng.sample([0.0, 0.4, 0.8, 1.2, 1.6, 2.0], 4)


def _search(
    texts: Texts,
    levels: list[float],
    *,
    first: int = 1,
    measure: Callable[..., float] = window_diff,
    one_threshold: bool = False,
    by_length: bool = False,
    lowest: bool = False,
    deviation: Callable[..., float] = np.std,
    middle: Callable[..., float] = np.mean,
    above: Callable[[float, float], bool] = lambda score, limit: score > limit,
    late: int = 0,
) -> float:
    """The solution with one thing changed."""
    together = np.concatenate([scores[1:] for scores, _ in texts])

    def cost(level: float) -> float:
        found, weights = [], []
        for scores, starts in texts:
            gaps = together if one_threshold else np.array(scores[first:])
            limit = middle(gaps) + level * deviation(gaps)
            cuts = [i - late for i in range(1, len(scores)) if above(scores[i], limit)]
            found.append(measure(len(scores), starts, cuts))
            weights.append(len(scores) if by_length else 1)
        return round(float(np.average(found, weights=weights)), 6)

    return min(levels, key=lambda level: (cost(level), level if lowest else -level))


def _with_the_first_score(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, first=0)


def _one_threshold(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, one_threshold=True)


def _by_pk(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, measure=pk)


def _highest_cost(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, measure=lambda *case: -window_diff(*case))


def _lowest_of_equals(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, lowest=True)


def _right_number(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, measure=lambda n, starts, cuts: abs(len(starts) - 1 - len(cuts)))


def _only_the_first_text(texts: Texts, levels: list[float]) -> float:
    return _search(texts[:1], levels)


def _at_the_threshold(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, above=lambda score, limit: score >= limit)


def _sample_deviation(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, deviation=lambda gaps: gaps.std(ddof=1))


def _one_early(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, late=1)


def _absolute(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, middle=lambda gaps: 0.0, deviation=lambda gaps: 1.0)


def _median(texts: Texts, levels: list[float]) -> float:
    return _search(texts, levels, middle=np.median)


def _first_of_equals(texts: Texts, levels: list[float]) -> float:
    return min(levels, key=lambda level: _search_cost(texts, level))


def _search_cost(texts: Texts, level: float) -> float:
    costs = []
    for scores, starts in texts:
        limit = np.mean(scores[1:]) + level * np.std(scores[1:])
        cuts = [i for i in range(1, len(scores)) if scores[i] > limit]
        costs.append(window_diff(len(scores), starts, cuts))
    return round(float(np.mean(costs)), 6)


BEST_LEVEL = Exercise(
    id="09.2",
    title="Choose the threshold",
    solution=best_level,
    oracle=_by_windows,
    cases=_cases,
    hints=(
        "What does one level cost on one text? Write that first: the threshold of this text, its cuts, one call of "
        "window_diff.",
        "gaps = np.array(scores[1:]); the threshold is gaps.mean() + level * gaps.std(). The score before the first "
        "sentence is no gap.",
        "The cost of a level is the mean over the texts. Take min(levels, key=...) with a pair as key: the rounded "
        "cost, then -level, so that the highest level comes first among equals.",
    ),
    mistakes=(
        Mistake(
            _with_the_first_score,
            "The 0 before the first sentence is in the mean. It is no gap, and it shifts every threshold.",
        ),
        Mistake(
            _one_threshold,
            "One threshold for all texts together. Each text has a scale of its own, so each has its own mean and "
            "standard deviation.",
        ),
        Mistake(
            _by_pk,
            "This looks like Pk. It does not count a second cut beside a true border; WindowDiff does.",
        ),
        Mistake(
            _highest_cost,
            "WindowDiff is an error: the lowest is the best.",
        ),
        Mistake(
            _lowest_of_equals,
            "Among equal levels the highest one is asked for: it makes no more cuts than the others.",
        ),
        Mistake(
            _right_number,
            "This looks for the right number of cuts. As many cuts as borders can all be at wrong places.",
        ),
        Mistake(
            _only_the_first_text,
            "Only the first text decides. Take the mean over all of them.",
        ),
        Mistake(
            _at_the_threshold,
            "A score that is equal to the threshold is a cut in your code. The text is cut where it is *above*.",
        ),
        Mistake(
            _sample_deviation,
            "This looks like a standard deviation with ddof=1, as that of `statistics.stdev` and pandas. `np.std` "
            "divides by the number of gaps.",
        ),
        Mistake(
            _one_early,
            "Every cut is one sentence early: `enumerate(scores[1:])` counts from 0, and the first gap is number 1.",
        ),
        Mistake(
            _absolute,
            "The level is used as the threshold itself. It counts standard deviations above the mean of the text's "
            "gaps.",
        ),
        Mistake(_median, "The threshold starts from the median here. It is the mean of the gaps."),
        Mistake(
            _first_of_equals,
            "Among equal levels the first one of the list wins here. Take the highest.",
        ),
    ),
)
