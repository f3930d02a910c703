"""Exercise 24.4, one method for everything, or one for each kind of question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Asked = tuple[str, dict[str, float]]
"""A question: its kind, and every method's score on it."""


def choose(questions: list[tuple[str, dict[str, float]]], least: int) -> dict[str, str]:
    """For each kind the method with the best mean; kinds with fewer than ``least`` questions take the best of all."""

    def best(scores: list[dict[str, float]]) -> str:
        return min(scores[0], key=lambda method: (-round(sum(each[method] for each in scores), 9), method))

    kinds = defaultdict(list)
    for kind, scores in questions:
        kinds[kind].append(scores)
    overall = best([scores for _, scores in questions])
    return {kind: best(own) if len(own) >= least else overall for kind, own in kinds.items()}


def _one_by_one(questions: list[Asked], least: int) -> dict[str, str]:
    """Oracle: for each kind, add up each method's scores and look for the largest, names in order."""

    def winner(asked: list[Asked]) -> str:
        found, reached = "", float("-inf")
        for method in sorted(asked[0][1]):
            total = round(sum(scores[method] for _, scores in asked), 9)
            if total > reached:
                found, reached = method, total
        return found

    chosen = {}
    for kind in {kind for kind, _ in questions}:
        own = [question for question in questions if question[0] == kind]
        chosen[kind] = winner(own if len(own) >= least else questions)
    return chosen


def _cases(rng: Random) -> Iterator[tuple[list[Asked], int]]:
    one, two = {"flat": 1.0, "tree": 0.0}, {"flat": 0.0, "tree": 1.0}
    yield [("fact", one), ("fact", one), ("fact", one), ("list", two), ("list", two)], 2
    yield [("fact", one), ("fact", one), ("fact", one), ("list", two), ("list", two)], 3
    yield [("fact", {"b": 0.5, "a": 0.5})], 1
    yield [("fact", {"b": 0.75, "a": 0.5}), ("list", {"b": 0.0, "a": 1.0})], 2
    for _ in range(30):
        methods = ["flat", "parents", "tree", "levels"][: rng.randrange(2, 5)]
        asked = [
            (rng.choice(["fact", "list", "process"]), {method: rng.randrange(5) / 4 for method in methods})
            for _ in range(rng.randrange(3, 14))
        ]
        yield asked, rng.randrange(1, 6)


def _always_its_own(questions: list[Asked], least: int) -> dict[str, str]:
    return choose(questions, 1)


def _always_one(questions: list[Asked], least: int) -> dict[str, str]:
    return choose(questions, len(questions) + 1)


def _more_than(questions: list[Asked], least: int) -> dict[str, str]:
    return choose(questions, least + 1)


def _mean_of_kinds(questions: list[Asked], least: int) -> dict[str, str]:
    kinds = defaultdict(list)
    for kind, scores in questions:
        kinds[kind].append(scores)
    means = [{m: sum(s[m] for s in own) / len(own) for m in own[0]} for own in kinds.values()]
    overall = min(means[0], key=lambda m: (-round(sum(each[m] for each in means), 9), m))
    return {kind: method if len(kinds[kind]) >= least else overall for kind, method in choose(questions, 1).items()}


CHOOSING = Exercise(
    id="24.4",
    title="One method, or one for each kind",
    solution=choose,
    oracle=_one_by_one,
    cases=_cases,
    hints=(
        "First collect the questions of each kind. Then ask of each heap the same: which method has the best mean?",
        "A small heap says little. Give it what is best over all questions, each counted once.",
    ),
    mistakes=(
        Mistake(
            _always_its_own,
            "A kind with fewer than `least` questions got its own method. That is a guess from a handful; take the "
            "best of all.",
        ),
        Mistake(_always_one, "Every kind got the same method, also those with enough questions of their own."),
        Mistake(_more_than, "A kind with exactly `least` questions has enough."),
        Mistake(
            _mean_of_kinds,
            "For small kinds you took the best over the kinds' means. Then three questions weigh as much as thirty. "
            "Count each question once.",
        ),
    ),
)
