"""Exercise 24.3, the row to buy: the wrong answers, and what is said to each."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from statistics import fmean, stdev

from hierrag_lessons.evaluation import bootstrap_interval, paired_difference
from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson24.buying import Offers, all_resamples, buy, cases

Enough = Callable[[dict[str, float], dict[str, float]], bool]
"""Whether the first row's scores are good enough beside those of the best."""


def _bought(offers: Offers, gigabytes: float, enough: Enough, best: str | None = None) -> str | None:
    """The smallest row that fits and is good enough beside the best."""
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    if not fitting:
        return None
    top = offers[best or _best(fitting)][1]
    return min([(size, name) for name, (size, own) in fitting.items() if enough(own, top)], default=(0, None))[1]


def _best(offers: Offers) -> str:
    return min(offers, key=lambda name: (-round(fmean(offers[name][1].values()), 9), offers[name][0], name))


def _interval(own: dict[str, float], best: dict[str, float]) -> tuple[float, float]:
    return paired_difference([own[question] for question in best], list(best.values()))


def _of_all(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: _interval(own, best)[0] > -margin, _best(offers))


def _the_best(offers: Offers, gigabytes: float, margin: float) -> str | None:
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    return _best(fitting) if fitting else None


def _the_smallest(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: True)


def _no_difference_shown(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: _interval(own, best)[1] >= 0)


def _high_end(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: _interval(own, best)[1] > -margin)


def _mean_alone(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: round(fmean(own.values()) - fmean(best.values()), 9) > -margin)


def _overlapping(offers: Offers, gigabytes: float, margin: float) -> str | None:
    def enough(own: dict[str, float], best: dict[str, float]) -> bool:
        return bootstrap_interval(list(own.values())).high >= bootstrap_interval(list(best.values())).low

    return _bought(offers, gigabytes, enough)


def _two_intervals(offers: Offers, gigabytes: float, margin: float) -> str | None:
    def enough(own: dict[str, float], best: dict[str, float]) -> bool:
        low, high = bootstrap_interval(list(own.values())).low, bootstrap_interval(list(best.values())).high
        return own == best or low - high > -margin

    return _bought(offers, gigabytes, enough)


def _in_their_order(offers: Offers, gigabytes: float, margin: float) -> str | None:
    def enough(own: dict[str, float], best: dict[str, float]) -> bool:
        return paired_difference(list(own.values()), list(best.values())).low > -margin

    return _bought(offers, gigabytes, enough)


def _above_the_margin(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: _interval(own, best)[0] > margin)


def _equal_is_enough(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: _interval(own, best)[0] >= -margin)


def _best_of_the_good(offers: Offers, gigabytes: float, margin: float) -> str | None:
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    if not fitting:
        return None
    top = offers[_best(fitting)][1]
    good = [(fmean(own.values()), name) for name, (_, own) in fitting.items() if _interval(own, top)[0] > -margin]
    return max(good)[1]


def _for_each_gigabyte(offers: Offers, gigabytes: float, margin: float) -> str | None:
    fitting = [(-fmean(own.values()) / size, name) for name, (size, own) in offers.items() if size <= gigabytes]
    return min(fitting, default=(0, None))[1]


def _smaller_than_the_disk(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return buy({name: offer for name, offer in offers.items() if offer[0] < gigabytes}, gigabytes, margin)


def _first_of_equals(offers: Offers, gigabytes: float, margin: float) -> str | None:
    bought = buy(offers, gigabytes, margin)
    if bought is None:
        return None
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    top = offers[_best(fitting)][1]
    good = [name for name, (_, own) in fitting.items() if _interval(own, top)[0] > -margin]
    return min(good, key=lambda name: offers[name][0])


def _no_disk(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return buy(offers, inf, margin)


def _share_of_the_best(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: _interval(own, best)[0] > -margin * fmean(best.values()))


def _the_largest(offers: Offers, gigabytes: float, margin: float) -> str | None:
    """Compares with the largest that fits; of equals with the last name."""
    largest = max(((size, name) for name, (size, _) in offers.items() if size <= gigabytes), default=(0, None))[1]
    return _bought(offers, gigabytes, lambda own, best: _interval(own, best)[0] > -margin, largest)


def _chain(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _step_by_step(offers, gigabytes, margin)


def _chain_to_the_first_gap(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _step_by_step(offers, gigabytes, margin, stops=True)


def _chain_from_the_largest(offers: Offers, gigabytes: float, margin: float) -> str | None:
    fitting = [(size, name) for name, (size, _) in offers.items() if size <= gigabytes]
    return _step_by_step(offers, gigabytes, margin, max(fitting, default=(0, ""))[1])


def _step_by_step(
    offers: Offers, gigabytes: float, margin: float, start: str = "", *, stops: bool = False
) -> str | None:
    """From ``start`` on downwards, else from the best, each row is compared with the one that was kept last."""
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    if not fitting:
        return None
    kept = start or _best(fitting)
    for size, name in sorted(((size, name) for name, (size, _) in fitting.items()), reverse=True):
        if size <= fitting[kept][0]:
            if _interval(fitting[name][1], fitting[kept][1])[0] > -margin:
                kept = name
            elif stops:
                break
    return kept


def _in_points(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: 100 * _interval(own, best)[0] > -margin)


def _normal(offers: Offers, gigabytes: float, margin: float) -> str | None:
    def enough(own: dict[str, float], best: dict[str, float]) -> bool:
        differences = [own[question] - best[question] for question in best]
        return fmean(differences) - 1.96 * stdev(differences) / sqrt(len(differences)) > -margin

    return _bought(offers, gigabytes, enough)


def _share_lost(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return _bought(offers, gigabytes, lambda own, best: fmean(own[q] < best[q] for q in best) <= margin)


BUYING = Exercise(
    id="24.3",
    title="The row to buy",
    solution=buy,
    oracle=all_resamples,
    cases=cases,
    hints=(
        "Three steps: what fits on the disk, which of those has the best mean, and which are not far behind it.",
        "`paired_difference(own, best)` wants two lists in the same order of questions. Make both from one row's keys.",
        "A row is good enough where the low end is above `-margin`. The best one always is: its interval is 0 to 0. Of "
        "those that are left take the smallest.",
    ),
    mistakes=(
        Mistake(
            _of_all,
            "You compared with the best of all rows, also where it does not fit. What you cannot store you cannot buy: "
            "compare with the best that fits.",
        ),
        Mistake(_no_disk, "You bought a row that does not fit on the disk. Leave out first what is too large."),
        Mistake(
            _share_of_the_best,
            "You took the margin as a share of the best mean. It is in points: the low end is compared with `-margin` "
            "itself.",
        ),
        Mistake(
            _the_largest,
            "You compared with the largest row that fits. Larger is not always better: compare with the best mean.",
        ),
        Mistake(
            _chain,
            "You compared each row with the one that you kept last. So every step may lose nearly a margin, and three "
            "steps lose three. Compare each with the best.",
        ),
        Mistake(
            _chain_to_the_first_gap,
            "You went down row by row, each compared with the last, up to the first that is too far behind. The steps "
            "add up, and a smaller row after a bad one can be good. Compare each with the best.",
        ),
        Mistake(
            _chain_from_the_largest,
            "You began with the largest row and compared each with the last. Larger is not always better, and steps "
            "add up. Begin with the best mean, and compare each with that.",
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
        Mistake(_the_best, "You bought the best that fits. Asked is the smallest that is surely not far behind it."),
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
            _best_of_the_good,
            "Of the rows that are good enough you took the best: that always is the best that fits. Take the smallest.",
        ),
        Mistake(
            _for_each_gigabyte,
            "You divided the mean by the gigabytes. That makes any small row win: twice as small counts as twice as "
            "good.",
        ),
        Mistake(_smaller_than_the_disk, "A row of exactly the disk's size fits."),
        Mistake(_first_of_equals, "Two rows take the same room and you took the first. Equal sizes go by name."),
    ),
)
