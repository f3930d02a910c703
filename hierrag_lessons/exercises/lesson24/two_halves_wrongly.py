"""Exercise 24.2, choose on one half and judge on the other: the wrong answers, and what is said to each."""

from __future__ import annotations

from statistics import fmean, median

from hierrag_lessons.evaluation import paired_difference
from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson24.two_halves import Half, by_sorting, cases, leads


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


def _times_a_hundred(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, 100 * before, 100 * after


def _loss_on_test_is_zero(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, before, max(0.0, after)


def _smaller_as_test(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, before, min(before, after)


def _smaller_twice(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, min(before, after), min(before, after)


def _mean_as_test(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, before, round((before + after) / 2, 6)


def _mean_twice(dev: Half, test: Half, present: str) -> tuple[str, float, float]:
    best, before, after = leads(dev, test, present)
    return best, round((before + after) / 2, 6), round((before + after) / 2, 6)


TWO_HALVES = Exercise(
    id="24.2",
    title="Choose on one half, judge on the other",
    solution=leads,
    oracle=by_sorting,
    cases=cases,
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
            "You divided by the present method's mean. A lead is one mean minus the other, nothing else.",
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
        Mistake(
            _times_a_hundred,
            "You returned points: the leads times 100. The page prints points; here a lead is a share of 1, as the "
            "scores are.",
        ),
        Mistake(
            _loss_on_test_is_zero,
            "Where the lead is lost on test you returned 0. A loss is negative, and it is news: report it as it is.",
        ),
        Mistake(
            _smaller_as_test,
            "As the lead on test you returned the smaller of both. It may be larger there: report what test shows.",
        ),
        Mistake(
            _smaller_twice,
            "You returned the smaller of both leads, twice. Report both as they are: first dev's, then test's.",
        ),
        Mistake(
            _mean_as_test,
            "As the lead on test you returned the mean of both. Dev has chosen, so its lead is too good and must stay "
            "out of the judgement.",
        ),
        Mistake(
            _mean_twice,
            "You returned the mean of both leads, twice. Dev has chosen, so its lead is too good: keep the two apart.",
        ),
        Mistake(_sums, "You took sums. The halves have unequal numbers of questions, so only means can be compared."),
        Mistake(_test_first, "The two leads have changed places: dev comes first."),
    ),
)
