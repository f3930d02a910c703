"""Exercise 01.4, a budget that is safe with another vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from statistics import mean

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def safe_budget(limit: int, samples: list[tuple[int, int]]) -> int:
    """The largest budget, in our tokens, that stays within the model's limit at the worst ratio of the samples."""
    return min(limit * ours // theirs for ours, theirs in samples)


def _count_up(limit: int, samples: list[tuple[int, int]]) -> int:
    """Oracle: raise the budget by one as long as text like each of the samples still fits."""
    budget = 0
    while all(Fraction(theirs, ours) * (budget + 1) <= limit for ours, theirs in samples):
        budget += 1
    return budget


def _cases(rng: Random) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    yield (10, [(1, 1)])
    yield (10, [(10, 12)])
    yield (12, [(10, 12)])
    yield (100, [(10, 8)])
    yield (100, [(10, 10), (10, 20)])
    yield (100, [(10, 20), (10, 10)])
    yield (100, [(100, 130), (10, 20)])
    yield (77, [(70, 110)])
    yield (1, [(10, 20)])
    yield (9, [(7, 9)])  # 9 / (9 / 7) is below 7 in floats
    yield (18, [(7, 9)])
    for _ in range(40):
        samples = [(rng.randrange(5, 40), rng.randrange(5, 60)) for _ in range(rng.randrange(1, 6))]
        yield (rng.randrange(1, 300), samples)


def _mean_ratio(limit: int, samples: list[tuple[int, int]]) -> int:
    return int(limit / mean(Fraction(theirs, ours) for ours, theirs in samples))


def _all_together(limit: int, samples: list[tuple[int, int]]) -> int:
    return limit * sum(ours for ours, _ in samples) // sum(theirs for _, theirs in samples)


def _wrong_way_round(limit: int, samples: list[tuple[int, int]]) -> int:
    return int(limit * max(Fraction(theirs, ours) for ours, theirs in samples))


def _best_ratio(limit: int, samples: list[tuple[int, int]]) -> int:
    return max(limit * ours // theirs for ours, theirs in samples)


def _largest_difference(limit: int, samples: list[tuple[int, int]]) -> int:
    return max(0, limit - max(theirs - ours for ours, theirs in samples))


def _margin_off(limit: int, samples: list[tuple[int, int]]) -> int:
    worst = max(Fraction(theirs, ours) for ours, theirs in samples)
    return max(0, int(limit * (1 - (worst - 1))))


def _rounded(limit: int, samples: list[tuple[int, int]]) -> int:
    return round(min(Fraction(limit * ours, theirs) for ours, theirs in samples))


def _in_floats(limit: int, samples: list[tuple[int, int]]) -> int:
    return int(limit / max(theirs / ours for ours, theirs in samples))


def _never_above_the_limit(limit: int, samples: list[tuple[int, int]]) -> int:
    return min(limit, safe_budget(limit, samples))


SAFE_BUDGET = Exercise(
    id="01.4",
    title="Leave a margin",
    solution=safe_budget,
    oracle=_count_up,
    cases=_cases,
    hints=(
        "How many of the model's tokens is one of ours, in the worst sample?",
        "The limit divided by the worst ratio, rounded down. The worst ratio is not that of the longest sample.",
        "`limit * ours // theirs` for one sample needs no floats. Which of these numbers is safe for all samples?",
    ),
    mistakes=(
        Mistake(_mean_ratio, "With the mean ratio, text like the worse half of the samples no longer fits."),
        Mistake(
            _all_together,
            "All samples added up give a mean ratio. Text like the worst sample alone then no longer fits.",
        ),
        Mistake(
            _wrong_way_round,
            "The ratio is used the wrong way round: where the model needs more tokens than we do, we may fill fewer.",
        ),
        Mistake(_best_ratio, "This is the budget for the best sample; it has to be safe for the worst."),
        Mistake(
            _largest_difference,
            "The difference grows with the length of the text. A ratio stays: divide, don't subtract.",
        ),
        Mistake(
            _margin_off,
            "A text that is 25 % larger for the model does not fit into 75 % of the limit but into 1 / 1.25 = 80 % of "
            "it: divide by the ratio.",
        ),
        Mistake(_rounded, "Rounded up, the budget can be one token too large. Round down."),
        Mistake(
            _in_floats,
            "The rule is right, but a float can end just below a whole number, and one token is lost: 9 / (9 / 7) is "
            "6.999… Whole numbers are exact: limit * ours // theirs.",
        ),
        Mistake(
            _never_above_the_limit,
            "Where the model needs fewer tokens than we do, the budget in our tokens may be larger than the limit.",
        ),
    ),
)
