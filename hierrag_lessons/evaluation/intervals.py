"""How sure a mean is: bootstrap intervals, and a paired test for two methods on the same questions.

Lesson 03 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks

# Resamples are drawn in blocks of about this many numbers, so that memory stays small for any number of questions.
_BLOCK = 2_000_000


class Interval(NamedTuple):
    """The two ends of a confidence interval."""

    low: float
    high: float


def bootstrap_interval(
    values: Sequence[float], level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Percentile bootstrap interval of a mean (Efron, "Bootstrap methods: another look at the jackknife", 1979).

    Draw as many values as there are, with replacement, and take their mean; do so ``resamples`` times. The interval
    holds the middle ``level`` of these means. One value, or equal values, give an interval of no width: the bootstrap
    only knows the spread that it sees.

    Parameters
    ----------
    values:
        One number a question.
    level:
        Share of the resampled means inside the interval, between 0 and 1.
    resamples:
        Number of resamples, at least 1.
    seed:
        Seed of the random numbers; the same seed gives the same interval.

    Raises
    ------
    ValueError
        Where ``values`` is empty or holds NaN or an infinity, or ``level`` or ``resamples`` is out of range.
    """
    sample = _checked("values", values)
    checks.share("level", level)
    if level in (0, 1):
        raise ValueError(f"level is {level}; give a share between 0 and 1, for example 0.95")
    checks.whole("resamples", resamples, 1)
    checks.whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    means = np.concatenate(
        [sample[rng.integers(0, sample.size, (n, sample.size))].mean(axis=1) for n in _blocks(resamples, sample.size)]
    )
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def paired_difference(
    a: Sequence[float], b: Sequence[float], level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Percentile bootstrap interval of ``mean(a) - mean(b)``, where ``a[i]`` and ``b[i]`` belong to one question.

    Questions are resampled, each with its two values together, so hard and easy questions do not widen the interval.
    Raises ``ValueError`` as :func:`bootstrap_interval` does, and where the lengths differ.
    """
    return bootstrap_interval(_differences(a, b).tolist(), level, resamples, seed)


def paired_test(a: Sequence[float], b: Sequence[float], resamples: int = 10_000, seed: int = 0) -> float:
    """Two-sided p-value of Fisher's paired randomisation test (Fisher 1935; for retrieval, Smucker et al. 2007).

    If two methods were equally good, each question's difference could as well have had the other sign. The p-value
    is the share of sign patterns whose mean difference is at least as far from 0 as the one observed. Where
    ``2**n <= resamples``, with ``n`` the number of questions that differ, all patterns are counted and the value is
    exact. Otherwise ``resamples`` random patterns are drawn, and the observed one is counted with them, so that the
    value is never 0 (Phipson and Smyth 2010).

    Parameters
    ----------
    a, b:
        One number a question, in the same order of questions.
    resamples:
        Number of random sign patterns, at least 1.
    seed:
        Seed of the random patterns.

    Raises
    ------
    ValueError
        Where ``a`` and ``b`` differ in length, are empty or hold NaN or an infinity, or ``resamples`` is below 1.
    """
    checks.whole("resamples", resamples, 1)
    checks.whole("seed", seed, 0)
    differences = _differences(a, b)
    differences = differences[differences != 0]  # a zero is the same with either sign
    total = differences.sum()
    # Sums of the same numbers in another order differ by rounding; they still count as equal.
    threshold = abs(total) - 1e-12 * np.abs(differences).sum()

    def extreme(flips: NDArray[np.int8]) -> int:
        return int((np.abs(total - 2 * (flips @ differences)) >= threshold).sum())

    n = differences.size
    blocks = _blocks(resamples, max(n, 1))
    if n < 63 and 2**n <= resamples:
        return extreme(((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.int8)) / float(2**n)
    rng = np.random.default_rng(seed)
    count = sum(extreme(rng.integers(0, 2, (rows, n), dtype=np.int8)) for rows in blocks)
    return (1 + count) / (1 + resamples)


def _checked(name: str, values: Sequence[float]) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {values!r}; give a list of numbers") from None
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has the shape {array.shape}; give a flat list of at least one number")
    if not np.isfinite(array).all():
        place = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name}[{place}] is {array[place]}; leave out questions for which the measure is undefined")
    return array


def _differences(a: Sequence[float], b: Sequence[float]) -> NDArray[np.float64]:
    first, second = _checked("a", a), _checked("b", b)
    if first.size != second.size:
        raise ValueError(f"a has {first.size} values and b has {second.size}; a paired test needs the same questions")
    return first - second


def _blocks(resamples: int, size: int) -> Iterator[int]:
    step = max(1, _BLOCK // size)
    return iter([min(step, resamples - done) for done in range(0, resamples, step)])
