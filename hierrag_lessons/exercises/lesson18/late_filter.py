"""Exercise 18.1, the filter that comes too late."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Arguments = tuple[dict[str, float], dict[str, str], list[str], int]


def best_within(scores: dict[str, float], parents: dict[str, str], kept: list[str], k: int) -> list[str]:
    """The ``k`` best leaves among those whose parent was kept, best first; equal scores by name."""
    allowed = [leaf for leaf in scores if parents[leaf] in kept]
    return sorted(allowed, key=lambda leaf: (-scores[leaf], leaf))[:k]


def filter_late(scores: dict[str, float], parents: dict[str, str], kept: list[str], k: int) -> list[str]:
    """The ``k`` best leaves among those whose parent was kept, best first; equal scores by name."""
    ranked = sorted(scores, key=lambda leaf: (-scores[leaf], leaf))[:k]
    return [leaf for leaf in ranked if parents[leaf] in kept]


def _one_after_the_other(scores: dict[str, float], parents: dict[str, str], kept: list[str], k: int) -> list[str]:
    """Oracle: take the best leaf that is allowed and left, again and again."""
    left = {leaf: score for leaf, score in scores.items() if parents[leaf] in kept}
    taken: list[str] = []
    while left and len(taken) < k:
        top = max(left.values())
        leaf = min(name for name, score in left.items() if score == top)
        taken.append(leaf)
        del left[leaf]
    return taken


def _cases(rng: Random) -> Iterator[Arguments]:
    yield {}, {}, [], 1
    yield {"a": 0.9, "b": 0.5}, {"a": "x", "b": "y"}, ["y"], 1
    yield {"b": 0.5, "a": 0.5, "c": 0.9}, {"a": "x", "b": "x", "c": "y"}, ["x"], 1
    yield {"a": 0.2, "b": 0.5}, {"a": "x", "b": "x"}, ["x"], 5
    yield {"a": 0.2, "b": 0.5}, {"a": "x", "b": "x"}, [], 2
    many = {f"n{i}": (9 - i) / 10 for i in range(9)}
    yield many, {leaf: "y" if leaf == "n8" else "x" for leaf in many}, ["y"], 1
    for _ in range(40):
        names = rng.sample("abcdefghij", rng.randrange(1, 10))
        scores = {name: rng.randrange(1, 8) / 10 for name in names}
        parents = {name: rng.choice("xyz") for name in names}
        yield scores, parents, rng.sample("xyz", rng.randrange(4)), rng.randrange(1, 5)


def _search_twice_as_many(scores: dict[str, float], parents: dict[str, str], kept: list[str], k: int) -> list[str]:
    return filter_late(scores, parents, kept, 2 * k)[:k]


def _fill_up(scores: dict[str, float], parents: dict[str, str], kept: list[str], k: int) -> list[str]:
    ranked = sorted(scores, key=lambda leaf: (parents[leaf] not in kept, -scores[leaf], leaf))
    return ranked[:k]


def _as_stored(scores: dict[str, float], parents: dict[str, str], kept: list[str], k: int) -> list[str]:
    return sorted((leaf for leaf in scores if parents[leaf] in kept), key=lambda leaf: -scores[leaf])[:k]


def _worst_first(scores: dict[str, float], parents: dict[str, str], kept: list[str], k: int) -> list[str]:
    return sorted((leaf for leaf in scores if parents[leaf] in kept), key=lambda leaf: (scores[leaf], leaf))[:k]


LATE_FILTER = Exercise(
    id="18.1",
    title="Find the bug: the late filter",
    solution=best_within,
    start=filter_late,
    oracle=_one_after_the_other,
    cases=_cases,
    hints=(
        "Let the best leaf of all have a parent that was not kept, and k = 1. What comes out?",
        "The list is cut to k before it is known which leaves are allowed.",
        "Strike out first, then sort, then cut.",
    ),
    mistakes=(
        Mistake(
            _search_twice_as_many,
            "To search 2k and strike out afterwards only makes the hole rarer: with enough better leaves elsewhere it "
            "is there again.",
        ),
        Mistake(
            _fill_up,
            "Leaves of other parents fill the places that were left. Fewer than k is right where fewer are allowed.",
        ),
        Mistake(_as_stored, "Equal scores stand in the order in which they were stored. Settle them by name."),
        Mistake(_worst_first, "The lowest scores come first. Higher is better."),
    ),
)
