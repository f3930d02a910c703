"""Exercise 12.3, the methods that are worth a look."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def undominated(methods: list[tuple[str, float, int]]) -> list[str]:
    """Names of the methods for which no other one is at least as good, at most as costly, and not the same in both."""
    names: list[str] = []
    best_so_far = float("-inf")
    cost_of_best = None
    for name, recall, cost in sorted(methods, key=lambda method: (method[2], -method[1], method[0])):
        if recall > best_so_far or (recall == best_so_far and cost == cost_of_best):
            names.append(name)
            best_so_far, cost_of_best = recall, cost
    return sorted(names)


def _compare_all_pairs(methods: list[tuple[str, float, int]]) -> list[str]:
    """Oracle: ask of each method whether any other one beats it."""
    kept = []
    for name, recall, cost in methods:
        beaten = False
        for _, other_recall, other_cost in methods:
            no_worse = other_recall >= recall and other_cost <= cost
            beaten = beaten or (no_worse and (other_recall, other_cost) != (recall, cost))
        if not beaten:
            kept.append(name)
    return sorted(kept)


def _cases(rng: Random) -> Iterator[tuple[list[tuple[str, float, int]]]]:
    yield ([],)
    yield ([("fixed", 0.5, 10)],)
    yield ([("fixed", 0.5, 10), ("semantic", 0.6, 30)],)
    yield ([("fixed", 0.5, 10), ("semantic", 0.4, 30)],)
    yield ([("fixed", 0.5, 10), ("semantic", 0.5, 30)],)
    yield ([("fixed", 0.5, 10), ("recursive", 0.6, 10)],)
    yield ([("fixed", 0.5, 10), ("recursive", 0.5, 10)],)
    yield ([("semantic", 0.6, 30), ("fixed", 0.5, 10)],)
    yield ([("a", 0.5, 30), ("b", 0.7, 20), ("c", 0.6, 20), ("d", 0.4, 10)],)
    for _ in range(40):
        n = rng.randrange(7)
        names = rng.sample("abcdefg", n)
        yield ([(name, rng.randrange(1, 6) / 10, rng.randrange(1, 6) * 10) for name in names],)


def _best_only(methods: list[tuple[str, float, int]]) -> list[str]:
    top = max((recall for _, recall, _ in methods), default=0.0)
    return sorted(name for name, recall, _ in methods if recall == top)


def _as_they_come(methods: list[tuple[str, float, int]]) -> list[str]:
    kept = set(_compare_all_pairs(methods))
    return [name for name, _, _ in methods if name in kept]


def _ties_survive(methods: list[tuple[str, float, int]]) -> list[str]:
    return sorted(n for n, r, c in methods if not any(other > r and cost < c for _, other, cost in methods))


def _twins_beat_each_other(methods: list[tuple[str, float, int]]) -> list[str]:
    return sorted(
        n for n, r, c in methods if not any(other >= r and cost <= c for name, other, cost in methods if name != n)
    )


def _per_cost(methods: list[tuple[str, float, int]]) -> list[str]:
    return sorted(n for n, r, c in methods if r == max(other for _, other, cost in methods if cost == c))


def _dear_is_good(methods: list[tuple[str, float, int]]) -> list[str]:
    return _compare_all_pairs([(name, recall, -cost) for name, recall, cost in methods])


UNDOMINATED = Exercise(
    id="12.3",
    title="Who is worth a look",
    solution=undominated,
    oracle=_compare_all_pairs,
    cases=_cases,
    hints=(
        "Take one method and look for another that makes it pointless.",
        "Pointless: the other one has at least the recall and at most the cost, and is not the same in both.",
        "any() over all the others is enough. Or sort by cost and remember the best recall so far.",
    ),
    mistakes=(
        Mistake(_best_only, "A method with less recall can still be the right one where it costs less."),
        Mistake(
            _ties_survive,
            "With the same recall at a higher cost, or less recall at the same cost, a method is pointless too.",
        ),
        Mistake(
            _twins_beat_each_other,
            "Two methods that are the same in both numbers do not beat each other: both stay.",
        ),
        Mistake(_as_they_come, "These are the right methods in the order in which they came. Sort the names."),
        Mistake(_per_cost, "Only methods of the same cost were compared. A cheaper and better one beats a dearer one."),
        Mistake(_dear_is_good, "The cost counts the wrong way round: less is better."),
    ),
)
