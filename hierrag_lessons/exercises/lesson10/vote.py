"""Exercise 10.1: majority smoothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def vote(labels: list[int], reach: int) -> list[int]:
    """Each label becomes the most frequent one among itself and ``reach`` neighbours on either side.

    Among equally frequent labels a sentence keeps its own; where its own is not among them, the smallest wins.
    """
    smoothed = []
    for i, own in enumerate(labels):
        votes = Counter(labels[max(0, i - reach) : i + reach + 1])
        winners = [label for label, number in votes.items() if number == max(votes.values())]
        smoothed.append(own if own in winners else min(winners))
    return smoothed


def _count_by_hand(labels: list[int], reach: int) -> list[int]:
    """Oracle: try every label in order, own one first, and keep a strictly better one."""
    smoothed = []
    for i, own in enumerate(labels):
        best, most = own, 0
        for candidate in (own, *sorted(set(labels))):
            number = 0
            for j, label in enumerate(labels):
                number += abs(i - j) <= reach and label == candidate
            if number > most:
                best, most = candidate, number
        smoothed.append(best)
    return smoothed


def _cases(rng: Random) -> Iterator[tuple[list[int], int]]:
    yield [], 2
    yield [0, 1, 0], 1
    yield [1, 0, 2], 1
    yield [0, 0, 1, 1], 1
    yield [2, 2, 0, 1, 0, 1, 1], 2
    yield [1, 0], 5
    for _ in range(40):
        yield [rng.randrange(3) for _ in range(rng.randrange(1, 10))], rng.randrange(4)


def _in_place(labels: list[int], reach: int) -> list[int]:
    smoothed = list(labels)
    for i, own in enumerate(labels):
        votes = Counter(smoothed[max(0, i - reach) : i + reach + 1])
        winners = [label for label, number in votes.items() if number == max(votes.values())]
        smoothed[i] = own if own in winners else min(winners)
    return smoothed


def _smallest_winner(labels: list[int], reach: int) -> list[int]:
    smoothed = []
    for i in range(len(labels)):
        votes = Counter(labels[max(0, i - reach) : i + reach + 1])
        smoothed.append(min(votes, key=lambda label: (-votes[label], label)))
    return smoothed


def _first_in_the_window(labels: list[int], reach: int) -> list[int]:
    return [Counter(labels[max(0, i - reach) : i + reach + 1]).most_common(1)[0][0] for i in range(len(labels))]


def _one_short(labels: list[int], reach: int) -> list[int]:
    smoothed = []
    for i, own in enumerate(labels):
        votes = Counter(labels[max(0, i - reach) : i + reach] or [own])
        winners = [label for label, number in votes.items() if number == max(votes.values())]
        smoothed.append(own if own in winners else min(winners))
    return smoothed


def _start_below_zero(labels: list[int], reach: int) -> list[int]:
    smoothed = []
    for i, own in enumerate(labels):
        votes = Counter(labels[i - reach : i + reach + 1] or [own])
        winners = [label for label, number in votes.items() if number == max(votes.values())]
        smoothed.append(own if own in winners else min(winners))
    return smoothed


def _without_itself(labels: list[int], reach: int) -> list[int]:
    smoothed = []
    for i, own in enumerate(labels):
        votes = Counter(labels[max(0, i - reach) : i] + labels[i + 1 : i + reach + 1]) or Counter([own])
        winners = [label for label, number in votes.items() if number == max(votes.values())]
        smoothed.append(own if own in winners else min(winners))
    return smoothed


VOTE = Exercise(
    id="10.1",
    title="Majority smoothing",
    solution=vote,
    oracle=_count_by_hand,
    cases=_cases,
    hints=(
        "labels[max(0, i - reach) : i + reach + 1] are the voters of sentence i; collections.Counter counts them.",
        "Write the results into a new list: the voters are the labels as they came in.",
        "Collect all labels with the highest count first, then decide between them.",
    ),
    mistakes=(
        Mistake(_in_place, "Some voters have been smoothed already: the result then depends on the reading direction."),
        Mistake(
            _smallest_winner,
            "With equal votes the smallest label wins, even against the sentence's own: without a majority against it, "
            "a label should stay.",
        ),
        Mistake(
            _first_in_the_window,
            "With equal votes `most_common` takes the label that it met first, which is the one at the left of the "
            "window. The sentence's own label stays where it is among the winners; else the smallest wins.",
        ),
        Mistake(_one_short, "The window ends one sentence early: a slice leaves its end out, so write i + reach + 1."),
        Mistake(
            _start_below_zero,
            "Near the beginning i - reach is below 0, and a slice that starts below 0 counts from the end of the list: "
            "write max(0, i - reach).",
        ),
        Mistake(_without_itself, "The sentence itself has no vote. It belongs to the window as well."),
    ),
)
