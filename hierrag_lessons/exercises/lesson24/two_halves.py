"""Exercise 24.2, choose on one half and judge on the other: the solution, another to check it, and the cases."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

Half = dict[str, list[float]]
"""Each method's score on every question of one half of the questions."""


def leads(dev: dict[str, list[float]], test: dict[str, list[float]], present: str) -> tuple[str, float, float]:
    """The method to propose, and its lead over the present one on both halves, in means.

    A tie is no reason to leave the present one; equal means of others go by name.
    """

    def mean(scores: list[float]) -> float:
        return sum(scores) / len(scores)

    best = min(dev, key=lambda name: (-round(mean(dev[name]), 9), name != present, name))
    before, after = (round(mean(half[best]) - mean(half[present]), 6) for half in (dev, test))
    return best, before, after


def by_sorting(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    """Oracle: the present one, then all others by name; then, keeping that order, by their sums on dev."""
    names = [present, *sorted(dev.keys() - {present})]
    names.sort(key=lambda name: round(sum(dev[name]), 9), reverse=True)
    chosen = names[0]
    before = sum(x - y for x, y in zip(dev[chosen], dev[present], strict=True)) / len(dev[present])
    after = sum(x - y for x, y in zip(test[chosen], test[present], strict=True)) / len(test[present])
    return chosen, round(before, 6), round(after, 6)


def cases(rng: Random) -> Iterator[tuple[Half, Half, str]]:
    """What the learner's function is run on: those that are easily got wrong, then random ones."""
    yield {"flat": [0.5, 0.5], "a": [1.0, 0.75], "b": [0.5, 0.75]}, {"flat": [0.5], "a": [0.75], "b": [1.0]}, "flat"
    yield {"flat": [0.75], "tree": [0.25]}, {"flat": [0.5], "tree": [1.0]}, "flat"
    yield {"flat": [0.25], "b": [0.75], "a": [0.75]}, {"flat": [0.25], "b": [1.0], "a": [0.5]}, "flat"
    yield {"windows": [0.25, 0.5], "tree": [0.5, 0.5]}, {"windows": [1.0], "tree": [0.5]}, "tree"
    # Leads on dev and is lost on test; another leads on both.
    yield {"flat": [0.5], "a": [1.0], "b": [0.75]}, {"flat": [0.5], "a": [0.25], "b": [1.0]}, "flat"
    yield (
        {"flat": [0.5], "c": [0.75], "b": [0.75], "d": [0.75]},
        {"flat": [0.5], "c": [1.0], "b": [0.25], "d": [0.0]},
        "flat",
    )
    # As good as the present one, and before it in the alphabet.
    yield (
        {"flat": [0.5, 0.25, 0.75, 0.5] * 2, "b": [0.25, 0.25, 0.5, 0.5] * 2, "a": [0.75, 0.25, 0.25, 0.75] * 2},
        {"flat": [0.75, 0.5] * 2, "b": [0.5, 0.25] * 2, "a": [0.5, 0.25] * 2},
        "flat",
    )
    for _ in range(30):
        names = ["flat", "windows", "parents", "tree", "levels"][: rng.randrange(2, 6)]
        dev = {name: [rng.randrange(5) / 4 for _ in range(8)] for name in names}
        yield dev, _without_ties(rng, names), "flat"


def _without_ties(rng: Random, names: list[str]) -> Half:
    """A test half on which nothing is exactly as good as the present method, so that each lead has a sign."""
    test = {"flat": [rng.randrange(5) / 4 for _ in range(4)]}
    for name in names[1:]:
        test[name] = list(test["flat"])
        while sum(test[name]) == sum(test["flat"]):
            test[name] = [rng.randrange(5) / 4 for _ in range(4)]
    return test
