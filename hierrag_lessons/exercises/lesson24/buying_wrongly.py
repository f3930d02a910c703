"""Exercise 24.3, the row to buy: wrong answers to what fits, what is compared and what is taken, and the exercise."""

from __future__ import annotations

from math import inf
from statistics import fmean

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson24.buying import Offers, all_resamples, buy, cases
from hierrag_lessons.exercises.lesson24.buying_enough import NOT_ENOUGH, best_of, bought, interval


def _of_all(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return bought(offers, gigabytes, lambda own, best: interval(own, best)[0] > -margin, best_of(offers))


def _the_best(offers: Offers, gigabytes: float, margin: float) -> str | None:
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    return best_of(fitting) if fitting else None


def _best_of_the_good(offers: Offers, gigabytes: float, margin: float) -> str | None:
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    if not fitting:
        return None
    top = offers[best_of(fitting)][1]
    good = [(fmean(own.values()), name) for name, (_, own) in fitting.items() if interval(own, top)[0] > -margin]
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
    top = offers[best_of(fitting)][1]
    good = [name for name, (_, own) in fitting.items() if interval(own, top)[0] > -margin]
    return min(good, key=lambda name: offers[name][0])


def _no_disk(offers: Offers, gigabytes: float, margin: float) -> str | None:
    return buy(offers, inf, margin)


def _the_largest(offers: Offers, gigabytes: float, margin: float) -> str | None:
    """Compares with the largest that fits; of equals with the last name."""
    largest = max(((size, name) for name, (size, _) in offers.items() if size <= gigabytes), default=(0, None))[1]
    return bought(offers, gigabytes, lambda own, best: interval(own, best)[0] > -margin, largest)


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
    kept = start or best_of(fitting)
    for size, name in sorted(((size, name) for name, (size, _) in fitting.items()), reverse=True):
        if size <= fitting[kept][0]:
            if interval(fitting[name][1], fitting[kept][1])[0] > -margin:
                kept = name
            elif stops:
                break
    return kept


def _by_name(offers: Offers, gigabytes: float, margin: float) -> str | None:
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    top = fitting[best_of(fitting)][1] if fitting else {}
    return min((name for name, (_, own) in fitting.items() if interval(own, top)[0] > -margin), default=None)


def _larger_of_equals(offers: Offers, gigabytes: float, margin: float) -> str | None:
    """Of equal means the larger row is the one that all are compared with."""
    fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
    if not fitting:
        return None
    best = max(fitting, key=lambda name: (round(fmean(fitting[name][1].values()), 9), fitting[name][0]))
    return bought(offers, gigabytes, lambda own, top: interval(own, top)[0] > -margin, best)


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
        Mistake(_the_best, "You bought the best that fits. Asked is the smallest that is surely not far behind it."),
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
        Mistake(
            _by_name,
            "Of the rows that are good enough you took the first by name. The smallest counts; the name decides only "
            "between equal sizes.",
        ),
        Mistake(
            _larger_of_equals,
            "Where two rows have the best mean you compared with the larger. The smaller of them counts as the best.",
        ),
        *NOT_ENOUGH,
    ),
)
