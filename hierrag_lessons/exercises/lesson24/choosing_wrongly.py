"""Exercise 24.4, one method for everything, or one for each kind: the wrong answers, and what is said to each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from statistics import fmean, median

from hierrag_lessons.evaluation import paired_difference
from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson24.choosing import Asked, cases, one_by_one, routes


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


def _ahead_at_any_size(questions: list[Asked], least: int) -> dict[str, str]:
    return _only_where_ahead(questions, 1)


def _mixed(own: list[Asked], questions: list[Asked], weight: float) -> str:
    """The best where a kind's own means count with ``weight``, and those of all questions with the rest."""
    heaps = ((own, weight), (questions, 1 - weight))
    means = {m: sum(part * fmean(scores[m] for _, scores in heap) for heap, part in heaps) for m in own[0][1]}
    return _best([("", means)])


def _shrinks_small(questions: list[Asked], least: int) -> dict[str, str]:
    return {kind: _mixed(own, questions, min(1, len(own) / least)) for kind, own in _by_kind(questions).items()}


def _shrinks_all(questions: list[Asked], least: int) -> dict[str, str]:
    return {kind: _mixed(own, questions, len(own) / (len(own) + least)) for kind, own in _by_kind(questions).items()}


CHOOSING = Exercise(
    id="24.4",
    title="One method, or one for each kind",
    solution=routes,
    oracle=one_by_one,
    cases=cases,
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
            _ahead_at_any_size,
            "A kind got its own method only where the interval says that it is ahead, however few its questions are. "
            "Asked is simpler: with `least` questions or more the best mean decides, below it the best of all.",
        ),
        Mistake(
            _shrinks_small,
            "You mixed a small kind's own means with those of all questions. That is a known way (shrinking), and "
            "another rule: below `least` only the best of all counts.",
        ),
        Mistake(
            _shrinks_all,
            "You pulled every kind's means towards those of all questions. That is a known way (shrinking), and "
            "another rule: from `least` questions on a kind's own means decide alone.",
        ),
        Mistake(
            _first_of_equals, "Of methods with equal means you took the one that stands first. Equal means go by name."
        ),
        Mistake(_last_name, "Of methods with equal means you took the last name. The first in the alphabet counts."),
        Mistake(_best_single, "You compared each method's best question. One lucky question says nothing: take means."),
    ),
)
