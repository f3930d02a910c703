"""Exercise 10.3: the forward step of Viterbi's algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def lowest_cost(costs: list[list[int]], penalty: int) -> int:
    """The lowest total cost of any labelling: the costs of its labels plus ``penalty`` for every change of label.

    ``costs[i][t]`` is what it costs to give sentence ``i`` the label ``t``. There is at least one sentence.
    """
    best = list(costs[0])
    for row in costs[1:]:
        switch = min(best) + penalty
        best = [min(stay, switch) + cost for stay, cost in zip(best, row, strict=True)]
    return min(best)


def _every_labelling(costs: list[list[int]], penalty: int) -> int:
    """Oracle: write down every sequence of labels."""
    totals = []
    for labels in product(range(len(costs[0])), repeat=len(costs)):
        total = sum(costs[i][label] for i, label in enumerate(labels))
        totals.append(total + penalty * sum(a != b for a, b in pairwise(labels)))
    return min(totals)


def _cases(rng: Random) -> Iterator[tuple[list[list[int]], int]]:
    yield [[3, 1]], 2
    yield [[0, 9], [9, 0]], 2
    yield [[0, 9], [9, 0]], 20
    yield [[0, 2], [2, 0], [0, 2]], 3
    yield [[0, 3], [2, 0], [2, 0], [2, 0]], 5
    yield [[1, 4, 4], [4, 1, 4], [4, 1, 4]], 0
    for _ in range(40):
        topics = rng.randrange(1, 4)
        yield [[rng.randrange(10) for _ in range(topics)] for _ in range(rng.randrange(1, 6))], rng.randrange(8)


def _no_penalty(costs: list[list[int]], penalty: int) -> int:
    return sum(min(row) for row in costs)


def _one_topic(costs: list[list[int]], penalty: int) -> int:
    return min(sum(row[topic] for row in costs) for topic in range(len(costs[0])))


def _nearest_then_pay(costs: list[list[int]], penalty: int) -> int:
    labels = [row.index(min(row)) for row in costs]
    return sum(min(row) for row in costs) + penalty * sum(a != b for a, b in pairwise(labels))


def _sentence_by_sentence(costs: list[list[int]], penalty: int) -> int:
    label = costs[0].index(min(costs[0]))
    total = costs[0][label]
    for row in costs[1:]:
        cheapest = row.index(min(row))
        if row[cheapest] + penalty < row[label]:
            label, total = cheapest, total + penalty
        total += row[label]
    return total


def _always_pays(costs: list[list[int]], penalty: int) -> int:
    best = list(costs[0])
    for row in costs[1:]:
        best = [min(best) + penalty + cost for cost in row]
    return min(best)


LOWEST_COST = Exercise(
    id="10.3",
    title="The cheapest labelling",
    solution=lowest_cost,
    oracle=_every_labelling,
    cases=_cases,
    hints=(
        "Keep, for each label, the lowest cost of all labellings so far that end in it. Start with costs[0].",
        "To end in label t at the next sentence, either stay in t or come from the cheapest label and pay the penalty.",
        "stay = best[t]; switch = min(best) + penalty; the new best[t] is min(stay, switch) + costs[i][t].",
    ),
    mistakes=(
        Mistake(_no_penalty, "Every sentence takes its cheapest label and no change is paid for."),
        Mistake(_one_topic, "All sentences get the same label. A change is allowed: it only costs the penalty."),
        Mistake(
            _nearest_then_pay,
            "The labels are chosen without regard to the penalty, and it is added afterwards: a dear change is never "
            "avoided.",
        ),
        Mistake(
            _sentence_by_sentence,
            "Each sentence decides for itself whether a change pays. Three together can pay for one that none of them "
            "pays for alone: keep the best cost for every label, not only for one.",
        ),
        Mistake(_always_pays, "Staying with a label costs the penalty, too. Only a change does."),
    ),
)
