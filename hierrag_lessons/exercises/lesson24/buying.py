"""Exercise 24.3, the row to buy."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from statistics import fmean

from hierrag_lessons.evaluation import bootstrap_interval, paired_difference
from hierrag_lessons.exercises.exercise import Exercise, Mistake

Offers = dict[str, tuple[float, dict[str, float]]]
"""What each row takes on the disk, in gigabytes, and its score on each question."""
Enough = Callable[[dict[str, float], dict[str, float]], bool]
"""Whether the first row's scores are good enough beside those of the best."""


def buy(offers: dict[str, tuple[float, dict[str, float]]], gigabytes: float, margin: float) -> str | None:
    """The smallest row that is surely less than ``margin`` behind the best that fits; ``None`` where none fits."""
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    if not fitting:
        return None
    means = {name: sum(scores.values()) / len(scores) for name, (_, scores) in fitting.items()}
    _, best = fitting[min(fitting, key=lambda name: (-round(means[name], 9), fitting[name][0], name))]
    good = []
    for name, (size, scores) in fitting.items():
        interval = paired_difference([scores[question] for question in best], list(best.values()))
        if interval.low > -margin:
            good.append((size, name))
    return min(good)[1]


def _all_resamples(offers: Offers, gigabytes: float, margin: float) -> str | None:
    """Oracle: go through the rows from the smallest on, and count all resamples there are instead of drawing some."""
    order = sorted((size, name) for name, (size, _) in offers.items() if size <= gigabytes)
    best = ""
    for _, name in order:
        if not best or sum(offers[name][1].values()) > sum(offers[best][1].values()):
            best = name
    for _, name in order:
        if _share_behind(offers[name][1], offers[best][1], margin) < 0.025:
            return name
    return None


def _share_behind(own: dict[str, float], best: dict[str, float], margin: float) -> float:
    """The share of all resamples of the questions in which a row is behind by ``margin`` or more."""
    differences = [Fraction(own[question]) - Fraction(best[question]) for question in best]
    sums: dict[Fraction, Fraction] = {Fraction(0): Fraction(1)}
    for _ in differences:
        drawn: dict[Fraction, Fraction] = defaultdict(Fraction)
        for total, probability in sums.items():
            for difference, count in Counter(differences).items():
                drawn[total + difference] += probability * Fraction(count, len(differences))
        sums = drawn
    return float(sum(p for total, p in sums.items() if total <= -Fraction(margin) * len(differences)))


def _cases(rng: Random) -> Iterator[tuple[Offers, float, float]]:
    flat = _scores([0.5, 0.5, 0.5, 0.5, 0.75, 0.25])
    ahead = {"flat": (5.0, flat), "levels": (20.0, _scores([0.75, 0.75, 0.75, 0.75, 1.0, 0.5]))}
    yield ahead, 10.0, 0.125
    yield ahead, 20.0, 0.125
    # Behind by exactly the margin on every question.
    yield ahead, 20.0, 0.25
    yield ahead, 20.0, 0.375
    yield {"levels": (20.0, flat)}, 10.0, 0.125
    # Hard and easy questions lie far apart, the two rows never: only pairs show it.
    wide = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    yield {"flat": (5.0, _scores(wide)), "levels": (9.0, _scores([0.125, *wide[1:]]))}, 10.0, 0.125
    # The same scores in another order of the questions.
    yield {"flat": (5.0, _scores(wide[::-1], "fedcba")), "levels": (9.0, _scores([0.125, *wide[1:]]))}, 10.0, 0.125
    # The means are nearly equal, and it could be a lot.
    yield {"flat": (5.0, _scores(wide)), "levels": (9.0, _scores([1.0, 0.125, 1.0, 0.0, 1.0, 0.0]))}, 10.0, 0.25
    # Surely behind, by less than the margin.
    yield {"flat": (5.0, _scores([0.5] * 6)), "levels": (9.0, _scores([0.5625] * 6))}, 10.0, 0.125
    yield {"merged": (5.0, flat), "flat": (5.0, flat), "levels": (9.0, flat)}, 10.0, 0.125
    count = 0
    while count < 20:
        offers = _random_offers(rng)
        gigabytes, margin = rng.choice([4.0, 8.0, 12.0]), rng.choice([0.125, 0.25, 0.375])
        if _clear(offers, gigabytes, margin):
            count += 1
            yield offers, gigabytes, margin


def _scores(values: list[float], names: str = "abcdefgh") -> dict[str, float]:
    return dict(zip(names, values, strict=False))


def _random_offers(rng: Random) -> Offers:
    questions = "abcdefgh"[: rng.randrange(5, 9)]
    ease = {question: rng.choice([0.0, 0.25, 0.5]) for question in questions}
    offers = {}
    for name in rng.sample(["flat", "windows", "parents", "levels"], rng.randrange(2, 4)):
        order = rng.sample(questions, len(questions)) if rng.random() < 0.5 else questions
        larger = rng.choice([0, 1])
        size = float(rng.choice([2, 4, 6]) + 6 * larger)
        noise = rng.choice([(0.0, 0.25), (0.0, 0.0, 0.5)])
        offers[name] = (size, {question: ease[question] + larger / 8 + rng.choice(noise) for question in order})
    return offers


def _clear(offers: Offers, gigabytes: float, margin: float) -> bool:
    """Whether no row is so close to the margin that the draw of the resamples decides."""
    fitting = [(name, scores) for name, (size, scores) in offers.items() if size <= gigabytes]
    best = max(sum(scores.values()) for _, scores in fitting) if fitting else 0
    tops = [scores for _, scores in fitting if sum(scores.values()) == best]
    shares = [_share_behind(scores, top, margin) for _, scores in fitting for top in tops]
    return not any(0.015 < share < 0.035 for share in shares)


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


BUYING = Exercise(
    id="24.3",
    title="The row to buy",
    solution=buy,
    oracle=_all_resamples,
    cases=_cases,
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
