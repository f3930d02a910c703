"""Fusion: one ranking from several."""

from __future__ import annotations

from collections.abc import Sequence


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], constant: int = 60) -> dict[str, float]:
    """Score ids that stand in one or more rankings: the sum of ``1 / (constant + rank)``, ranks counted from 1.

    Method and the constant 60: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion", SIGIR 2009.
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking, start=1):
            scores[name] = scores.get(name, 0.0) + 1 / (constant + rank)
    return scores
