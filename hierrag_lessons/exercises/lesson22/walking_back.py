"""Exercise 22.3, a walk that forgets where it came from."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Links = dict[str, list[str]]


def near(links: dict[str, list[str]], start: dict[str, float], damping: float, steps: int) -> dict[str, float]:
    """The weight of each node after ``steps`` steps of a walk that jumps back to the start now and then.

    ``start`` sums to 1. With the probability ``damping`` the walk follows one of the node's links, each equally likely;
    else, and where there is no link, it jumps back. Each node is a key of ``links``.
    """
    weights = {node: start.get(node, 0.0) for node in links}
    for _ in range(steps):
        moved = dict.fromkeys(links, 0.0)
        for node, weight in weights.items():
            for other in links[node]:
                moved[other] += damping * weight / len(links[node])
        back = 1 - sum(moved.values())
        weights = {node: moved[node] + back * start.get(node, 0.0) for node in links}
    return weights


def jump_anywhere(links: dict[str, list[str]], start: dict[str, float], damping: float, steps: int) -> dict[str, float]:
    """The weight of each node after ``steps`` steps of a walk that jumps back to the start now and then.

    ``start`` sums to 1. With the probability ``damping`` the walk follows one of the node's links, each equally likely;
    else, and where there is no link, it jumps back. Each node is a key of ``links``.
    """
    weights = {node: start.get(node, 0.0) for node in links}
    for _ in range(steps):
        moved = dict.fromkeys(links, 0.0)
        for node, weight in weights.items():
            for other in links[node]:
                moved[other] += damping * weight / len(links[node])
        weights = {node: moved[node] + (1 - damping) / len(links) for node in links}
    return weights


def _with_a_matrix(links: Links, start: dict[str, float], damping: float, steps: int) -> dict[str, float]:
    """Oracle: the whole table of probabilities, multiplied step by step."""
    names = list(links)
    jump = np.array([start.get(name, 0.0) for name in names])
    table = np.zeros((len(names), len(names)))
    for row, name in enumerate(names):
        for other in links[name]:
            table[row, names.index(other)] += damping / len(links[name])
        table[row] += (1 - damping if links[name] else 1) * jump
    weights = jump
    for _ in range(steps):
        weights = weights @ table
    return dict(zip(names, weights.tolist(), strict=True))


def _cases(rng: Random) -> Iterator[tuple[Links, dict[str, float], float, int]]:
    yield {"a": []}, {"a": 1.0}, 0.5, 3
    yield {"a": ["b"], "b": ["a"]}, {"a": 1.0}, 0.5, 1
    yield {"a": ["b"], "b": ["a", "c"], "c": ["b"]}, {"a": 1.0}, 0.5, 2
    yield {"a": ["b"], "b": []}, {"a": 1.0}, 0.5, 2
    yield {"a": ["b"], "b": ["a"], "c": []}, {"a": 0.5, "c": 0.5}, 0.75, 3
    for _ in range(40):
        names = list("abcdef"[: rng.randrange(2, 7)])
        links = {name: rng.sample(names, rng.randrange(len(names))) for name in names}
        seeds = rng.sample(names, rng.randrange(1, 3))
        yield links, {name: 1 / len(seeds) for name in seeds}, rng.choice([0.25, 0.5, 0.75]), rng.randrange(1, 6)


def _dead_ends_lose(links: Links, start: dict[str, float], damping: float, steps: int) -> dict[str, float]:
    weights = {node: start.get(node, 0.0) for node in links}
    for _ in range(steps):
        moved = {node: (1 - damping) * start.get(node, 0.0) for node in links}
        for node, weight in weights.items():
            for other in links[node]:
                moved[other] += damping * weight / len(links[node])
        weights = moved
    return weights


def _dead_ends_jump_anywhere(links: Links, start: dict[str, float], damping: float, steps: int) -> dict[str, float]:
    weights = {node: start.get(node, 0.0) for node in links}
    for _ in range(steps):
        moved = {node: (1 - damping) * start.get(node, 0.0) for node in links}
        for node, weight in weights.items():
            for other in links[node] or links:
                moved[other] += damping * weight / len(links[node] or links)
        weights = moved
    return weights


def _not_shared_out(links: Links, start: dict[str, float], damping: float, steps: int) -> dict[str, float]:
    weights = {node: start.get(node, 0.0) for node in links}
    for _ in range(steps):
        moved = dict.fromkeys(links, 0.0)
        for node, weight in weights.items():
            for other in links[node]:
                moved[other] += damping * weight
        back = 1 - sum(moved.values())
        weights = {node: moved[node] + back * start.get(node, 0.0) for node in links}
    return weights


def _swapped(links: Links, start: dict[str, float], damping: float, steps: int) -> dict[str, float]:
    return near(links, start, 1 - damping, steps)


WALKING_BACK = Exercise(
    id="22.3",
    title="Find the bug: a walk that forgets its start",
    solution=near,
    start=jump_anywhere,
    oracle=_with_a_matrix,
    cases=_cases,
    hints=(
        "Let the graph have two parts that no link connects, and start in one. What does the other one get?",
        "Jumps go to every node alike: that is PageRank for the whole web. Here they go back to the start.",
        "What was not moved along links is 1 less the sum of what was. Share it out as `start` says.",
    ),
    mistakes=(
        Mistake(
            _dead_ends_lose,
            "What stands on a node without links gets lost, so the weights no longer sum to 1. It jumps back as well.",
        ),
        Mistake(
            _dead_ends_jump_anywhere,
            "From a node without links the walk went to any node, as in PageRank for the whole web. Here it jumps back "
            "to the start.",
        ),
        Mistake(
            _not_shared_out, "Each link got the whole weight of its node. It is shared out among the node's links."
        ),
        Mistake(_swapped, "`damping` is the probability of following a link; it was taken for that of jumping back."),
    ),
)
