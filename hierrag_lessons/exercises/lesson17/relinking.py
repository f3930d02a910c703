"""Exercise 17.1, linking past a level that is switched off."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Levels = dict[str, int]
Parents = dict[str, str | None]


def relink(levels: dict[str, int], parents: dict[str, str | None], on: set[int]) -> dict[str, str | None]:
    """The nodes whose level is on, each with the nearest node above it whose level is on, or None."""
    linked: dict[str, str | None] = {}
    for node, level in levels.items():
        if level not in on:
            continue
        parent = parents[node]
        while parent is not None and levels[parent] not in on:
            parent = parents[parent]
        linked[node] = parent
    return linked


def _all_above(levels: Levels, parents: Parents, on: set[int]) -> Parents:
    """Oracle: collect every node above, then take the one with the highest level number among those that are on."""

    def above(node: str) -> list[str]:
        parent = parents[node]
        return [] if parent is None else [parent, *above(parent)]

    linked: Parents = {}
    for node in levels:
        if levels[node] in on:
            kept = [other for other in above(node) if levels[other] in on]
            linked[node] = max(kept, key=lambda other: levels[other]) if kept else None
    return linked


def _tree(rng: Random, widths: list[int]) -> tuple[Levels, Parents]:
    levels: Levels = {"text": 0}
    parents: Parents = {"text": None}
    for level, width in enumerate(widths, start=1):
        over = [node for node, its in levels.items() if its == level - 1]
        for number in range(width):
            name = f"{'-dscp'[level]}{number}"
            levels[name], parents[name] = level, rng.choice(over)
    return levels, parents


def _cases(rng: Random) -> Iterator[tuple[Levels, Parents, set[int]]]:
    yield ({"text": 0}, {"text": None}, {0})
    yield ({}, {}, {0, 1})
    chain: Levels = {"text": 0, "d0": 1, "s0": 2, "c0": 3, "p0": 4}
    up: Parents = {"text": None, "d0": "text", "s0": "d0", "c0": "s0", "p0": "c0"}
    for on in ({0, 1, 2, 3, 4}, {0, 1, 3, 4}, {0, 4}, {0, 1, 4}, {4}, {2, 4}, {0, 1, 2}, set[int]()):
        yield (chain, up, on)
    for _ in range(25):
        tree = _tree(rng, [1, rng.randrange(1, 3), rng.randrange(1, 4), rng.randrange(1, 5)])
        yield (*tree, {level for level in range(5) if rng.random() < 0.6})


def _parents_as_they_were(levels: Levels, parents: Parents, on: set[int]) -> Parents:
    return {node: parents[node] for node in levels if levels[node] in on}


def _one_step_only(levels: Levels, parents: Parents, on: set[int]) -> Parents:
    linked: Parents = {}
    for node in levels:
        if levels[node] in on:
            parent = parents[node]
            linked[node] = parents[parent] if parent is not None and levels[parent] not in on else parent
    return linked


def _cut_off(levels: Levels, parents: Parents, on: set[int]) -> Parents:
    kept = {node for node in levels if levels[node] in on}
    return {node: parent if (parent := parents[node]) in kept else None for node in levels if node in kept}


def _keeps_what_is_off(levels: Levels, parents: Parents, on: set[int]) -> Parents:
    linked: Parents = {}
    for node in levels:
        parent = parents[node]
        while parent is not None and levels[parent] not in on:
            parent = parents[parent]
        linked[node] = parent
    return linked


def _drops_the_parentless(levels: Levels, parents: Parents, on: set[int]) -> Parents:
    return {node: parent for node, parent in relink(levels, parents, on).items() if parent is not None}


RELINKING = Exercise(
    id="17.1",
    title="Switch a level off",
    solution=relink,
    oracle=_all_above,
    cases=_cases,
    hints=(
        "Walk upwards from each node that stays, until you meet one that stays too.",
        "Two levels in a row can be off, so one step past is not always enough.",
        "The walk ends at a node whose level is on, or at None.",
    ),
    mistakes=(
        Mistake(
            _parents_as_they_were,
            "The links are as before: they name nodes that are not there any more, and the next look-up fails.",
        ),
        Mistake(
            _one_step_only, "One level is stepped over. Where two in a row are off, the link still names one of them."
        ),
        Mistake(
            _cut_off,
            "Where the parent is off, the node has none at all now. A proposition without its chunk still stands in a "
            "section.",
        ),
        Mistake(_keeps_what_is_off, "Nodes whose level is off are still there."),
        Mistake(_drops_the_parentless, "A node that has nothing above it stays, with None as its parent."),
    ),
)
