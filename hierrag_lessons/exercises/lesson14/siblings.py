"""Exercise 14.3, what an unfound sibling is worth."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Parents = dict[str, str]
Gold = dict[str, float]


def sibling_worth(ranking: list[str], parent_of: dict[str, str], gold: dict[str, float], top: int) -> float:
    """Mean share of the evidence in the leaves that opening the parents of the ``top`` best hits would add."""
    opened = {parent_of[leaf] for leaf in ranking[:top]}
    added = [leaf for leaf, parent in parent_of.items() if parent in opened and leaf not in ranking]
    return sum(gold.get(leaf, 0.0) for leaf in added) / len(added) if added else 0.0


def _leaf_by_leaf(ranking: list[str], parent_of: Parents, gold: Gold, top: int) -> float:
    """Oracle: ask of every leaf whether it was found, and whether one of the first hits has its parent."""
    total, number = 0.0, 0
    for leaf in sorted(parent_of):
        was_found, is_sibling = False, False
        for place, hit in enumerate(ranking):
            was_found = was_found or hit == leaf
            is_sibling = is_sibling or (place < top and parent_of[hit] == parent_of[leaf])
        if is_sibling and not was_found:
            number += 1
            total += gold.get(leaf, 0.0)
    return total / number if number else 0.0


def _cases(rng: Random) -> Iterator[tuple[list[str], Parents, Gold, int]]:
    yield ([], {}, {}, 3)
    yield (["a1"], {"a1": "a"}, {"a1": 1.0}, 1)
    yield (["a1"], {"a1": "a", "a2": "a"}, {"a2": 0.5}, 1)
    yield (["a1"], {"a1": "a", "a2": "a", "a3": "a"}, {"a2": 0.5}, 1)
    yield (["a1", "a2"], {"a1": "a", "a2": "a", "a3": "a"}, {"a2": 0.5, "a3": 0.25}, 1)
    yield (["a1", "b1"], {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}, {"a2": 0.5, "b2": 0.25}, 1)
    yield (
        ["a1", "a2", "b1"],
        {"a1": "a", "a2": "a", "a3": "a", "b1": "b", "b2": "b"},
        {"a3": 0.5, "b2": 0.25},
        3,
    )
    yield (["b1", "a1"], {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}, {"a1": 0.5}, 2)
    for _ in range(40):
        # Eighths, so that sums are exact in whatever order they are made.
        parent_of = {f"{parent}{n}": parent for parent in "abcd" for n in range(rng.randrange(1, 6))}
        leaves = list(parent_of)
        ranking = rng.sample(leaves, rng.randrange(len(leaves)))
        gold = {leaf: rng.randrange(1, 5) / 8 for leaf in leaves if rng.random() < 0.4}
        yield (ranking, parent_of, gold, rng.randrange(1, 6))


def _found_ones_too(ranking: list[str], parent_of: Parents, gold: Gold, top: int) -> float:
    opened = {parent_of[leaf] for leaf in ranking[:top]}
    added = [leaf for leaf, parent in parent_of.items() if parent in opened]
    return sum(gold.get(leaf, 0.0) for leaf in added) / len(added) if added else 0.0


def _only_the_first_are_found(ranking: list[str], parent_of: Parents, gold: Gold, top: int) -> float:
    return sibling_worth(ranking[:top], parent_of, gold, top)


def _once_for_each_hit(ranking: list[str], parent_of: Parents, gold: Gold, top: int) -> float:
    added = [
        leaf
        for hit in ranking[:top]
        for leaf, parent in parent_of.items()
        if parent == parent_of[hit] and leaf not in ranking
    ]
    return sum(gold.get(leaf, 0.0) for leaf in added) / len(added) if added else 0.0


def _all_hits(ranking: list[str], parent_of: Parents, gold: Gold, top: int) -> float:
    return sibling_worth(ranking, parent_of, gold, len(ranking))


def _only_those_with_gold(ranking: list[str], parent_of: Parents, gold: Gold, top: int) -> float:
    return sibling_worth(
        ranking, {leaf: parent_of[leaf] for leaf in parent_of if leaf in gold or leaf in ranking}, gold, top
    )


def _per_hit(ranking: list[str], parent_of: Parents, gold: Gold, top: int) -> float:
    opened = {parent_of[leaf] for leaf in ranking[:top]}
    added = [leaf for leaf, parent in parent_of.items() if parent in opened and leaf not in ranking]
    return sum(gold.get(leaf, 0.0) for leaf in added) / len(ranking[:top]) if ranking else 0.0


def _sum(ranking: list[str], parent_of: Parents, gold: Gold, top: int) -> float:
    opened = {parent_of[leaf] for leaf in ranking[:top]}
    return sum(gold.get(leaf, 0.0) for leaf in parent_of if parent_of[leaf] in opened and leaf not in ranking)


SIBLINGS = Exercise(
    id="14.3",
    title="What an unfound sibling is worth",
    solution=sibling_worth,
    oracle=_leaf_by_leaf,
    cases=_cases,
    hints=(
        "First the parents that are opened: those of the first `top` hits, each once.",
        "Then the leaves that this adds: all leaves of these parents that are nowhere in the ranking.",
        "The mean is over all leaves that are added. Those without evidence count as 0.",
    ),
    mistakes=(
        Mistake(
            _found_ones_too,
            "Leaves that the search found are counted. They are in the ranking anyway; opening the parent adds only "
            "the others.",
        ),
        Mistake(
            _only_the_first_are_found,
            "A leaf that comes later in the ranking was found as well. Only leaves that are nowhere in the ranking are "
            "unfound.",
        ),
        Mistake(
            _once_for_each_hit,
            "Two hits can have one parent. It is opened once, so its unfound leaves count once.",
        ),
        Mistake(_all_hits, "Only the parents of the first `top` hits are opened, not those of all hits."),
        Mistake(
            _only_those_with_gold,
            "Siblings without evidence are left out of the mean. They cost tokens like the others: count them as 0.",
        ),
        Mistake(
            _sum,
            "This is the sum over the leaves that are added. Divide it by how many are added.",
        ),
        Mistake(
            _per_hit, "The sum is divided by the number of hits. Divide it by the number of leaves that are added."
        ),
    ),
)
