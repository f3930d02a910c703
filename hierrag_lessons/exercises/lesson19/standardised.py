"""Exercise 19.1, the sum of standardised scores."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from random import Random
from statistics import fmean, pstdev, stdev

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def add_standardised(rankings: list[dict[str, float]]) -> dict[str, float]:
    """The sum of the z-scores of each id; what a ranking lacks counts there as its lowest score."""
    ids = {name for ranking in rankings for name in ranking}
    total = dict.fromkeys(ids, 0.0)
    for ranking in rankings:
        lowest = min(ranking.values(), default=0.0)
        full = {name: ranking.get(name, lowest) for name in ids}
        if len(set(full.values())) < 2:
            continue
        middle, spread = fmean(full.values()), pstdev(full.values())
        for name, score in full.items():
            total[name] += (score - middle) / spread
    return total


def _by_pairs(rankings: list[dict[str, float]]) -> dict[str, float]:
    """Oracle: a z-score from the differences of all pairs of ids, without a mean."""
    ids = sorted({name for ranking in rankings for name in ranking})
    total = {}
    for name in ids:
        value = 0.0
        for ranking in rankings:
            lowest = sorted(ranking.values())[0] if ranking else 0.0
            full = [ranking.get(other, lowest) for other in ids]
            own = full[ids.index(name)]
            # The mean of all squared differences of pairs is twice the variance.
            variance = sum((a - b) ** 2 for a in full for b in full) / len(full) ** 2 / 2
            if variance > 0:
                value += sum(own - other for other in full) / len(full) / sqrt(variance)
        total[name] = value
    return total


def _cases(rng: Random) -> Iterator[tuple[list[dict[str, float]]]]:
    yield ([],)
    yield ([{}],)
    yield ([{"a": 0.5}],)
    yield ([{"a": 0.5, "b": 0.25}],)
    yield ([{"a": 1.0, "b": 1.0}, {"a": 2.0, "b": 3.0}],)
    yield ([{"a": 0.9, "b": 0.5, "c": 0.4}, {"b": 12.0, "d": 4.0}],)
    yield ([{"a": -1.0, "b": -2.0}, {"c": -3.0, "a": -8.0}],)
    yield ([{"a": 3.0, "b": 1.0}, {}],)
    for _ in range(40):
        rankings = []
        for _ in range(rng.randrange(1, 4)):
            names = rng.sample("abcdef", rng.randrange(1, 6))
            rankings.append({name: rng.randrange(-8, 9) / 4 for name in names})
        yield (rankings,)


def _z(values: dict[str, float]) -> dict[str, float]:
    if len(set(values.values())) < 2:
        return dict.fromkeys(values, 0.0)
    middle, spread = fmean(values.values()), pstdev(values.values())
    return {name: (value - middle) / spread for name, value in values.items()}


def _add(parts: list[dict[str, float]]) -> dict[str, float]:
    ids = {name for part in parts for name in part}
    return {name: sum(part.get(name, 0.0) for part in parts) for name in ids}


def _average_for_the_missing(rankings: list[dict[str, float]]) -> dict[str, float]:
    return _add([_z(ranking) for ranking in rankings])


def _filled(ranking: dict[str, float], rankings: list[dict[str, float]], absent: float) -> dict[str, float]:
    ids = {name for other in rankings for name in other}
    return {name: ranking.get(name, absent) for name in ids}


def _nothing_for_the_missing(rankings: list[dict[str, float]]) -> dict[str, float]:
    return _add([_z(_filled(ranking, rankings, 0.0)) for ranking in rankings])


def _without_a_spread(rankings: list[dict[str, float]]) -> dict[str, float]:
    parts = []
    for ranking in rankings:
        full = _filled(ranking, rankings, min(ranking.values(), default=0.0))
        middle = fmean(full.values()) if full else 0.0
        parts.append({name: value - middle for name, value in full.items()})
    return _add(parts)


def _from_0_to_1(rankings: list[dict[str, float]]) -> dict[str, float]:
    parts = []
    for ranking in rankings:
        full = _filled(ranking, rankings, min(ranking.values(), default=0.0))
        low, high = min(full.values(), default=0.0), max(full.values(), default=0.0)
        parts.append({name: (value - low) / (high - low) if high > low else 0.0 for name, value in full.items()})
    return _add(parts)


def _divides_by_zero(rankings: list[dict[str, float]]) -> dict[str, float]:
    parts = []
    for ranking in rankings:
        full = _filled(ranking, rankings, min(ranking.values(), default=0.0))
        if full:
            middle, spread = fmean(full.values()), pstdev(full.values())
            parts.append({name: (value - middle) / spread for name, value in full.items()})
    return _add(parts)


def _fills_in_after(rankings: list[dict[str, float]]) -> dict[str, float]:
    scaled = [_z(ranking) for ranking in rankings]
    return _add([_filled(part, scaled, min(part.values(), default=0.0)) for part in scaled])


def _spread_of_a_sample(rankings: list[dict[str, float]]) -> dict[str, float]:
    parts = []
    for ranking in rankings:
        full = _filled(ranking, rankings, min(ranking.values(), default=0.0))
        if len(set(full.values())) < 2:
            parts.append(dict.fromkeys(full, 0.0))
            continue
        middle, spread = fmean(full.values()), stdev(full.values())
        parts.append({name: (value - middle) / spread for name, value in full.items()})
    return _add(parts)


STANDARDISED = Exercise(
    id="19.1",
    title="Add up standardised scores",
    solution=add_standardised,
    oracle=_by_pairs,
    cases=_cases,
    hints=(
        "First collect all ids of all rankings.",
        "Fill up each ranking to all ids before anything is computed from it.",
        "statistics.fmean and statistics.pstdev; where all values are equal, the ranking gives everyone 0.",
    ),
    mistakes=(
        Mistake(
            _average_for_the_missing,
            "An id that a ranking lacks got 0 from it. After standardising, 0 is the average: not to be found would be "
            "better than to be found in the lower half.",
        ),
        Mistake(
            _nothing_for_the_missing,
            "What a ranking lacks was filled in as 0, on whatever scale the ranking has. Here it counts as the lowest "
            "score of that ranking.",
        ),
        Mistake(_without_a_spread, "The mean was taken away, but the scores were not divided by their spread."),
        Mistake(_from_0_to_1, "Scaled from 0 to 1. That is another fusion: one extreme score squeezes all the others."),
        Mistake(_divides_by_zero, "Where all scores are equal, the spread is 0; such a ranking gives everyone 0."),
        Mistake(
            _spread_of_a_sample,
            "`stdev` divides by n - 1, as for a sample. These are all the scores there are: `pstdev`, or NumPy's "
            "`std` as it comes.",
        ),
        Mistake(
            _fills_in_after,
            "The missing were filled in after standardising. Then one hit alone, or two, have a mean and a spread that "
            "know nothing of all that was not found.",
        ),
    ),
)
