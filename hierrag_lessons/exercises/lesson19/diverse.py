"""Exercise 19.2, the bugs in a published choice by marginal relevance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from random import Random
from statistics import fmean

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def choose_diverse(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    """The places of ``k`` texts by maximal marginal relevance, best first; of equal ones the earlier."""
    chosen: list[int] = []
    while len(chosen) < min(k, len(relevance)):
        best, best_value = -1, float("-inf")
        for place in range(len(relevance)):
            if place in chosen:
                continue
            nearest = max((similarity[place][other] for other in chosen), default=0.0)
            value = balance * relevance[place] - (1 - balance) * nearest
            if value > best_value:
                best, best_value = place, value
        chosen.append(best)
    return chosen


def _published(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    """The code that is handed out."""
    chosen: list[int] = []
    while len(chosen) < min(k, len(relevance)):
        best, best_value = -1, 0.0
        for place in range(len(relevance)):
            if place in chosen:
                continue
            nearest = sum(similarity[place][other] for other in chosen)
            value = balance * relevance[place] - (1 - balance) * nearest
            if value > best_value:
                best, best_value = place, value
        chosen.append(best)
    return chosen


def _first_of_all_orders(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    """Oracle: of all orders of ``k`` texts the one with the highest values, compared from the first choice on."""

    def values(order: tuple[int, ...]) -> tuple[float, ...]:
        found = []
        for rank, place in enumerate(order):
            before = [similarity[place][other] for other in order[:rank]]
            found.append(balance * relevance[place] - (1 - balance) * (max(before) if before else 0.0))
        return tuple(found)

    n = len(relevance)
    orders = permutations(range(n), min(k, n))
    best: tuple[int, ...] = ()
    best_key: tuple[float, ...] | None = None
    for order in orders:
        key = tuple(part for value, place in zip(values(order), order, strict=True) for part in (value, -place))
        if best_key is None or key > best_key:
            best, best_key = order, key
    return list(best)


def _cases(rng: Random) -> Iterator[tuple[list[float], list[list[float]], int, float]]:
    same = [[1.0, 1.0, 0.25], [1.0, 1.0, 0.25], [0.25, 0.25, 1.0]]
    yield ([], [], 3, 0.5)
    yield ([0.5], [[1.0]], 3, 0.5)
    yield ([0.75, 0.75, 0.5], same, 3, 0.5)
    yield ([0.75, 0.75, 0.5], same, 2, 1.0)
    yield ([0.5, 0.75, 0.5], same, 3, 0.0)
    yield ([-0.5, -0.25, -0.75], same, 2, 0.5)
    yield (
        [1.0, 0.5, 0.75, 0.5],
        [[1.0, 0.5, 0.5, 0.75], [0.5, 1.0, 0.5, 0.0], [0.5] * 2 + [1.0, 0.5], [0.75, 0.0, 0.5, 1.0]],
        4,
        0.5,
    )
    for _ in range(40):
        n = rng.randrange(2, 6)
        table = [[1.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(i):
                table[i][j] = table[j][i] = rng.randrange(5) / 4
        yield ([rng.randrange(-2, 9) / 8 for _ in range(n)], table, rng.randrange(1, 5), rng.choice([0.25, 0.5, 0.75]))


_Near = Callable[[list[float]], float]


def _greedy(
    relevance: list[float], similarity: list[list[float]], k: int, balance: float, least: float, near: _Near
) -> list[int]:
    chosen: list[int] = []
    while len(chosen) < min(k, len(relevance)):
        best, best_value = -1, least
        for place in range(len(relevance)):
            if place in chosen:
                continue
            known = [similarity[place][other] for other in chosen]
            value = balance * relevance[place] - (1 - balance) * (near(known) if known else 0.0)
            if value > best_value:
                best, best_value = place, value
        chosen.append(best)
    return chosen


def _never_below_zero(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    return _greedy(relevance, similarity, k, balance, 0.0, max)


def _sum(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    return _greedy(relevance, similarity, k, balance, float("-inf"), sum)


def _mean(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    return _greedy(relevance, similarity, k, balance, float("-inf"), fmean)


def _last_one(values: list[float]) -> float:
    return values[-1]


def _last(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    return _greedy(relevance, similarity, k, balance, float("-inf"), _last_one)


def _swapped(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    return _greedy(relevance, similarity, k, 1 - balance, float("-inf"), max)


def _stops_at_zero(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    return [place for place in _never_below_zero(relevance, similarity, k, balance) if place >= 0]


DIVERSE = Exercise(
    id="19.2",
    title="Find the bugs: marginal relevance",
    solution=choose_diverse,
    oracle=_first_of_all_orders,
    cases=_cases,
    start=_published,
    hints=(
        "Two things are wrong. Print the values while it chooses among texts that are much alike.",
        "What happens when every value is below 0?",
        "After ten choices, how large is the sum of the similarities, and how large is the relevance?",
    ),
    mistakes=(
        Mistake(
            _never_below_zero,
            "Only the similarity is repaired. Values below 0 are ordinary in the later rounds; with 0 as the value to "
            "beat nothing is chosen then, and the place -1 is the last text in Python.",
        ),
        Mistake(
            _stops_at_zero,
            "Values below 0 are ordinary in the later rounds. There are still k texts to choose, not fewer.",
        ),
        Mistake(
            _sum,
            "Only the start value is repaired. A sum grows with every choice, until nothing but the number of chosen "
            "texts counts; the method takes the similarity to the nearest one.",
        ),
        Mistake(_mean, "A mean forgives a text that repeats one of ten chosen ones word by word. Take the nearest."),
        Mistake(_last, "Only the text chosen last was looked at; an earlier one may be repeated."),
        Mistake(_swapped, "`balance` is the weight of the relevance; here it weighs the similarity."),
    ),
)
