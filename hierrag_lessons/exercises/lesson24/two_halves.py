"""Exercise 24.2, choose on one half of the questions and judge on the other."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Half = dict[str, list[float]]
"""Each method's score on every question of one half of the questions."""


def leads(dev: dict[str, list[float]], test: dict[str, list[float]], present: str) -> tuple[str, float, float]:
    """The method to propose, and its lead over the present one on both halves, in means; equal means go by name."""

    def mean(scores: list[float]) -> float:
        return sum(scores) / len(scores)

    best = min(dev, key=lambda name: (-round(mean(dev[name]), 9), name))
    before, after = (round(mean(half[best]) - mean(half[present]), 6) for half in (dev, test))
    return best, before, after


def _by_sorting(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    """Oracle: order all methods by name, then, keeping that order, by their sums on dev."""
    names = sorted(dev)
    names.sort(key=lambda name: round(sum(dev[name]), 9), reverse=True)
    chosen = names[0]
    before = sum(x - y for x, y in zip(dev[chosen], dev[present], strict=True)) / len(dev[present])
    after = sum(x - y for x, y in zip(test[chosen], test[present], strict=True)) / len(test[present])
    return chosen, round(before, 6), round(after, 6)


def _cases(rng: Random) -> Iterator[tuple[Half, Half, str]]:
    yield {"flat": [0.5, 0.5], "a": [1.0, 0.75], "b": [0.5, 0.75]}, {"flat": [0.5], "a": [0.5], "b": [1.0]}, "flat"
    yield {"flat": [0.75], "a": [0.25]}, {"flat": [0.5], "a": [1.0]}, "flat"
    yield {"flat": [0.25], "b": [0.75], "a": [0.75]}, {"flat": [0.25], "b": [1.0], "a": [0.5]}, "flat"
    for _ in range(30):
        names = ["flat", "windows", "parents", "tree", "levels"][: rng.randrange(2, 6)]
        halves = [{name: [rng.randrange(5) / 4 for _ in range(size)] for name in names} for size in (8, 4)]
        yield halves[0], halves[1], "flat"


def _chosen_on_test(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best = leads(test, dev, present)[0]
    _, before, after = leads({best: dev[best], present: dev[present]}, test, present) if best != present else ("", 0, 0)
    mean = {half: sum(scores[best]) / len(scores[best]) for half, scores in (("dev", dev), ("test", test))}
    now = {half: sum(scores[present]) / len(scores[present]) for half, scores in (("dev", dev), ("test", test))}
    before, after = (round(mean[half] - now[half], 6) for half in ("dev", "test"))
    return best, before, after


def _each_half_its_own(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, _ = leads(dev, test, present)
    return best, before, leads(test, dev, present)[1]


def _all_together(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    both = {name: dev[name] + test[name] for name in dev}
    best = leads(both, both, present)[0]
    own = {half: {best: scores[best], present: scores[present]} for half, scores in (("dev", dev), ("test", test))}
    means = [
        sum(own[half][best]) / len(own[half][best]) - sum(own[half][present]) / len(own[half][present])
        for half in ("dev", "test")
    ]
    return best, round(means[0], 6), round(means[1], 6)


def _lead_over_the_next(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best = leads(dev, test, present)[0]
    others = {name: scores for name, scores in dev.items() if name != best}
    return best, *leads(dev, test, leads(others, others, next(iter(others)))[0])[1:]


TWO_HALVES = Exercise(
    id="24.2",
    title="Choose on one half, judge on the other",
    solution=leads,
    oracle=_by_sorting,
    cases=_cases,
    hints=(
        "Which half may you look at when you choose?",
        "Choose by the mean on dev alone. Then compute the same difference twice: on dev and on test.",
    ),
    mistakes=(
        Mistake(
            _chosen_on_test,
            "The method was chosen on the test half. Then its lead there is too good: of many methods the luckiest one "
            "was taken.",
        ),
        Mistake(
            _each_half_its_own, "On the test half another method was judged: the best one there. Judge the chosen."
        ),
        Mistake(_all_together, "Both halves were put together to choose. Then nothing is left to judge with."),
        Mistake(_lead_over_the_next, "The lead is asked over the method in use now, not over the second best."),
    ),
)
