"""Exercise 24.4, one method for everything, or one for each kind of question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from random import Random
from statistics import fmean, median

from hierrag_lessons.evaluation import paired_difference
from hierrag_lessons.exercises.exercise import Exercise, Mistake

Asked = tuple[str, dict[str, float]]
"""A question: its kind, and every method's score on it."""


def routes(questions: list[tuple[str, dict[str, float]]], least: int) -> dict[str, str]:
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
    for kind in dict.fromkeys(kind for kind, _ in questions):
        own = [question for question in questions if question[0] == kind]
        chosen[kind] = winner(own if len(own) >= least else questions)
    return chosen


_SCORES = [0.0, 0.25, 0.5, 0.75, 1.0]
"""Those of one question differ, so that it is clear which method is best on it."""


def _cases(rng: Random) -> Iterator[tuple[list[Asked], int]]:
    one, two = {"flat": 1.0, "tree": 0.0}, {"flat": 0.0, "tree": 1.0}
    yield [("fact", one), ("fact", one), ("fact", one), ("list", two), ("list", two)], 2
    yield [("fact", one), ("fact", one), ("fact", one), ("list", two), ("list", two)], 3
    yield [("fact", {"b": 0.5, "a": 0.5})], 1
    yield [("fact", {"b": 0.75, "a": 0.5}), ("list", {"b": 0.0, "a": 1.0})], 2
    # Among all questions b is best, among those of the large kind a.
    yield [("fact", {"a": 0.5, "b": 0.25}), ("fact", {"a": 0.5, "b": 0.25}), ("list", {"a": 0.0, "b": 1.0})], 2
    # a is best more often, b by more.
    yield [("fact", {"a": 0.5, "b": 0.25}), ("fact", {"a": 0.5, "b": 0.25}), ("fact", {"a": 0.0, "b": 1.0})], 2
    # The two small kinds together would choose a.
    yield [("fact", two), ("fact", two), ("fact", two), ("list", one), ("process", one)], 2
    yield [("fact", {"c": 0.5, "b": 0.75, "a": 0.75}), ("fact", {"c": 0.5, "b": 0.75, "a": 0.75})], 2
    for _ in range(30):
        methods = ["flat", "parents", "tree", "levels"][: rng.randrange(2, 5)]
        asked = [
            (
                rng.choice(["fact", "list", "process"]),
                dict(zip(methods, rng.sample(_SCORES, len(methods)), strict=True)),
            )
            for _ in range(rng.randrange(3, 14))
        ]
        yield asked, rng.randrange(1, 6)


def _by_kind(questions: list[Asked]) -> dict[str, list[Asked]]:
    kinds = defaultdict(list)
    for asked in questions:
        kinds[asked[0]].append(asked)
    return kinds


def _best(questions: list[Asked]) -> str:
    means = {method: fmean(scores[method] for _, scores in questions) for method in questions[0][1]}
    return min(means, key=lambda method: (-round(means[method], 9), method))


def _most_wins(questions: list[Asked]) -> str:
    wins = Counter(max(scores, key=scores.__getitem__) for _, scores in questions)
    return min(wins, key=lambda method: (-wins[method], method))


def _best_rank(questions: list[Asked]) -> str:
    ranks: Counter[str] = Counter()
    for _, scores in questions:
        ranks.update({m: n for n, m in enumerate(sorted(scores, key=lambda m: (-scores[m], m)))})
    return min(ranks, key=lambda method: (ranks[method], method))


def _with(
    choose: Callable[[list[Asked]], str], small: Callable[[list[Asked], int], str], questions: list[Asked], least: int
) -> dict[str, str]:
    """Large kinds by ``choose``, small ones by ``small``."""
    kinds = _by_kind(questions)
    return {kind: choose(own) if len(own) >= least else small(questions, least) for kind, own in kinds.items()}


def _always_its_own(questions: list[Asked], least: int) -> dict[str, str]:
    return routes(questions, 1)


def _always_one(questions: list[Asked], least: int) -> dict[str, str]:
    return routes(questions, len(questions) + 1)


def _more_than(questions: list[Asked], least: int) -> dict[str, str]:
    return routes(questions, least + 1)


def _mean_of_kinds(questions: list[Asked], least: int) -> dict[str, str]:
    def small(questions: list[Asked], least: int) -> str:
        kinds = _by_kind(questions).values()
        means = [{m: fmean(scores[m] for _, scores in own) for m in questions[0][1]} for own in kinds]
        return _best([("", mean) for mean in means])

    return _with(_best, small, questions, least)


def _counts_wins(questions: list[Asked], least: int) -> dict[str, str]:
    return _with(_most_wins, lambda questions, least: _most_wins(questions), questions, least)


def _compares_ranks(questions: list[Asked], least: int) -> dict[str, str]:
    return _with(_best_rank, lambda questions, least: _best_rank(questions), questions, least)


def _leaves_small_out(questions: list[Asked], least: int) -> dict[str, str]:
    return {kind: _best(own) for kind, own in _by_kind(questions).items() if len(own) >= least}


def _from_large_alone(questions: list[Asked], least: int) -> dict[str, str]:
    def small(questions: list[Asked], least: int) -> str:
        large = [each for own in _by_kind(questions).values() if len(own) >= least for each in own]
        return _best(large or questions)

    return _with(_best, small, questions, least)


def _pools_small(questions: list[Asked], least: int) -> dict[str, str]:
    def small(questions: list[Asked], least: int) -> str:
        return _best([each for own in _by_kind(questions).values() if len(own) < least for each in own])

    return _with(_best, small, questions, least)


def _largest_kind(questions: list[Asked], least: int) -> dict[str, str]:
    return _with(_best, lambda questions, least: _best(max(_by_kind(questions).values(), key=len)), questions, least)


def _other_kinds(questions: list[Asked], least: int) -> dict[str, str]:
    def others(kind: str) -> list[Asked]:
        return [asked for asked in questions if asked[0] != kind] or questions

    return {kind: _best(own if len(own) >= least else others(kind)) for kind, own in _by_kind(questions).items()}


def _median(questions: list[Asked], least: int) -> dict[str, str]:
    def middle(questions: list[Asked]) -> str:
        return min(questions[0][1], key=lambda method: (-median(scores[method] for _, scores in questions), method))

    return _with(middle, lambda questions, least: middle(questions), questions, least)


def _only_where_ahead(questions: list[Asked], least: int) -> dict[str, str]:
    overall = _best(questions)

    def surely(own: list[Asked]) -> str:
        best = _best(own)
        interval = paired_difference([scores[best] for _, scores in own], [scores[overall] for _, scores in own])
        return best if interval.low > 0 else overall

    return _with(surely, lambda questions, least: overall, questions, least)


def _first_of_equals(questions: list[Asked], least: int) -> dict[str, str]:
    def first(questions: list[Asked]) -> str:
        return max(questions[0][1], key=lambda method: fmean(scores[method] for _, scores in questions))

    return _with(first, lambda questions, least: first(questions), questions, least)


def _last_name(questions: list[Asked], least: int) -> dict[str, str]:
    def last(questions: list[Asked]) -> str:
        return max(questions[0][1], key=lambda method: (fmean(scores[method] for _, scores in questions), method))

    return _with(last, lambda questions, least: last(questions), questions, least)


def _best_single(questions: list[Asked], least: int) -> dict[str, str]:
    def luckiest(questions: list[Asked]) -> str:
        return min(questions[0][1], key=lambda method: (-max(scores[method] for _, scores in questions), method))

    return _with(luckiest, lambda questions, least: luckiest(questions), questions, least)


CHOOSING = Exercise(
    id="24.4",
    title="One method, or one for each kind",
    solution=routes,
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
        Mistake(
            _counts_wins,
            "You counted on how many questions each method is best. A method that is best often by little and worst "
            "now and then by much has many wins and a low mean. Compare means.",
        ),
        Mistake(
            _compares_ranks,
            "You compared mean ranks. A rank does not see by how much a method is better: compare means.",
        ),
        Mistake(
            _leaves_small_out,
            "Kinds with few questions are missing. A question of that kind will come, and needs a method: the best of "
            "all.",
        ),
        Mistake(
            _from_large_alone,
            "For small kinds you took the best over the large kinds' questions. A small kind's own questions are few, "
            "but they count: the best of *all* questions is asked.",
        ),
        Mistake(
            _pools_small,
            "You put the small kinds together and chose for that heap. They have nothing in common but their size; "
            "take the best of all questions.",
        ),
        Mistake(
            _largest_kind,
            "Small kinds got the method of the largest kind. It has the most questions, but not all: take the best of "
            "all questions.",
        ),
        Mistake(
            _other_kinds,
            "For a small kind you left its own questions out and took the best of the others. They are few, but they "
            'count: "all" means all.',
        ),
        Mistake(
            _median,
            "You compared medians. A median does not see how much is lost on the worst questions: compare means.",
        ),
        Mistake(
            _only_where_ahead,
            "Stricter than asked, and wise: a kind got its own method only where the interval says that it is ahead. "
            "Here `least` is the only care that is taken: the best mean decides.",
        ),
        Mistake(
            _first_of_equals, "Of methods with equal means you took the one that stands first. Equal means go by name."
        ),
        Mistake(_last_name, "Of methods with equal means you took the last name. The first in the alphabet counts."),
        Mistake(_best_single, "You compared each method's best question. One lucky question says nothing: take means."),
    ),
)
