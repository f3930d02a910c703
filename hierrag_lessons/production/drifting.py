"""Drift: today's questions, scores or answers are not those of the month when the system was tried.

Lesson 25 builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.evaluation import holm
from hierrag_lessons.evaluation.verdicts import SHOWN
from hierrag_lessons.production.watching import QueryRecord

_NUMBERS: Mapping[str, Callable[[QueryRecord], float]] = {
    "best score": lambda record: record.best,
    "question tokens": lambda record: record.question_tokens,
    "context tokens": lambda record: record.tokens,
    "passages cut": lambda record: record.cut,
    "milliseconds": lambda record: record.milliseconds,
}
_SHARES: Mapping[str, Callable[[QueryRecord], bool]] = {
    "refused": lambda record: record.refused,
    "nothing found": lambda record: record.empty,
}


@dataclass(frozen=True, slots=True)
class Drift:
    """One thing that is watched, before and after.

    Attributes
    ----------
    name:
        What is watched.
    before, after:
        Its means; of a yes or no the shares.
    index:
        The population stability index.
    noise:
        What that index is on average where nothing has changed, with so many records: a smaller sample jumps more.
    limit:
        What it stays below in 19 of 20 such quiet months, about.
    p:
        Of the test that both come from the same distribution, adjusted after Holm over everything that is watched.
    """

    name: str
    before: float
    after: float
    index: float
    noise: float
    limit: float
    p: float

    @property
    def shown(self) -> bool:
        """Whether a change is shown: the adjusted p-value is below 0.05."""
        return self.p < SHOWN


def stability_index(before: Sequence[float], after: Sequence[float], bins: int = 10) -> float:
    """How far a distribution has moved: the population stability index (PSI).

    >>> stability_index([1, 2, 3, 4] * 25, [1, 2, 3, 4] * 25)
    0.0
    >>> round(stability_index([1, 2, 3, 4] * 25, [3, 4, 4, 4] * 25, bins=4), 2)
    2.46

    Both samples are counted in bins that hold equal shares of ``before``; the index is the sum over the bins of
    ``(a - b) * ln(a / b)`` with their shares (Siddiqi, *Credit Risk Scorecards*, 2006, whose rule of thumb reads 0.1 as
    a small and 0.25 as a large change). Half an observation is added to each bin, so that an empty one is no infinity.

    Parameters
    ----------
    before, after:
        Numbers, at least one each.
    bins:
        How many; fewer are used where values are equal.

    Raises ``ValueError`` for an empty list, what is no number, and fewer than two bins.
    """
    checks.whole("bins", bins, 2)
    old, new = _numbers("before", before), _numbers("after", after)
    counts = [_counts(values, _edges(old, bins)) + 0.5 for values in (old, new)]
    b, a = (count / count.sum() for count in counts)
    return float(((a - b) * np.log(a / b)).sum())


def drift(before: Iterable[QueryRecord], after: Iterable[QueryRecord], bins: int = 10) -> list[Drift]:
    """Everything that is watched, compared between two stretches of the log.

    Numbers are compared by the two-sample test of Kolmogorov and Smirnov, shares by Fisher's exact test. A test asks
    whether there is a change; the index says how large it is. Records of one question asked twice are not independent,
    so keep one of each where a few questions make up the log.

    Parameters
    ----------
    before, after:
        Records, at least two each.
    bins:
        As in :func:`stability_index`.

    Returns
    -------
    One :class:`Drift` for each thing that is watched, in a fixed order.

    Raises ``ValueError`` for fewer than two records, and fewer than two bins.
    """
    from scipy.stats import fisher_exact, ks_2samp

    old, new = checks.each("before", before, QueryRecord), checks.each("after", after, QueryRecord)
    checks.whole("bins", bins, 2)
    for name, records in (("before", old), ("after", new)):
        if len(records) < 2:
            raise ValueError(f"{name} has {len(records)} records; give two at least, some hundreds to see anything")
    watched: list[tuple[str, list[float], list[float], float]] = []
    for name, number in _NUMBERS.items():
        a, b = ([float(number(record)) for record in records] for records in (old, new))
        watched.append((name, a, b, float(ks_2samp(a, b).pvalue)))
    for name, share in _SHARES.items():
        a, b = ([float(share(record)) for record in records] for records in (old, new))
        table = [[sum(own), len(own) - sum(own)] for own in (a, b)]
        watched.append((name, a, b, float(fisher_exact(table)[1])))
    adjusted = holm([min(1.0, p) for *_, p in watched])
    return [
        Drift(name, float(np.mean(a)), float(np.mean(b)), stability_index(a, b, bins), *_quiet(a, b, bins), p)
        for (name, a, b, _), p in zip(watched, adjusted, strict=True)
    ]


def _quiet(before: Sequence[float], after: Sequence[float], bins: int) -> tuple[float, float]:
    """The index without a change, its mean and its 95 % point: (1 / n + 1 / m) times a chi-square of bins - 1."""
    from scipy.stats import chi2

    free, scale = len(_edges(np.asarray(before), bins)), 1 / len(before) + 1 / len(after)
    return free * scale, (float(chi2.ppf(0.95, free)) * scale if free else 0.0)


def _edges(before: np.ndarray, bins: int) -> np.ndarray:
    """The upper ends of all bins but the last."""
    edges = np.unique(np.quantile(before, np.linspace(0, 1, bins + 1)[1:-1], method="lower"))
    return edges[edges < before.max()] if before.min() < before.max() else edges


def _counts(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.bincount(np.searchsorted(edges, values, side="left"), minlength=len(edges) + 1).astype(float)


def _numbers(name: str, values: Sequence[float]) -> np.ndarray:
    given = checks.each(name, values, object)
    if not given:
        raise ValueError(f"{name} is empty; give at least one number")
    for place, value in enumerate(given):
        checks.number(f"{name}[{place}]", value)
    return np.asarray(given, dtype=float)
