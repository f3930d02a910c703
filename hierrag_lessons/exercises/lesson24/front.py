"""Exercise 24.3, the Pareto front."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Row = tuple[str, float, float]
"""A method, what it costs, and how good it is."""


def front(rows: list[tuple[str, float, float]]) -> list[str]:
    """The methods that no other beats: none costs as little and is as good, and is better in one. Cheapest first."""
    kept = [
        (cost, name)
        for name, cost, good in rows
        if not any(c <= cost and g >= good and (c < cost or g > good) for _, c, g in rows)
    ]
    return [name for _, name in sorted(kept)]


def _by_sweeping(rows: list[Row]) -> list[str]:
    """Oracle: go through the costs upwards; the best of a cost stays if it is better than all that cost less."""
    kept: list[str] = []
    reached = float("-inf")
    for cost in sorted({c for _, c, _ in rows}):
        best = max(g for _, c, g in rows if c == cost)
        if best > reached:
            kept += sorted(name for name, c, g in rows if c == cost and g == best)
            reached = best
    return kept


def _cases(rng: Random) -> Iterator[tuple[list[Row]]]:
    yield ([("a", 1, 0.5), ("b", 2, 0.7), ("c", 3, 0.6)],)
    yield ([("a", 1, 0.5), ("b", 1, 0.5), ("c", 2, 0.5)],)
    yield ([("a", 1, 0.5), ("b", 1, 0.6), ("c", 2, 0.6)],)
    yield ([("z", 2, 0.9), ("y", 1, 0.2)],)
    yield ([("only", 4, 0.1)],)
    for _ in range(40):
        names = rng.sample("abcdefgh", k=rng.randrange(1, 8))
        yield ([(name, float(rng.randrange(1, 5)), rng.randrange(4, 9) / 10) for name in names],)


def _strictly(rows: list[Row]) -> list[str]:
    kept = [(cost, name) for name, cost, good in rows if not any(c < cost and g > good for _, c, g in rows)]
    return [name for _, name in sorted(kept)]


def _without_equals(rows: list[Row]) -> list[str]:
    kept = [
        (cost, name)
        for name, cost, good in rows
        if not any(c <= cost and g >= good and other != name for other, c, g in rows)
    ]
    return [name for _, name in sorted(kept)]


def _ratio(rows: list[Row]) -> list[str]:
    best = max(good / cost for _, cost, good in rows)
    return sorted(name for name, cost, good in rows if good / cost == best)


def _best_first(rows: list[Row]) -> list[str]:
    order = {name: (-good, name) for name, _, good in rows}
    return sorted(front(rows), key=order.__getitem__)


FRONT = Exercise(
    id="24.3",
    title="What nobody should buy",
    solution=front,
    oracle=_by_sweeping,
    cases=_cases,
    hints=(
        "Ask of each row: is there another that I would always take instead?",
        "Another beats it if it costs no more, is no worse, and is better in at least one of the two.",
        "Two rows with equal cost and equal quality beat neither each other nor themselves.",
    ),
    mistakes=(
        Mistake(
            _strictly, "A row stayed that costs the same as another and is worse, or is as good and costs more: beaten."
        ),
        Mistake(_without_equals, "Two rows with the same cost and quality threw each other out. Both stay."),
        Mistake(
            _ratio, "Quality divided by cost is one number and hides the choice. Keep every row that no other beats."
        ),
        Mistake(_best_first, "The rows are right. Put the cheapest first; equal costs go by name."),
    ),
)
