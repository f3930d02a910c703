"""Exercise 24.1, five passages each are no comparison: the solution, another one to check it, and the cases."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import fmean

Ranking = list[tuple[int, float]]
"""Passages, best first: the tokens of each, and the share of the question's evidence that it adds."""
Log = list[Ranking]
"""One ranking for each question."""


def fair_table(logs: dict[str, list[list[tuple[int, float]]]], budget: int) -> dict[str, tuple[int, float]]:
    """For each method the largest k whose mean context is at most ``budget`` tokens, and its mean recall at that k.

    The context of a question is its first k passages, or all where it has fewer.
    """

    def mean_context(rankings: list[list[tuple[int, float]]], k: int) -> float:
        return sum(tokens for ranking in rankings for tokens, _ in ranking[:k]) / len(rankings)

    found = {}
    for method, rankings in logs.items():
        k, longest = 0, max(map(len, rankings))
        while k < longest and mean_context(rankings, k + 1) <= budget:
            k += 1
        found[method] = (k, sum(share for ranking in rankings for _, share in ranking[:k]) / len(rankings))
    return found


def published(logs: dict[str, list[list[tuple[int, float]]]], budget: int) -> dict[str, tuple[int, float]]:
    """For each method the largest k whose mean context is at most ``budget`` tokens, and its mean recall at that k.

    The context of a question is its first k passages, or all where it has fewer.
    """
    found = {}
    for method, rankings in logs.items():
        k = 5
        found[method] = (k, sum(share for ranking in rankings for _, share in ranking[:k]) / len(rankings))
    return found


def try_all(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """Oracle: try every k, and keep those whose mean context is small enough."""
    answer = {}
    for method, rankings in logs.items():
        fitting = []
        for k in range(max(len(ranking) for ranking in rankings) + 1):
            contexts = [ranking[:k] for ranking in rankings]
            if fmean(sum(tokens for tokens, _ in context) for context in contexts) <= budget:
                fitting.append((k, fmean(sum(share for _, share in context) for context in contexts)))
        answer[method] = max(fitting)
    return answer


def cases(rng: Random) -> Iterator[tuple[dict[str, Log], int]]:
    """What the learner's function is run on: those that are easily got wrong, then random ones."""
    yield {"leaves": [[(200, 0.5), (200, 0.25), (200, 0.25)]], "parents": [[(600, 0.75), (600, 0.25)]]}, 600
    yield {"leaves": [[(100, 0.125)] * 8], "parents": [[(400, 0.5), (400, 0.0), (400, 0.5)]]}, 800
    yield {"leaves": [[(200, 0.5), (200, 0.5)], [(600, 0.25), (600, 0.5)]]}, 400
    yield {"leaves": [[(200, 0.25), (200, 0.25)], [(200, 0.5)]]}, 300
    yield {"leaves": [[(500, 0.5)]]}, 400
    yield {"leaves": [[(600, 0.5), (100, 0.5)]]}, 500
    yield {"leaves": [[(300, 0.25), (100, 0.5), (100, 0.25)], [(300, 0.5), (200, 0.0), (400, 0.5)]]}, 400
    yield {"leaves": [[(200, 0.5)], []]}, 100
    yield {"merged": [[(600, 0.75), (200, 0.25)], [(200, 0.25), (400, 0.5)]]}, 500
    for _ in range(30):
        logs = {}
        for method in rng.sample(["leaves", "windows", "parents", "merged"], rng.randrange(1, 4)):
            size = rng.choice([1, 2, 4])
            logs[method] = [_ranking(rng, size, rng.randrange(1, 9)) for _ in range(rng.randrange(1, 4))]
        yield logs, rng.choice([300, 500, 1000, 1500])


def _ranking(rng: Random, size: int, count: int) -> Ranking:
    shares = [1 / 8 if rng.random() < 0.6 else 0.0 for _ in range(count)]
    return [(100 * rng.randrange(size, 2 * size + 1), share) for share in shares]
