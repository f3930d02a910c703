"""Fusion: one ranking from several.

Lesson 19 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hierrag_lessons import checks


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], constant: int = 60) -> dict[str, float]:
    """Score ids that stand in one or more rankings: the sum of ``1 / (constant + rank)``, ranks counted from 1.

    >>> scores = reciprocal_rank_fusion([["a", "b", "c"], ["b", "d"]])
    >>> sorted(scores, key=scores.get, reverse=True)
    ['b', 'a', 'd', 'c']

    Method and the constant 60: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion", SIGIR 2009.

    Raises ``ValueError`` for a ranking that is no list of ids, and for a constant below 0.
    """
    checks.whole("constant", constant, 0)
    scores: dict[str, float] = {}
    for place, ranking in enumerate(checks.each("rankings", rankings, object)):
        for rank, name in enumerate(checks.texts(f"rankings[{place}]", ranking), start=1):
            scores[name] = scores.get(name, 0.0) + 1 / (constant + rank)
    return scores


def score_of_missing(ranking: Mapping[str, float], is_whole: bool) -> float:
    """What an id counts that a search did not find: its lowest score, or 0 where it holds all that have a word of it.

    >>> score_of_missing({"a": 7.0, "b": 2.5}, is_whole=False), score_of_missing({"a": 7.0, "b": 2.5}, is_whole=True)
    (2.5, 0.0)
    """
    return 0.0 if is_whole or not ranking else min(ranking.values())


def min_max_scaling(scores: Sequence[float]) -> list[float]:
    """Scores of any range, below 0 too, as numbers from 0, the worst, to 1, the best; 1 where all are equal.

    >>> min_max_scaling([3.0, -1.0, 0.0])
    [1.0, 0.0, 0.25]
    >>> min_max_scaling([7.0, 7.0])
    [1.0, 1.0]
    """
    worst, best = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - worst) / (best - worst) if best > worst else 1.0 for score in scores]


def z_score_fusion(rankings: Sequence[Mapping[str, float]], missing: Sequence[float] | None = None) -> dict[str, float]:
    """Score ids that stand in one or more rankings: the sum of their standardised scores.

    >>> scores = z_score_fusion([{"a": 0.9, "b": 0.5, "c": 0.4}, {"b": 7.0, "a": 6.0}])
    >>> {name: round(score, 2) for name, score in scores.items()}
    {'a': 0.68, 'b': 0.95, 'c': -1.63}

    Each ranking is brought to mean 0 and standard deviation 1 over *all* ids, then added up. Unlike ranks, that keeps
    how far apart two hits are: a first place with a large lead counts more than one with a small lead.

    An id that a ranking lacks counts there as ``missing`` says, before the ranking is standardised. So one hit alone
    stands out from all the ids that were not found. A ranking in which all ids have the same score, found or missing,
    tells them not apart and gives each of them 0.

    Parameters
    ----------
    rankings:
        Id to score, higher is better, on any scale; each ranking has its own.
    missing:
        For each ranking, the score of an id that it lacks; by default its lowest. For BM25 it is 0 where the search
        was not cut off: what was not found has no word of the query.

    Returns
    -------
    dict[str, float]
        In the order in which the rankings first name the ids.

    Raises
    ------
    ValueError
        Where a ranking is no mapping, a score is not finite, or ``missing`` has not one value for each ranking.
    """
    rankings = checks.each("rankings", rankings, Mapping)
    ids = list(dict.fromkeys(name for ranking in rankings for name in ranking))
    if missing is None:
        missing = [min(ranking.values(), default=0.0) for ranking in rankings]
    if len(missing) != len(rankings):
        raise ValueError(f"missing has {len(missing)} values for {len(rankings)} rankings; give one for each")
    total = np.zeros(len(ids))
    for ranking, absent in zip(rankings, missing, strict=True):
        scores = np.array([ranking.get(name, absent) for name in ids], dtype=np.float64)
        if not np.isfinite(scores).all():
            raise ValueError("a ranking holds a score that is NaN or infinite; leave such hits out")
        # The computed deviation of equal numbers need not be exactly 0, so they are compared themselves.
        if scores.size and scores.max() > scores.min():
            scaled = (scores - scores.min()) / (scores.max() - scores.min())
            total += (scaled - scaled.mean()) / scaled.std()
    return dict(zip(ids, total.tolist(), strict=True))
