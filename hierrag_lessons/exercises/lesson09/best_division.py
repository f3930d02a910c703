"""Exercise 09.3, the best division of a text by dynamic programming."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def best_value(similarity: list[list[float]], price: float, max_units: int) -> float:
    """The largest sum of ``cohesion − price`` over all divisions into runs of at most ``max_units`` sentences."""

    def worth(i: int, j: int) -> float:
        return sum(similarity[a][b] for a in range(i, j) for b in range(i, j)) / (j - i) - price

    best = [0.0]
    for j in range(1, len(similarity) + 1):
        best.append(max(best[i] + worth(i, j) for i in range(max(0, j - max_units), j)))
    return best[-1]


def _all_divisions(similarity: list[list[float]], price: float, max_units: int) -> float:
    """Oracle: write down every division and take the largest sum."""
    n = len(similarity)
    sums = [0.0] if n == 0 else []
    for cuts in (cuts for k in range(n) for cuts in combinations(range(1, n), k)):
        runs = list(pairwise([0, *cuts, n]))
        if all(end - start <= max_units for start, end in runs):
            cohesion = 0.0
            for start, end in runs:
                block = [row[start:end] for row in similarity[start:end]]
                cohesion += sum(map(sum, block)) / len(block)
            sums.append(cohesion - price * len(runs))
    return max(sums)


def _cases(rng: Random) -> Iterator[tuple[list[list[float]], float, int]]:
    yield [], 1.5, 3
    yield [[1.0]], 1.5, 3
    yield [[1.0, 0.5], [0.5, 1.0]], 1.5, 2
    yield [[1.0, -0.5], [-0.5, 1.0]], 0.5, 2
    yield [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 0.5, 3
    yield [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], 1.5, 2
    for _ in range(30):
        n = rng.randrange(1, 7)
        matrix = [[1.0] * n for _ in range(n)]
        for a, b in combinations(range(n), 2):
            matrix[a][b] = matrix[b][a] = rng.randrange(-5, 10) / 10
        yield matrix, rng.randrange(0, 6) / 2, rng.randrange(1, 5)


def _worth(similarity: list[list[float]], i: int, j: int, price: float) -> float:
    return sum(similarity[a][b] for a in range(i, j) for b in range(i, j)) / (j - i) - price


def _greedy(similarity: list[list[float]], price: float, max_units: int) -> float:
    total, start, n = 0.0, 0, len(similarity)
    while start < n:
        ends = range(start + 1, min(n, start + max_units) + 1)
        end = max(ends, key=lambda e: _worth(similarity, start, e, price))
        total += _worth(similarity, start, end, price)
        start = end
    return total


def _search(similarity: list[list[float]], price: float, longest: int, per_pair: bool = False) -> float:
    best = [0.0]
    for j in range(1, len(similarity) + 1):
        runs = range(max(0, j - longest), j)
        scale = (lambda i, j: j - i) if per_pair else (lambda i, j: 1)
        values = [best[i] + (_worth(similarity, i, j, 0.0) / scale(i, j)) - price for i in runs]
        best.append(max(values))
    return best[-1]


def _no_limit(similarity: list[list[float]], price: float, max_units: int) -> float:
    return _search(similarity, price, len(similarity) + 1)


def _limit_one_less(similarity: list[list[float]], price: float, max_units: int) -> float:
    return _search(similarity, price, max(1, max_units - 1))


def _for_free(similarity: list[list[float]], price: float, max_units: int) -> float:
    return _search(similarity, 0.0, max_units)


def _mean_of_all_pairs(similarity: list[list[float]], price: float, max_units: int) -> float:
    return _search(similarity, price, max_units, per_pair=True)


def _by_runs(similarity: list[list[float]], max_units: int, worth: Callable[[int, int], float]) -> float:
    """The search, with another worth of the run from i to j - 1."""
    best = [0.0]
    for j in range(1, len(similarity) + 1):
        best.append(max(best[i] + worth(i, j) for i in range(max(0, j - max_units), j)))
    return best[-1]


def _pairs(similarity: list[list[float]], i: int, j: int, apart: int) -> float:
    """The sum over the pairs a, b with b at least ``apart`` sentences behind a."""
    return sum(similarity[a][b] for a in range(i, j) for b in range(a + apart, j))


def _each_pair_once(similarity: list[list[float]], price: float, max_units: int) -> float:
    return _by_runs(similarity, max_units, lambda i, j: _pairs(similarity, i, j, 0) / (j - i) - price)


def _without_diagonal(similarity: list[list[float]], price: float, max_units: int) -> float:
    return _by_runs(similarity, max_units, lambda i, j: 2 * _pairs(similarity, i, j, 1) / (j - i) - price)


def _pairs_once_without_diagonal(similarity: list[list[float]], price: float, max_units: int) -> float:
    return _by_runs(similarity, max_units, lambda i, j: _pairs(similarity, i, j, 1) / (j - i) - price)


def _not_divided(similarity: list[list[float]], price: float, max_units: int) -> float:
    return _by_runs(similarity, max_units, lambda i, j: _worth(similarity, i, j, 0.0) * (j - i) - price)


def _price_per_sentence(similarity: list[list[float]], price: float, max_units: int) -> float:
    return _by_runs(similarity, max_units, lambda i, j: _worth(similarity, i, j, 0.0) - price * (j - i))


def _price_of_cuts(similarity: list[list[float]], price: float, max_units: int) -> float:
    return best_value(similarity, price, max_units) + (price if similarity else 0.0)


def _limit_one_more(similarity: list[list[float]], price: float, max_units: int) -> float:
    return best_value(similarity, price, max_units + 1)


def _best_beginning(similarity: list[list[float]], price: float, max_units: int) -> float:
    beginnings = range(len(similarity) + 1)
    return max(best_value([row[:j] for row in similarity[:j]], price, max_units) for j in beginnings)


BEST_DIVISION = Exercise(
    id="09.3",
    title="The best division",
    solution=best_value,
    oracle=_all_divisions,
    cases=_cases,
    hints=(
        "Let best[j] be the value of the best division of the first j sentences; best[0] is 0. Which run can be the "
        "last one?",
        "If the last run starts at i, the rest is best[i]: best[j] = max over i of best[i] + worth(i, j).",
        "i goes from max(0, j - max_units) to j - 1. worth(i, j) is the sum of similarity[a][b] over all a and b of "
        "the run, its own diagonal included, divided by j - i, less the price.",
    ),
    mistakes=(
        Mistake(
            _greedy,
            "Each run is the best one for its own start. A shorter run now can make room for a much better one later: "
            "only the sum counts, so keep the best value for every j.",
        ),
        Mistake(
            _no_limit,
            "A run is longer than max_units. The limit is hard: i starts at j - max_units.",
        ),
        Mistake(
            _limit_one_less,
            "A run of exactly max_units sentences is allowed: i = j - max_units belongs to the choice.",
        ),
        Mistake(
            _for_free,
            "The price is missing, or is not paid by every run.",
        ),
        Mistake(
            _mean_of_all_pairs,
            "This is the mean over all pairs. Cohesion divides the sum over the pairs by the number of sentences, so "
            "that a long run of similar sentences is worth more than a short one.",
        ),
        Mistake(
            _each_pair_once,
            "Each pair is counted once here. The sum goes over all a and all b: similarity[a][b] and similarity[b][a].",
        ),
        Mistake(
            _without_diagonal,
            "The diagonal is missing. The sum has a = b in it, so a sentence alone has cohesion 1.",
        ),
        Mistake(
            _pairs_once_without_diagonal,
            "Each pair is counted once, and the diagonal is missing. The sum goes over all a and all b of the run, "
            "also a = b.",
        ),
        Mistake(
            _not_divided,
            "The sum is not divided by the number of sentences in the run, so long runs are worth far more.",
        ),
        Mistake(
            _price_per_sentence,
            "Every sentence pays the price here. It is paid once for each run.",
        ),
        Mistake(
            _price_of_cuts,
            "One price is missing: this charges the cuts. Every run pays, the first one as well.",
        ),
        Mistake(
            _limit_one_more,
            "A run is one sentence longer than max_units. i goes from j - max_units to j - 1.",
        ),
        Mistake(
            _best_beginning,
            "This leaves sentences out: the end of the text, or runs worth less than nothing. All sentences have to be "
            "in a run, and every run counts. Return best[n].",
        ),
    ),
)
