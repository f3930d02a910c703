"""What a parent is worth: rules that make one score of the scores, or the ranks, of its children that were hit.

Lesson 14 builds it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from hierrag_lessons.model import Hit

ParentScore = Literal["weighted", "density", "reciprocal_rank"]


def weighted_score(scores: Sequence[float], children: int, alpha: float = 0.7, coverage: float = 0.0) -> float:
    """``alpha * max + (1 - alpha) * mean + coverage * share``, the share being ``len(scores) / children``.

    ``scores`` are those of the children that were hit, at least one, and ``children`` is the number of all children of
    the parent. The result has the unit of the scores, so weigh scores of one scale only.

    Formula: Dewu Tech, "RAG: Chunking" (in Chinese), which gives no numbers for it. The code beside it is another rule,
    ``0.7 * max + 0.3 * share`` without the mean: ``alpha=1, coverage=3 / 7`` orders parents as that does.

    The coverage is 0 here, because the cosines of two good hits differ by hundredths, and the share of an only child
    is always 1. So at 0.3 the parent of a poor only child beats one in which three of eight were found, all better:

    >>> weighted_score([0.41], 1, coverage=0.3) > weighted_score([0.58, 0.50, 0.45], 8, coverage=0.3)
    True
    >>> weighted_score([0.41], 1) > weighted_score([0.58, 0.50, 0.45], 8)
    False
    """
    mean = math.fsum(scores) / len(scores)
    return alpha * max(scores) + (1 - alpha) * mean + coverage * len(scores) / children


def density_score(scores: Sequence[float], length: int) -> float:
    """``sum(exp(score)) / length``: what was hit, for each character of the parent.

    ``length`` is the parent's number of characters, at least 1, so the unit is 1 / character. A long parent that
    collects many hits only because it is long gains nothing by it. Formula: as for :func:`weighted_score`.
    """
    return math.fsum(math.exp(score) for score in scores) / length


def reciprocal_rank_score(ranks: Sequence[int], constant: int = 0) -> float:
    """The sum of ``1 / (constant + rank)`` over the children that were hit, ranks counted from 1.

    No score enters, so it needs no scale. It is reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009) with
    each child a voter for its parent. Their constant is 60, for a few rankings. Here a parent has as many votes as
    children found: with 60 the first place counts 1/61 and the thirtieth 1/90, so nearly only their number counts.

    >>> reciprocal_rank_score([1], 60) > reciprocal_rank_score([29, 30], 60)
    False
    >>> reciprocal_rank_score([1]) > reciprocal_rank_score([29, 30])
    True
    """
    return math.fsum(1 / (constant + rank) for rank in ranks)


def relative_to_best(hits: Sequence[Hit]) -> list[float]:
    """Scores that have no scale of their own, such as BM25, as parts of the query's best, which is above 0."""
    return [hit.score / hits[0].score for hit in hits]
