"""From the scores of units to passages: sentences lifted towards their leaf, new words first, neighbours joined.

Lesson 20 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

FIRST = 40
"""How many of the best are picked one after the other, each for the words that are still missing."""


class Scored(NamedTuple):
    """A unit by its place in the index, and the score by which it was taken."""

    place: int
    score: float


def lifted(scores: np.ndarray, leaf_of: np.ndarray, lift: float) -> np.ndarray:
    """Each unit's score, brought by the share ``lift`` of the way up to the best of its leaf.

    >>> lifted(np.array([0.9, 0.3, 0.6]), np.array([0, 0, 1]), 0.5).round(2).tolist()
    [0.9, 0.6, 0.6]

    At 0 sentences come back, at 1 whole leaves, in the order of their best sentence.
    """
    best = np.full(int(leaf_of.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, leaf_of, scores)
    raised: np.ndarray = (1 - lift) * scores + lift * best[leaf_of]
    return raised


def best_first(places: np.ndarray, scores: np.ndarray, leaf_of: np.ndarray, most: int) -> list[Scored]:
    """The ``most`` best of the units at ``places``, with their scores and leaves; equal scores leaf by leaf."""
    if most < len(places):
        least = np.partition(scores, len(places) - most)[len(places) - most]
        near = np.flatnonzero(scores >= least)
        places, scores, leaf_of = places[near], scores[near], leaf_of[near]
    order = np.lexsort((places, leaf_of, -scores))[:most]
    return [Scored(place, score) for place, score in zip(places[order].tolist(), scores[order].tolist(), strict=True)]


def covering(ranked: Sequence[Scored], words: Sequence[tuple[np.ndarray, float]], weight: float) -> list[Scored]:
    """The first units in another order: each is picked for its score and for the query's words that none has yet.

    A pick's score is its own and ``weight`` times the share of the query's idf in words that it has and no pick before
    it has. Picks' scores never rise, and what was not picked comes behind them.

    Parameters
    ----------
    ranked:
        Units, best first.
    words:
        For each word of the query, the places of the units that have it, sorted, and its share of the query's idf.
    weight:
        0 leaves the order as it is.
    """
    first, rest = list(ranked[:FIRST]), ranked[FIRST:]
    places = np.array([unit.place for unit in first], int)
    has = np.array([np.isin(places, found, assume_unique=True) * share for found, share in words])
    has = has.reshape(len(words), len(first))
    scores = np.array([unit.score for unit in first])
    picked: list[Scored] = []
    left = np.ones(len(first), bool)
    for _ in first:
        values = np.where(left, scores + weight * has.sum(axis=0), -np.inf)
        pick = int(values.argmax())  # the first of equals, which is the better one
        picked.append(Scored(first[pick].place, float(values[pick])))
        left[pick] = False
        has[has[:, pick] > 0] = 0
    return [*picked, *rest]


class Joined(NamedTuple):
    """Units that follow each other as one passage: the first and the last of them, and the best one's score."""

    first: int
    last: int
    score: float


def join(ranked: Iterable[Scored], follows: np.ndarray, k: int) -> list[Joined]:
    """The first ``k`` passages of units, best first: a unit that continues the one before it in rank joins its passage.

    >>> units = [Scored(4, 0.9), Scored(5, 0.8), Scored(3, 0.7), Scored(7, 0.6)]
    >>> [(passage.first, passage.last) for passage in join(units, np.array([False] + 9 * [True]), k=2)]
    [(4, 5), (3, 3)]

    One that stands in front of it does not, nor does a neighbour of much lower rank: a small budget would be spent on
    them before it is on better ones.

    ``follows`` says of each unit whether it begins where the one before it ends.
    """
    joined: list[Joined] = []
    for place, score in ranked:
        if joined and place == joined[-1].last + 1 and follows[place]:
            joined[-1] = joined[-1]._replace(last=place)
        elif len(joined) == k:
            break
        else:
            joined.append(Joined(place, place, score))
    return joined
