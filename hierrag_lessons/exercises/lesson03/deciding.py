"""Exercise 03.4, from a table to a decision."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Row = tuple[str, float, float, float, float]
"""Name, low and high end of the difference from the present method, p of this comparison alone, price of a question."""


def decide(rows: list[tuple[str, float, float, float, float]]) -> str | None:
    """The cheapest method that is ahead of the present one, p-values adjusted after Holm; ``None`` where none is."""
    ahead, reached = [], 0.0
    by_p = sorted(rows, key=lambda row: row[3])
    for rank, (name, low, _, p, price) in enumerate(by_p):
        reached = max(reached, (len(rows) - rank) * p)
        if reached < 0.05 and low > 0:
            ahead.append((price, name))
    return min(ahead)[1] if ahead else None


def _decide_step_by_step(rows: list[Row]) -> str | None:
    """Oracle: strike out the smallest p as long as it is small enough for those that are left, then stop."""
    left, shown = list(rows), []
    while left:
        smallest = min(left, key=lambda row: row[3])
        if smallest[3] * len(left) >= 0.05:
            break
        left.remove(smallest)
        shown.append(smallest)
    good = [row for row in shown if row[1] > 0]
    return min(good, key=lambda row: row[4])[0] if good else None


def _tables(rng: Random) -> Iterator[tuple[list[Row]]]:
    yield ([("new", 0.01, 0.05, 0.003, 2.0)],)
    yield ([("new", -0.06, -0.01, 0.003, 2.0)],)
    yield ([("large", 0.03, 0.09, 0.001, 4.0), ("small", 0.01, 0.04, 0.01, 1.0)],)
    yield ([("a", 0.001, 0.05, 0.04, 1.0), ("b", -0.02, 0.03, 0.6, 1.5), ("c", -0.03, 0.02, 0.7, 2.0)],)
    yield ([("a", 0.01, 0.05, 0.004, 3.0), ("b", 0.01, 0.04, 0.021, 1.0)],)
    yield ([("a", -0.02, 0.07, 0.03, 2.0), ("b", 0.001, 0.05, 0.031, 1.0), ("c", 0.002, 0.05, 0.045, 3.0)],)
    yield ([("a", 0.01, 0.05, 0.02, 1.0), ("b", -0.02, 0.01, 0.5, 2.0), ("c", -0.03, 0.01, 0.4, 3.0)],)
    yield ([("a", 0.001, 0.06, 0.058, 1.0), ("b", 0.02, 0.06, 0.001, 2.0)],)
    yield ([("a", -0.001, 0.05, 0.012, 1.0), ("b", 0.02, 0.06, 0.001, 2.0)],)
    for _ in range(30):
        rows = []
        prices = rng.sample([1.0, 1.5, 2.0, 3.0, 4.0], k=4)
        for name, price in zip("abcd"[: rng.randrange(1, 5)], prices, strict=False):
            p = rng.choice((0.0007, 0.004, 0.011, 0.014, 0.019, 0.023, 0.031, 0.044, 0.2, 0.6))
            low = 0.001 * rng.randrange(1, 20)
            row = (low, low + 0.04) if p < 0.05 else (-low, 0.03)
            rows.append((name, *(row if rng.random() < 0.8 else (-row[1], -row[0])), p, price))
        yield (rows,)


def _adjusted(rows: list[Row]) -> list[tuple[float, Row]]:
    made, reached = [], 0.0
    for rank, row in enumerate(sorted(rows, key=lambda row: row[3])):
        reached = max(reached, (len(rows) - rank) * row[3])
        made.append((reached, row))
    return made


def _cheapest(rows: list[Row]) -> str | None:
    return min(rows, key=lambda row: row[4])[0] if rows else None


def _not_adjusted(rows: list[Row]) -> str | None:
    return _cheapest([row for row in rows if row[3] < 0.05 and row[1] > 0])


def _all_times_their_number(rows: list[Row]) -> str | None:
    return _cheapest([row for row in rows if row[3] * len(rows) < 0.05 and row[1] > 0])


def _does_not_stop(rows: list[Row]) -> str | None:
    by_p = sorted(rows, key=lambda row: row[3])
    return _cheapest([row for rank, row in enumerate(by_p) if row[3] * (len(rows) - rank) < 0.05 and row[1] > 0])


def _any_direction(rows: list[Row]) -> str | None:
    return _cheapest([row for p, row in _adjusted(rows) if p < 0.05])


def _direction_of_the_middle(rows: list[Row]) -> str | None:
    return _cheapest([row for p, row in _adjusted(rows) if p < 0.05 and row[1] + row[2] > 0])


def _smallest_p(rows: list[Row]) -> str | None:
    good = [row for p, row in _adjusted(rows) if p < 0.05 and row[1] > 0]
    return min(good, key=lambda row: row[3])[0] if good else None


def _interval_alone(rows: list[Row]) -> str | None:
    return _cheapest([row for row in rows if row[1] > 0])


def _only_the_winners(rows: list[Row]) -> str | None:
    return _cheapest([row for p, row in _adjusted([row for row in rows if row[1] > 0]) if p < 0.05])


DECIDING = Exercise(
    id="03.4",
    title="From a table to a decision",
    solution=decide,
    oracle=_decide_step_by_step,
    cases=_tables,
    hints=(
        "Two steps: first find out which rows are ahead, then take the cheapest of them.",
        "Holm: sort by p. The smallest is multiplied by the number of rows, the next by one less, and so on. None "
        "may be below the one before it.",
        "Ahead means: the adjusted p is below 0.05 **and** the low end is above 0. Adjust over all rows, also over "
        "those that are behind: they were compared as well.",
    ),
    mistakes=(
        Mistake(
            _not_adjusted,
            "The p-values are taken as they are. With several rows one of them is soon below 0.05 by chance: adjust "
            "them after Holm first.",
        ),
        Mistake(
            _all_times_their_number,
            "Every p is multiplied by the number of rows. That is Bonferroni. It is safe, and stricter than needed: "
            "after Holm the second smallest is multiplied by one less, and so on.",
        ),
        Mistake(
            _does_not_stop,
            "A later row passes although an earlier one, with a smaller p, did not. An adjusted p may not be below "
            "the one before it: keep the largest so far.",
        ),
        Mistake(
            _any_direction,
            "A small p says that there is a difference, not in which direction. Look at the low end: a method that "
            "is behind must not be shipped.",
        ),
        Mistake(
            _direction_of_the_middle,
            "The p is small and the middle of the interval is above 0, but its low end is not. The two tests disagree, "
            "and then nothing is claimed: the low end has to be above 0.",
        ),
        Mistake(
            _smallest_p,
            "This takes the smallest p. A small p says how sure you are, not how good or how dear a method is. Among"
            " those that are ahead the price decides here.",
        ),
        Mistake(
            _interval_alone,
            "Only the interval is looked at. It is the interval of a single comparison; the adjusted p is what "
            "accounts for the number of rows.",
        ),
        Mistake(
            _only_the_winners,
            "The rows that are behind are left out before the p-values are adjusted. You compared them, so they "
            "count: otherwise looking first makes the test milder.",
        ),
    ),
)
