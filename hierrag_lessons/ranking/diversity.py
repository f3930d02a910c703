"""Diversity: not the best texts, but the best that do not say the same.

Lesson 19 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hierrag_lessons import checks


def mmr(relevance: Sequence[float] | np.ndarray, vectors: np.ndarray, k: int, balance: float = 0.7) -> list[int]:
    """Choose ``k`` of ``n`` texts by maximal marginal relevance (Carbonell and Goldstein, 1998).

    The next text is always the one with the highest ``balance * relevance - (1 - balance) * similarity``, where the
    similarity is that to the most similar text chosen before, and at least 0.

    Parameters
    ----------
    relevance:
        How well each text answers the query, ``n`` finite values; on the scale of the similarities, so cosines.
    vectors:
        Shape ``(n, dim)``, rows of unit length; their products are the similarities.
    k:
        How many to choose, all of them where there are fewer.
    balance:
        From 0, nothing but variety after the first, to 1, nothing but relevance.

    Returns
    -------
    list[int]
        The places of the chosen texts, best first. Of equal ones the earlier place is taken.

    Raises
    ------
    ValueError
        For ``k`` below 1, ``balance`` outside 0 to 1, relevances that do not fit the vectors, and numbers that are not
        finite.
    """
    return [place for place, _ in marginal_relevances(relevance, vectors, k, balance)]


def marginal_relevances(
    relevance: Sequence[float] | np.ndarray, vectors: np.ndarray, k: int, balance: float = 0.7
) -> list[tuple[int, float]]:
    """What :func:`mmr` chooses, each place with the value that it was chosen for; the values never rise."""
    checks.whole("k", k, 1)
    checks.share("balance", balance)
    left, vectors = np.asarray(relevance, dtype=np.float64) * balance, np.asarray(vectors)
    if left.shape != (len(vectors),) or not np.isfinite(left).all():
        raise ValueError(f"relevance has the shape {left.shape} for {len(vectors)} vectors; give a finite value each")
    if not np.isfinite(vectors).all():
        raise ValueError("vectors hold NaN or infinite numbers; leave out the texts that could not be embedded")
    base, nearest = left.copy(), np.zeros(len(left))
    chosen: list[tuple[int, float]] = []
    for _ in range(min(k, len(left))):
        place = int(left.argmax())
        chosen.append((place, float(left[place])))
        nearest = np.maximum(nearest, vectors @ vectors[place])
        left = base - (1 - balance) * nearest
        left[[taken for taken, _ in chosen]] = -np.inf
    return chosen


def check_balance(balance: float) -> None:
    """Raise ``ValueError`` where a balance is not from 0 to 1."""
    if not 0 <= balance <= 1:
        raise ValueError(f"balance is {balance}; give a weight of the relevance from 0 to 1")
