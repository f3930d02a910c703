"""Exercise 20.3, the dial from sentences to whole leaves."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Arguments = tuple[list[float], list[str], float]


def turn(scores: list[float], leaf: list[str], lift: float) -> list[int]:
    """The places of all units, best first, each unit lifted by the share ``lift`` towards the best of its leaf."""
    best: dict[str, float] = {}
    for score, name in zip(scores, leaf, strict=True):
        best[name] = max(score, best.get(name, score))
    keys = [(1 - lift) * score + lift * best[name] for score, name in zip(scores, leaf, strict=True)]
    return sorted(range(len(scores)), key=lambda place: (-keys[place], leaf[place], place))


def _pick_one_by_one(scores: list[float], leaf: list[str], lift: float) -> list[int]:
    """Oracle: again and again look for the unit with the highest key among those that are left."""
    left, order = set(range(len(scores))), []

    def key(place: int) -> float:
        top = max(scores[other] for other in range(len(scores)) if leaf[other] == leaf[place])
        return scores[place] + lift * (top - scores[place])

    while left:
        highest = max(key(place) for place in left)
        equal = [place for place in left if key(place) == highest]
        first = min(equal, key=lambda place: (leaf[place], place))
        order.append(first)
        left.remove(first)
    return order


def _cases(rng: Random) -> Iterator[Arguments]:
    yield [], [], 0.5
    yield [0.5, 0.875, 0.125, 0.75], ["a", "b", "b", "a"], 0.0
    yield [0.5, 0.875, 0.125, 0.75], ["a", "b", "b", "a"], 1.0
    yield [0.5, 0.875, 0.125, 0.75], ["a", "b", "b", "a"], 0.5
    yield [0.25, 0.75, 0.75, 0.25], ["a", "b", "a", "b"], 1.0
    yield [0.125, 0.25, 0.875, 0.0], ["a", "a", "b", "b"], 0.25
    for _ in range(40):
        size = rng.randrange(1, 9)
        # Eighths and quarters, so that equal keys are equal, however they are computed.
        yield [rng.randrange(9) / 8 for _ in range(size)], rng.choices("abc", k=size), rng.choice([0, 0.25, 0.5, 1])


def _order(keys: list[float], leaf: list[str]) -> list[int]:
    return sorted(range(len(keys)), key=lambda place: (-keys[place], leaf[place], place))


def _tops(scores: list[float], leaf: list[str]) -> list[float]:
    return [max(s for s, other in zip(scores, leaf, strict=True) if other == name) for name in leaf]


def _wrong_way_round(scores: list[float], leaf: list[str], lift: float) -> list[int]:
    return turn(scores, leaf, 1 - lift)


def _mean_of_the_leaf(scores: list[float], leaf: list[str], lift: float) -> list[int]:
    own = [[s for s, other in zip(scores, leaf, strict=True) if other == name] for name in leaf]
    means = [sum(values) / len(values) for values in own]
    return _order([(1 - lift) * s + lift * m for s, m in zip(scores, means, strict=True)], leaf)


def _best_of_all(scores: list[float], leaf: list[str], lift: float) -> list[int]:
    top = max(scores, default=0.0)
    return _order([(1 - lift) * s + lift * top for s in scores], leaf)


def _added_on_top(scores: list[float], leaf: list[str], lift: float) -> list[int]:
    return _order([s + lift * t for s, t in zip(scores, _tops(scores, leaf), strict=True)], leaf)


def _leaves_mixed(scores: list[float], leaf: list[str], lift: float) -> list[int]:
    keys = [(1 - lift) * s + lift * t for s, t in zip(scores, _tops(scores, leaf), strict=True)]
    return sorted(range(len(keys)), key=lambda place: -keys[place])


DIAL = Exercise(
    id="20.3",
    title="From sentences to leaves",
    solution=turn,
    oracle=_pick_one_by_one,
    cases=_cases,
    hints=(
        "At lift 0 the keys are the scores. At lift 1 all units of a leaf have one key. What lies between?",
        "First find the best score of each leaf.",
        "key = (1 - lift) · score + lift · best of the leaf. Sort by key downwards, then leaf, then place.",
    ),
    mistakes=(
        Mistake(
            _wrong_way_round, "The dial is the wrong way round: at lift 0 single sentences come back, at 1 leaves."
        ),
        Mistake(
            _mean_of_the_leaf, "The mean of the leaf pulls its best unit down. The dial lifts towards the best one."
        ),
        Mistake(
            _best_of_all, "The best of all units is one number: it lifts all alike. Take the best of the unit's leaf."
        ),
        Mistake(
            _added_on_top, "The leaf's best was added on top. Then the leaf counts at lift 1 no more than the unit."
        ),
        Mistake(_leaves_mixed, "Where keys are equal, units of two leaves are mixed. Settle by leaf, then by place."),
    ),
)
