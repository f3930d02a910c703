"""Exercise 23.2, where to refuse."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def threshold(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    """The score below which to refuse, so that these questions cost least.

    A question is refused where its score is below the threshold. ``answered`` is the cost of answering a question that
    has no answer, ``refused`` that of refusing one that has. The threshold is one of the scores, or infinity, which
    refuses all; of equally cheap ones the smallest.
    """

    def cost(limit: float) -> float:
        return sum(
            refused * (score < limit) if good else answered * (score >= limit)
            for score, good in zip(scores, answerable, strict=True)
        )

    return min([*sorted(scores), float("inf")], key=cost)


def _sweep(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    """Oracle: from answering all, the questions are refused one score after the other, and the bill is kept."""
    pairs = sorted(zip(scores, answerable, strict=True))
    bill = answered * sum(not good for good in answerable)
    best, at = bill, pairs[0][0] if pairs else math.inf
    for limit in sorted(set(scores)):
        for score, good in pairs:
            if score == limit:
                bill += refused if good else -answered
        above = [score for score, _ in pairs if score > limit]
        if bill < best - 1e-9:
            best, at = bill, min(above, default=math.inf)
    return at


def _cases(rng: Random) -> Iterator[tuple[list[float], list[bool], float, float]]:
    yield [], [], 1, 1
    yield [0.9, 0.8, 0.2], [True, True, False], 1, 1
    yield [0.9, 0.4, 0.6, 0.2], [True, True, False, False], 1, 3
    yield [0.9, 0.4, 0.6, 0.2], [True, True, False, False], 3, 1
    yield [0.9, 0.4, 0.6, 0.2], [True, True, False, False], 1, 1
    yield [0.5, 0.5], [True, False], 2, 1
    yield [0.5, 0.5], [True, False], 1, 2
    yield [0.3, 0.7], [False, False], 1, 1
    yield [0.3, 0.7], [True, True], 1, 1
    yield [2.5, 7.0, 9.5], [False, True, False], 4, 1
    yield [0.8, 0.3, 0.5], [True, True, False], 1, 1
    yield [4.0, 2.0, 3.0, 1.0], [False, False, True, True], 1, 1
    yield [6.0, 9.0, 8.0], [False, True, True], 2, 3
    yield [1.0, 2.0, 3.0, 4.0], [False, True, False, False], 1, 1
    yield [1.0, 2.0, 3.0], [True, False, True], 5, 1
    # Prices below 1, and between two whole numbers, as that of the task: 2 / 98 * 156 / 16 * 10 is 1.99.
    yield [0.9, 0.4, 0.6, 0.2], [True, True, False, False], 0.4, 0.3
    yield [1.0, 2.0, 3.0, 4.0], [True, False, False, True], 0.4, 0.7
    yield [1.0, 2.0, 3.0], [True, False, True], 1.99, 1.5
    for _ in range(40):
        size = rng.randrange(1, 12)
        answerable = [rng.random() < 0.7 for _ in range(size)]
        scores = [(rng.randrange(12) + 5 * good) / 4 for good in answerable]
        yield scores, answerable, rng.randrange(1, 6), rng.randrange(1, 6)


def _swapped(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    return threshold(scores, answerable, refused, answered)


def _fewest_errors(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    return threshold(scores, answerable, 1, 1)


def _never_all(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    finite = [limit for limit in sorted(scores) if limit < math.inf]
    return min(finite, key=lambda limit: _bill(scores, answerable, answered, refused, limit)) if finite else math.inf


def _equal_is_refused(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    def cost(limit: float) -> float:
        return sum(
            refused * (score <= limit) if good else answered * (score > limit)
            for score, good in zip(scores, answerable, strict=True)
        )

    return min([*sorted(scores), math.inf], key=cost)


def _largest(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    limits = [math.inf, *sorted(scores, reverse=True)]
    return min(limits, key=lambda limit: _bill(scores, answerable, answered, refused, limit))


def _worst_answered(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    """No unanswerable question may pass, whatever it costs."""
    above = [score for score, good in zip(scores, answerable, strict=True) if not good]
    return min((score for score in scores if score > max(above, default=-math.inf)), default=math.inf)


def _shares(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    """The two errors are weighed as shares of their own group."""
    good, bad = answerable.count(True) or 1, answerable.count(False) or 1
    return threshold(scores, answerable, answered / bad, refused / good)


def _midpoints(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    known = sorted(set(scores))
    limits = [*known[:1], *((a + b) / 2 for a, b in pairwise(known)), math.inf]
    return min(limits, key=lambda limit: _bill(scores, answerable, answered, refused, limit))


def _from_zero(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    return min([0.0, *sorted(scores), math.inf], key=lambda limit: _bill(scores, answerable, answered, refused, limit))


def _minus_infinity(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    limits = [-math.inf, *sorted(scores), math.inf]
    return min(limits, key=lambda limit: _bill(scores, answerable, answered, refused, limit))


def _cost_itself(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    return min(_bill(scores, answerable, answered, refused, limit) for limit in [*scores, math.inf])


def _position(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    return [*sorted(scores), math.inf].index(threshold(scores, answerable, answered, refused))


def _unsorted(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    return min([*scores, math.inf], key=lambda limit: _bill(scores, answerable, answered, refused, limit))


def _none_for_all(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float | None:
    limit = threshold(scores, answerable, answered, refused)
    return None if limit == math.inf else limit


def _above_all(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    limits = [*sorted(scores), max(scores, default=0) + 1]
    return min(limits, key=lambda limit: _bill(scores, answerable, answered, refused, limit))


def _refused_above(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    def cost(limit: float) -> float:
        return sum(
            refused * (score > limit) if good else answered * (score <= limit)
            for score, good in zip(scores, answerable, strict=True)
        )

    return min([*sorted(scores), math.inf], key=cost)


def _dearest(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    return max([*sorted(scores), math.inf], key=lambda limit: _bill(scores, answerable, answered, refused, limit))


def _best_f1(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    def f1(limit: float) -> float:
        kept = [good for score, good in zip(scores, answerable, strict=True) if score >= limit]
        return 2 * sum(kept) / (len(kept) + sum(answerable)) if kept or any(answerable) else 0.0

    return max([*sorted(scores), math.inf], key=f1)


def _lowest_good(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    return min((score for score, good in zip(scores, answerable, strict=True) if good), default=math.inf)


def _bad_scores(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    limits = [*sorted(score for score, good in zip(scores, answerable, strict=True) if not good), math.inf]
    return min(limits, key=lambda limit: _bill(scores, answerable, answered, refused, limit))


def _whole_prices(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    return threshold(scores, answerable, int(answered), int(refused))


def _bill(scores: list[float], answerable: list[bool], answered: float, refused: float, limit: float) -> float:
    return sum(
        refused * (score < limit) if good else answered * (score >= limit)
        for score, good in zip(scores, answerable, strict=True)
    )


REFUSING = Exercise(
    id="23.2",
    title="Where to refuse",
    solution=threshold,
    oracle=_sweep,
    cases=_cases,
    hints=(
        "Write a function for the cost of one threshold. Two things cost: refusing what has an answer, answering what "
        "has none.",
        "Only the scores themselves can be thresholds, and math.inf. Try them all.",
        "min(candidates, key=cost) takes the first of equal ones. Sort the candidates first.",
    ),
    mistakes=(
        Mistake(_swapped, "The two costs are swapped: `answered` is for a question without an answer that you answer."),
        Mistake(_fewest_errors, "The errors are counted, and not weighed. One of them may cost five times the other."),
        Mistake(_never_all, "Refusing everything is allowed: math.inf is a candidate."),
        Mistake(_equal_is_refused, "A score that equals the threshold is answered: refuse below it, not at it."),
        Mistake(_largest, "Two thresholds cost the same, and you took the larger. Take the smallest: it refuses less."),
        Mistake(
            _worst_answered,
            "No unanswerable question passes, and many good ones are refused for that. Weigh both costs.",
        ),
        Mistake(_midpoints, "The middle between two scores is none of them. The threshold is one of the scores."),
        Mistake(_from_zero, "0 need not be one of the scores. The smallest score refuses nobody, and is one."),
        Mistake(_minus_infinity, "-math.inf is no candidate. The smallest score refuses nobody as well."),
        Mistake(_cost_itself, "That is the cost. Return the threshold at which it is least: min(…, key=cost)."),
        Mistake(_position, "That is a place in a list of scores. Return the score itself."),
        Mistake(
            _unsorted, "Of equally cheap thresholds the first of the list was taken. Take the smallest: sort first."
        ),
        Mistake(_none_for_all, "Where refusing everything is cheapest, return math.inf. None is no threshold."),
        Mistake(_above_all, "max(scores) + 1 refuses everything here, and is none of the scores. Return math.inf."),
        Mistake(_refused_above, "Refused is what lies *below* the threshold. You refuse what lies above it."),
        Mistake(_dearest, "That is the most expensive threshold. Take min, not max."),
        Mistake(
            _best_f1, "F1 knows no prices. Add up what the two errors cost, and take the threshold that costs least."
        ),
        Mistake(
            _lowest_good,
            "The lowest good score, or a share of the good ones, asks for no price. Bad questions have one as well.",
        ),
        Mistake(
            _bad_scores,
            "Only the scores of questions without an answer were tried. The threshold may be any of the scores.",
        ),
        Mistake(
            _whole_prices, "A price need not be a whole number: int(0.4) is 0, and int(1.99) is 1. Leave int away."
        ),
        Mistake(_shares, "The costs are divided by the size of each group. Each single question costs what it costs."),
    ),
)
