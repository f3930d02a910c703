"""Exercise 17.3, judging a hit and what lies above it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Scores = list[float | None]


def correct(scores: list[float | None], lower: float, upper: float) -> int | None:
    """The place of the score that decides, 0 where none does; None where the hit is dropped."""
    for place, score in enumerate(scores):
        if score is None or lower <= score < upper:
            continue
        return place if score >= upper else None
    return 0


def _verdict_by_verdict(scores: Scores, lower: float, upper: float) -> int | None:
    """Oracle: write down every verdict, then look for the first that is not ambiguous."""
    verdicts = []
    for score in scores:
        if score is None:
            verdicts.append("unknown")
        else:
            verdicts.append("correct" if score >= upper else "incorrect" if score < lower else "ambiguous")
    good = verdicts.index("correct") if "correct" in verdicts else len(verdicts)
    bad = verdicts.index("incorrect") if "incorrect" in verdicts else len(verdicts)
    if good == bad:
        return 0
    return good if good < bad else None


def _cases(rng: Random) -> Iterator[tuple[Scores, float, float]]:
    yield ([0.7], 0.2, 0.5)
    yield ([0.1], 0.2, 0.5)
    yield ([0.3], 0.2, 0.5)
    yield ([0.5], 0.2, 0.5)
    yield ([0.2], 0.2, 0.5)
    yield ([0.3, 0.6], 0.2, 0.5)
    yield ([0.3, 0.1, 0.9], 0.2, 0.5)
    yield ([0.3, 0.4, 0.6], 0.2, 0.5)
    yield ([0.6, 0.9], 0.2, 0.5)
    yield ([0.3, None, 0.6], 0.2, 0.5)
    yield ([0.3, None, None], 0.2, 0.5)
    yield ([0.3, 0.5, 0.8], 0.2, 0.5)
    yield ([0.0], 0.2, 0.5)
    yield ([0.3, 0.0, 0.9], 0.2, 0.5)
    yield ([0.1, 0.9, 0.9], 0.2, 0.5)
    yield ([0.4, 0.4], 0.4, 0.4)
    for _ in range(50):
        above: Scores = [rng.choice([None, *(n / 10 for n in range(10))]) for _ in range(rng.randrange(3))]
        low = rng.randrange(1, 6)
        yield ([rng.randrange(10) / 10, *above], low / 10, (low + rng.randrange(4)) / 10)


def _upper_is_ambiguous(scores: Scores, lower: float, upper: float) -> int | None:
    for place, score in enumerate(scores):
        if score is not None and not lower <= score <= upper:
            return place if score > upper else None
    return 0


def _lower_is_incorrect(scores: Scores, lower: float, upper: float) -> int | None:
    for place, score in enumerate(scores):
        if score is not None and not lower < score < upper:
            return place if score >= upper else None
    return 0


def _first_correct(scores: Scores, lower: float, upper: float) -> int | None:
    good = [place for place, score in enumerate(scores) if score is not None and score >= upper]
    if scores[0] is not None and scores[0] < lower:
        return None
    return good[0] if good else 0


def _best_of_all(scores: Scores, lower: float, upper: float) -> int | None:
    known = [(score, -place) for place, score in enumerate(scores) if score is not None]
    score, place = max(known)
    return -place if score >= upper else 0 if score >= lower else None


def _one_step(scores: Scores, lower: float, upper: float) -> int | None:
    return correct(scores[:2], lower, upper)


def _undecided_is_dropped(scores: Scores, lower: float, upper: float) -> int | None:
    decided = any(score is not None and not lower <= score < upper for score in scores)
    return correct(scores, lower, upper) if decided else None


def _unknown_is_zero(scores: Scores, lower: float, upper: float) -> int | None:
    return correct([score or 0.0 for score in scores], lower, upper)


def _zero_is_unknown(scores: Scores, lower: float, upper: float) -> int | None:
    return correct([score or None for score in scores], lower, upper)


def _keeps_the_hit(scores: Scores, lower: float, upper: float) -> int | None:
    return 0 if correct(scores, lower, upper) is None and len(scores) > 1 else correct(scores, lower, upper)


CORRECTIVE = Exercise(
    id="17.3",
    title="Judge a hit, and what lies above it",
    solution=correct,
    oracle=_verdict_by_verdict,
    cases=_cases,
    hints=(
        "Go upwards from the hit. What do you do with a score that is ambiguous? With one that is None?",
        "The first score that is correct or incorrect ends the walk.",
        "Both bounds are inclusive upwards: `lower` is ambiguous, `upper` is correct.",
    ),
    mistakes=(
        Mistake(_upper_is_ambiguous, "A score of exactly `upper` is correct."),
        Mistake(_lower_is_incorrect, "A score of exactly `lower` is not yet incorrect: it is ambiguous."),
        Mistake(
            _first_correct,
            "You looked for a correct node and passed over an incorrect one on the way. The first verdict decides.",
        ),
        Mistake(_best_of_all, "You took the best score of all. Go upwards from the hit; the first verdict decides."),
        Mistake(_one_step, "You went up one step only. A chunk that is ambiguous too leaves it to the section."),
        Mistake(_undecided_is_dropped, "Where nobody can say, the hit stays: return 0."),
        Mistake(_unknown_is_zero, "None is no score. A node that cannot be judged is passed over, it is not bad."),
        Mistake(
            _zero_is_unknown,
            "A score of 0.0 was taken for none at all: `not score` is true of both. Ask `score is None`.",
        ),
        Mistake(_keeps_the_hit, "Where a node above is incorrect, the hit is dropped, and not kept as it was."),
    ),
)
