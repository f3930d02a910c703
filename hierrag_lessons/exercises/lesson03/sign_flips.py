"""Exercise 03.2, an exact paired test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def sign_flip_p(a: list[float], b: list[float]) -> float:
    """Exact two-sided p-value: share of the sign patterns that give a sum as far from 0 as the observed one."""
    differences = [x - y for x, y in zip(a, b, strict=True)]
    observed = abs(sum(differences))
    patterns = list(product((1, -1), repeat=len(differences)))
    extreme = sum(abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= observed for signs in patterns)
    return extreme / len(patterns)


def _p_by_swapping(a: list[float], b: list[float]) -> float:
    """Oracle: swap the two methods in every subset of the questions, and compare the two totals."""
    questions = range(len(a))
    gaps = []
    for size in range(len(a) + 1):
        for swapped in combinations(questions, size):
            first = sum(b[i] if i in swapped else a[i] for i in questions)
            second = sum(a[i] if i in swapped else b[i] for i in questions)
            gaps.append(abs(first - second))
    return sum(gap >= gaps[0] for gap in gaps) / len(gaps)


def _paired_scores(rng: Random) -> Iterator[tuple[list[float], list[float]]]:
    yield [1.0], [0.0]
    yield [0.5, 0.5], [0.5, 0.5]
    yield [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]
    yield [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]
    yield [1.0, 0.5, 0.25, 0.0], [0.75, 0.25, 0.25, 0.0]
    for _ in range(25):
        n = rng.randrange(1, 6)
        # Quarters are exact in binary, so equal sums are equal in every order.
        yield [rng.randrange(5) / 4 for _ in range(n)], [rng.randrange(5) / 4 for _ in range(n)]


def _one_sided(a: list[float], b: list[float]) -> float:
    differences = [x - y for x, y in zip(a, b, strict=True)]
    patterns = list(product((1, -1), repeat=len(differences)))
    sums = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in patterns]
    return sum(value >= sum(differences) for value in sums) / len(patterns)


def _strictly_further(a: list[float], b: list[float]) -> float:
    differences = [x - y for x, y in zip(a, b, strict=True)]
    patterns = list(product((1, -1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in patterns]
    return sum(value > abs(sum(differences)) for value in sums) / len(patterns)


def _unpaired(a: list[float], b: list[float]) -> float:
    pool, n = [*a, *b], len(a)
    sums = [2 * sum(pool[i] for i in chosen) - sum(pool) for chosen in combinations(range(2 * n), n)]
    return sum(abs(value) >= abs(sum(a) - sum(b)) for value in sums) / len(sums)


def _one_minus_p(a: list[float], b: list[float]) -> float:
    differences = [x - y for x, y in zip(a, b, strict=True)]
    patterns = list(product((1, -1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in patterns]
    return 1 - sum(value >= abs(sum(differences)) for value in sums) / len(patterns)


def _only_directions(a: list[float], b: list[float]) -> float:
    directions = [(x > y) - (x < y) for x, y in zip(a, b, strict=True)]
    patterns = list(product((1, -1), repeat=len(directions)))
    sums = [abs(sum(s * d for s, d in zip(signs, directions, strict=True))) for signs in patterns]
    return sum(value >= abs(sum(directions)) for value in sums) / len(patterns)


SIGN_FLIPS = Exercise(
    id="03.2",
    title="An exact paired test",
    solution=sign_flip_p,
    oracle=_p_by_swapping,
    cases=_paired_scores,
    hints=(
        "First make one list: the difference of each question.",
        "`itertools.product((1, -1), repeat=n)` gives every pattern of n signs, 2 to the power n of them.",
        "Count the patterns whose signed sum is at least as far from 0 as the observed one: `abs(...) >= abs(...)`. "
        "The observed pattern is one of them. Divide by the number of patterns.",
    ),
    mistakes=(
        Mistake(
            _one_sided,
            "Only sums on one side are counted. Before you looked you did not know which method would win, so a gap as "
            "large the other way is as surprising: compare absolute values.",
        ),
        Mistake(
            _strictly_further,
            "With > the observed pattern itself is left out, and a p-value can be 0. Count what is at least as far "
            "from 0: >=.",
        ),
        Mistake(
            _unpaired,
            "The scores of all questions are thrown into one pot. A question's two scores belong together: only swap "
            "them with each other, which flips the sign of one difference.",
        ),
        Mistake(
            _one_minus_p,
            "This is 1 minus the p-value. A small p means that chance alone seldom does this.",
        ),
        Mistake(
            _only_directions,
            "This counts wins and losses and forgets how large they are, which is another test, the sign test. Flip "
            "the differences themselves.",
        ),
    ),
)
