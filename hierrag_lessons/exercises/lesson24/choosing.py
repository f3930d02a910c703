"""Exercise 24.4, one method for everything, or one for each kind: the solution, another to check it, and the cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from random import Random

Asked = tuple[str, dict[str, float]]
"""A question: its kind, and every method's score on it."""


def routes(questions: list[tuple[str, dict[str, float]]], least: int) -> dict[str, str]:
    """For each kind the method with the best mean; kinds with fewer than ``least`` questions take the best of all."""

    def best(scores: list[dict[str, float]]) -> str:
        return min(scores[0], key=lambda method: (-round(sum(each[method] for each in scores), 9), method))

    kinds = defaultdict(list)
    for kind, scores in questions:
        kinds[kind].append(scores)
    overall = best([scores for _, scores in questions])
    return {kind: best(own) if len(own) >= least else overall for kind, own in kinds.items()}


def one_by_one(questions: list[Asked], least: int) -> dict[str, str]:
    """Oracle: for each kind, add up each method's scores and look for the largest, names in order."""

    def winner(asked: list[Asked]) -> str:
        found, reached = "", float("-inf")
        for method in sorted(asked[0][1]):
            total = round(sum(scores[method] for _, scores in asked), 9)
            if total > reached:
                found, reached = method, total
        return found

    chosen = {}
    for kind in dict.fromkeys(kind for kind, _ in questions):
        own = [question for question in questions if question[0] == kind]
        chosen[kind] = winner(own if len(own) >= least else questions)
    return chosen


_SCORES = [0.0, 0.25, 0.5, 0.75, 1.0]
"""Those of one question differ, so that it is clear which method is best on it."""


def cases(rng: Random) -> Iterator[tuple[list[Asked], int]]:
    """What the learner's function is run on: those that are easily got wrong, then random ones."""
    one, two = {"flat": 1.0, "tree": 0.0}, {"flat": 0.0, "tree": 1.0}
    yield [("fact", one), ("fact", one), ("fact", one), ("list", two), ("list", two)], 2
    yield [("fact", one), ("fact", one), ("fact", one), ("list", two), ("list", two)], 3
    yield [("fact", {"b": 0.5, "a": 0.5})], 1
    yield [("fact", {"b": 0.75, "a": 0.5}), ("list", {"b": 0.0, "a": 1.0})], 2
    # Among all questions b is best, among those of the large kind a.
    yield [("fact", {"a": 0.5, "b": 0.25}), ("fact", {"a": 0.5, "b": 0.25}), ("list", {"a": 0.0, "b": 1.0})], 2
    # a is best more often, b by more.
    yield [("fact", {"a": 0.5, "b": 0.25}), ("fact", {"a": 0.5, "b": 0.25}), ("fact", {"a": 0.0, "b": 1.0})], 2
    # The two small kinds together would choose a.
    yield [("fact", two), ("fact", two), ("fact", two), ("list", one), ("process", one)], 2
    yield [("fact", {"c": 0.5, "b": 0.75, "a": 0.75}), ("fact", {"c": 0.5, "b": 0.75, "a": 0.75})], 2
    for _ in range(30):
        methods = ["flat", "parents", "tree", "levels"][: rng.randrange(2, 5)]
        asked = [
            (
                rng.choice(["fact", "list", "process"]),
                dict(zip(methods, rng.sample(_SCORES, len(methods)), strict=True)),
            )
            for _ in range(rng.randrange(3, 14))
        ]
        yield asked, rng.randrange(1, 6)
