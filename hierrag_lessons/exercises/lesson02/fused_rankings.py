"""Exercise 02.3, two rankings fused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def fuse(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    """Ids with the sums of their reciprocal ranks, best first."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (constant + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def _in_columns(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    """Oracle: for each id, look it up in every ranking."""
    names = sorted({item for ranking in rankings for item in ranking})
    pairs = [
        (name, math.fsum(1 / (constant + ranking.index(name) + 1) for ranking in rankings if name in ranking))
        for name in names
    ]
    pairs.sort(key=lambda pair: pair[1], reverse=True)  # stable, so equal scores stay in the order of the names
    return pairs


def _rankings(rng: Random) -> Iterator[tuple[list[list[str]], int]]:
    yield [], 60
    yield [[], []], 60
    yield [["a"]], 60
    yield [["b"], ["a"]], 60
    yield [["a", "b"], ["c"]], 60
    yield [["a", "b", "c"], ["c", "b", "a"]], 1
    yield [["a", "b"], ["b", "c"]], 1
    for _ in range(25):
        names = list("abcdef")
        lists = [rng.sample(names, rng.randrange(0, 6)) for _ in range(2)]
        yield lists, rng.choice([1, 10, 60])


def _fused(rankings: list[list[str]], constant: int, first: int = 1) -> dict[str, list[float]]:
    parts: dict[str, list[float]] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=first):
            parts.setdefault(item, []).append(1 / (constant + rank))
    return parts


def _by_score(scores: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def _rank_from_zero(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    return _by_score({item: sum(parts) for item, parts in _fused(rankings, constant, first=0).items()})


def _rank_from_zero_as_they_come(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    scores = {item: sum(parts) for item, parts in _fused(rankings, constant, first=0).items()}
    return sorted(scores.items(), key=lambda pair: pair[1], reverse=True)


def _best_rank_only(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    return _by_score({item: max(parts) for item, parts in _fused(rankings, constant).items()})


def _mean(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    return _by_score({item: sum(parts) / len(rankings) for item, parts in _fused(rankings, constant).items()})


def _in_all_only(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    fused = _fused(rankings, constant).items()
    return _by_score({item: sum(parts) for item, parts in fused if len(parts) == len(rankings)})


def _no_constant(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    return _by_score({item: sum(parts) for item, parts in _fused(rankings, 0).items()})


def _ties_as_they_come(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    scores = {item: sum(parts) for item, parts in _fused(rankings, constant).items()}
    return sorted(scores.items(), key=lambda pair: pair[1], reverse=True)


def _lowest_score_first(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    scores = {item: sum(parts) for item, parts in _fused(rankings, constant).items()}
    return sorted(scores.items(), key=lambda pair: (pair[1], pair[0]))


FUSED_RANKINGS = Exercise(
    id="02.3",
    title="Fuse two rankings",
    solution=fuse,
    oracle=_in_columns,
    cases=_rankings,
    hints=(
        "Keep a dictionary from id to score, and add to it while you walk through each ranking.",
        "enumerate(ranking, start=1) gives ranks from 1.",
        "Sort by (-score, id): then equal scores stand in the order of their ids.",
    ),
    mistakes=(
        Mistake(_rank_from_zero, "The first place has rank 1, not 0: enumerate counts from 0 unless told otherwise."),
        Mistake(
            _rank_from_zero_as_they_come,
            "Two things at once: the first place has rank 1, not 0, and equal scores must be settled by id, not by "
            "the order in which they were met.",
        ),
        Mistake(
            _best_rank_only,
            "Only the better of the two ranks counts here. To be found by both searches is the point: add up.",
        ),
        Mistake(
            _mean,
            "This divides by the number of rankings. The order is the same, but the scores are sums, not means.",
        ),
        Mistake(
            _in_all_only,
            "An id that only one ranking has is missing. Each search finds things that the other can't, so they "
            "stay, with the one term they have.",
        ),
        Mistake(
            _no_constant,
            "The constant is ignored. Without it the first place is worth twice the second, and one ranking "
            "decides nearly alone.",
        ),
        Mistake(
            _ties_as_they_come,
            "Equal scores stand in the order in which they were met, which depends on the order of the rankings. "
            "Settle ties by id.",
        ),
        Mistake(_lowest_score_first, "The lowest score comes first. A higher score is better, so sort by -score."),
    ),
)
