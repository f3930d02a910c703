"""Exercise 24.2, choose on one half of the questions and judge on the other."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import fmean, median

from hierrag_lessons.evaluation import paired_difference
from hierrag_lessons.exercises.exercise import Exercise, Mistake

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


def _by_sorting(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    """Oracle: the present one, then all others by name; then, keeping that order, by their sums on dev."""
    names = [present, *sorted(dev.keys() - {present})]
    names.sort(key=lambda name: round(sum(dev[name]), 9), reverse=True)
    chosen = names[0]
    before = sum(x - y for x, y in zip(dev[chosen], dev[present], strict=True)) / len(dev[present])
    after = sum(x - y for x, y in zip(test[chosen], test[present], strict=True)) / len(test[present])
    return chosen, round(before, 6), round(after, 6)


def _cases(rng: Random) -> Iterator[tuple[Half, Half, str]]:
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


def _over(chosen: str, dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    """The leads of this method, however it was chosen."""
    before, after = (round(fmean(half[chosen]) - fmean(half[present]), 6) for half in (dev, test))
    return chosen, before, after


def _best(half: Half, present: str = "") -> str:
    return min(half, key=lambda name: (-round(fmean(half[name]), 9), name != present, name))


def _lead(half: Half, name: str, present: str) -> float:
    return fmean(half[name]) - fmean(half[present])


def _chosen_on_test(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    return _over(_best(test, present), dev, test, present)


def _each_half_its_own(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, _ = leads(dev, test, present)
    return best, before, leads(test, dev, present)[1]


def _all_together(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    return _over(_best({name: dev[name] + test[name] for name in dev}, present), dev, test, present)


def _mean_of_the_halves(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    return _over(_best({name: [fmean(dev[name]), fmean(test[name])] for name in dev}, present), dev, test, present)


def _kept_if_test_loses(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best = _best(dev, present)
    return _over(best if _lead(test, best, present) > 0 else present, dev, test, present)


def _best_of_those_ahead_on_test(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    ahead = {name: scores for name, scores in dev.items() if name == present or _lead(test, name, present) > 0}
    return _over(_best(ahead, present), dev, test, present)


def _smaller_lead(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    def worst(name: str) -> float:
        return min(_lead(dev, name, present), _lead(test, name, present))

    return _over(min(dev, key=lambda name: (-round(worst(name), 9), name != present, name)), dev, test, present)


def _median(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    return _over(min(dev, key=lambda name: (-median(dev[name]), name != present, name)), dev, test, present)


def _most_wins(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    def wins(name: str) -> int:
        return sum(own > other for own, other in zip(dev[name], dev[present], strict=True))

    return _over(min(dev, key=lambda name: (-wins(name), name != present, name)), dev, test, present)


def _only_if_shown(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best = _best(dev, present)
    return _over(best if paired_difference(dev[best], dev[present]).low > 0 else present, dev, test, present)


def _relative(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best = _best(dev, present)
    before, after = (_lead(half, best, present) / (fmean(half[present]) or 1) for half in (dev, test))
    return best, before, after


def _lead_over_the_next(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best = leads(dev, test, present)[0]
    return _over(best, dev, test, _best({name: scores for name, scores in dev.items() if name != best}))


def _never_the_present(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    return _over(_best({name: scores for name, scores in dev.items() if name != present}), dev, test, present)


def _leaves_for_a_tie(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    return _over(_best(dev), dev, test, present)


def _first_of_equals(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    return _over(max(dev, key=lambda name: fmean(dev[name])), dev, test, present)


def _last_name(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    return _over(max(dev, key=lambda name: (fmean(dev[name]), name)), dev, test, present)


def _last_name_of_others(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    return _over(max(dev, key=lambda name: (fmean(dev[name]), name == present, name)), dev, test, present)


def _means(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best = _best(dev, present)
    return best, round(fmean(dev[best]), 6), round(fmean(test[best]), 6)


def _the_other_sign(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, -before, -after


def _never_below_zero(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, abs(before), abs(after)


def _sums(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, before * len(dev[best]), after * len(test[best])


def _test_first(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, after, before


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
        Mistake(
            _mean_of_the_halves,
            "You chose by the mean of both halves. The test half has chosen as well, so it can no longer judge.",
        ),
        Mistake(
            _kept_if_test_loses,
            "Where the lead is lost on test you went back to the method in use. Then test has chosen as well, and "
            "nothing is left to judge with. Propose what dev chose, and report the loss.",
        ),
        Mistake(
            _best_of_those_ahead_on_test,
            "You chose among those that lead on test. That is choosing on test, with a detour: only dev may choose.",
        ),
        Mistake(
            _smaller_lead,
            "You chose by the smaller of both leads. It looks careful, but test has chosen as well: its lead there is "
            "too good again.",
        ),
        Mistake(_median, "You chose by the median. Asked is the mean: it counts how much is won and lost."),
        Mistake(
            _most_wins,
            "You counted on how many questions a method is ahead of the present one. Many small wins can be less than "
            "one large loss: choose by the mean.",
        ),
        Mistake(
            _only_if_shown,
            "You kept the method in use unless the interval on dev shows a lead. Stricter than asked, and wise; here "
            "dev proposes the best mean, and test judges it.",
        ),
        Mistake(
            _relative,
            "You divided by the present method's mean. A lead is asked in points: one mean minus the other.",
        ),
        Mistake(_lead_over_the_next, "The lead is asked over the method in use now, not over the second best."),
        Mistake(
            _never_the_present,
            "The method in use is the best on dev in some cases, and you proposed another. Then propose to keep it: "
            "its lead over itself is 0.",
        ),
        Mistake(
            _leaves_for_a_tie,
            "You proposed a method that is only as good as the one in use, because of its name. A change costs work: a "
            "tie is no reason to leave.",
        ),
        Mistake(
            _first_of_equals, "Of methods with equal means you took the one that stands first. Equal means go by name."
        ),
        Mistake(_last_name, "Of methods with equal means you took the last name. The first in the alphabet counts."),
        Mistake(
            _last_name_of_others,
            "You kept the method in use where it ties: right. But of others with equal means you took the last name; "
            "the first in the alphabet counts.",
        ),
        Mistake(_means, "You returned means. A lead is a difference: subtract the present method's mean."),
        Mistake(_the_other_sign, "The sign: a lead is the proposed method's mean minus the present one's."),
        Mistake(
            _never_below_zero,
            "A lead that is lost on test is negative. You returned its size: then every choice looks like a gain.",
        ),
        Mistake(_sums, "You took sums. The halves have unequal numbers of questions, so only means can be compared."),
        Mistake(_test_first, "The two leads have changed places: dev comes first."),
    ),
)
