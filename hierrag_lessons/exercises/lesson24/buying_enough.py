"""Exercise 24.3, the row to buy: wrong answers to what is good enough, and what is said to each."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import fmean, stdev

from hierrag_lessons.evaluation import bootstrap_interval, paired_difference, paired_test
from hierrag_lessons.exercises.exercise import Mistake
from hierrag_lessons.exercises.lesson24.buying import Offers

Enough = Callable[[dict[str, float], dict[str, float]], bool]
"""Whether the first row's scores are good enough beside those of the best."""


def bought(offers: Offers, gigabytes: float, enough: Enough, best: str | None = None) -> str | None:
    """The smallest row that fits and is good enough beside the best."""
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    if not fitting:
        return None
    top = offers[best or best_of(fitting)][1]
    return min([(size, name) for name, (size, own) in fitting.items() if enough(own, top)], default=(0, None))[1]


def best_of(offers: Offers) -> str:
    """The row with the highest mean; of equal ones the smaller, then the name."""
    return min(offers, key=lambda name: (-round(fmean(offers[name][1].values()), 9), offers[name][0], name))


def interval(own: dict[str, float], best: dict[str, float]) -> tuple[float, float]:
    """How far a row may be ahead of the best, or behind it, question by question."""
    return paired_difference(in_pairs(own, best), list(best.values()))


def in_pairs(own: dict[str, float], best: dict[str, float]) -> list[float]:
    """A row's scores in the best one's order of questions."""
    return [own[question] for question in best]


def _share_of_the_best(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: interval(own, best)[0] > -margin * fmean(best.values()))


def _in_points(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: 100 * interval(own, best)[0] > -margin)


def _normal(offers: Offers, gigabytes: float, margin: float) -> str | None:
    def enough(own: dict[str, float], best: dict[str, float]) -> bool:
        differences = [own[question] - best[question] for question in best]
        return fmean(differences) - 1.96 * stdev(differences) / sqrt(len(differences)) > -margin

    return bought(offers, gigabytes, enough)


def _share_lost(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: fmean(own[q] < best[q] for q in best) <= margin)


def _the_smallest(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: True)


def _no_difference_shown(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: interval(own, best)[1] >= 0)


def _high_end(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: interval(own, best)[1] > -margin)


def _mean_alone(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: round(fmean(own.values()) - fmean(best.values()), 9) > -margin)


def _overlapping(offers: Offers, gigabytes: float, margin: float) -> str | None:
    def enough(own: dict[str, float], best: dict[str, float]) -> bool:
        return bootstrap_interval(list(own.values())).high >= bootstrap_interval(list(best.values())).low

    return bought(offers, gigabytes, enough)


def _two_intervals(offers: Offers, gigabytes: float, margin: float) -> str | None:
    def enough(own: dict[str, float], best: dict[str, float]) -> bool:
        low, high = bootstrap_interval(list(own.values())).low, bootstrap_interval(list(best.values())).high
        return own == best or low - high > -margin

    return bought(offers, gigabytes, enough)


def _in_their_order(offers: Offers, gigabytes: float, margin: float) -> str | None:
    def enough(own: dict[str, float], best: dict[str, float]) -> bool:
        return paired_difference(list(own.values()), list(best.values())).low > -margin

    return bought(offers, gigabytes, enough)


def _above_the_margin(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: interval(own, best)[0] > margin)


def _equal_is_enough(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: interval(own, best)[0] >= -margin)


def _both_ends(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: max(map(abs, interval(own, best))) < margin)


def _no_difference_by_test(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: paired_test(in_pairs(own, best), list(best.values())) >= 0.05)


def _not_shown_and_near(offers: Offers, gigabytes: float, margin: float) -> str | None:
    def enough(own: dict[str, float], best: dict[str, float]) -> bool:
        return interval(own, best)[1] >= 0 and round(fmean(own.values()) - fmean(best.values()), 9) > -margin

    return bought(offers, gigabytes, enough)


def _every_question(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: all(own[q] - best[q] > -margin for q in best))


NOT_ENOUGH = (
    Mistake(
        _share_of_the_best,
        "You took the margin as a share of the best mean. It is in points: the low end is compared with `-margin` "
        "itself.",
    ),
    Mistake(
        _in_points,
        "You multiplied the low end by 100. Scores and margin are both shares of 1: a margin of 0.05 is 5 points.",
    ),
    Mistake(
        _normal,
        "You took the mean minus 1.96 standard errors. With few questions that is another interval than the "
        "course's: use `paired_difference`.",
    ),
    Mistake(
        _share_lost,
        "You counted on how many questions the row loses. How much it loses there counts, and what it wins "
        "elsewhere: take the interval of the mean difference.",
    ),
    Mistake(
        _the_smallest,
        "You bought the smallest, however far it is behind. If you did ask for an interval: it is that of the row "
        "minus the best, and its low end counts.",
    ),
    Mistake(
        _no_difference_shown,
        'You took "no difference shown" for "no difference". A wide interval around 0 allows a large loss: look at '
        "its low end.",
    ),
    Mistake(_high_end, "You looked at the high end, the best case. What may be lost stands at the low end."),
    Mistake(
        _mean_alone,
        "You compared the means, without an interval. With few questions a mean can be near by chance.",
    ),
    Mistake(
        _overlapping,
        "You looked whether two intervals overlap. Each is wide because questions are hard or easy; the "
        "difference has an interval of its own: `paired_difference`.",
    ),
    Mistake(
        _two_intervals,
        "You took the low end of one interval minus the high end of the other. Both rows met the same hard "
        "questions: resample the differences, with `paired_difference`.",
    ),
    Mistake(
        _in_their_order,
        "You paired the scores as they stand. The rows list their questions in different orders: look each "
        "question up by its name.",
    ),
    Mistake(_above_the_margin, "The sign: a loss is negative. Compare the low end with `-margin`."),
    Mistake(_equal_is_enough, "A low end of exactly `-margin` still allows a loss of the margin: too much."),
    Mistake(
        _both_ends,
        "You asked that both ends of the interval are within the margin. A gain is no fault: only the low end counts.",
    ),
    Mistake(
        _no_difference_by_test,
        'You bought where the test shows no difference. "No difference shown" is not "no difference": with few '
        "questions a large loss is not shown either. Take the low end of the interval.",
    ),
    Mistake(
        _not_shown_and_near,
        "You asked that no loss is shown and that the mean is within the margin. Both can hold by chance with few "
        "questions, while much may be lost: the low end alone decides.",
    ),
    Mistake(
        _every_question,
        "You asked that the row is near on every single question. Asked is the mean: a loss on one question may be "
        "made up on others.",
    ),
)
