"""Exercise 23.3, what a judge's figure means: the wrong answers, and what is said to each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson23.judging import cases, corrected, searched

Pairs = list[tuple[bool, bool]]


def _as_said(said: float, labelled: Pairs) -> float | None:
    return None if corrected(said, labelled) is None else said


def _by_agreement(said: float, labelled: Pairs) -> float | None:
    if corrected(said, labelled) is None:
        return None
    return said * sum(judge == person for judge, person in labelled) / len(labelled)


def _by_precision(said: float, labelled: Pairs) -> float | None:
    if corrected(said, labelled) is None:
        return None
    accepted = [person for judge, person in labelled if judge]
    rejected = [person for judge, person in labelled if not judge]
    return said * sum(accepted) / len(accepted) + (1 - said) * (sum(rejected) / len(rejected) if rejected else 0)


def _not_clipped(said: float, labelled: Pairs) -> float | None:
    if corrected(said, labelled) is None:
        return None
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    accepts, fooled = sum(good) / len(good), sum(bad) / len(bad)
    return (said - fooled) / (accepts - fooled)


def _raw(said: float, labelled: Pairs) -> float:
    """The formula alone, where it can be computed."""
    return cast("float", _not_clipped(said, labelled))


def _cut_above_alone(said: float, labelled: Pairs) -> float | None:
    return None if corrected(said, labelled) is None else min(1.0, _raw(said, labelled))


def _cut_below_alone(said: float, labelled: Pairs) -> float | None:
    return None if corrected(said, labelled) is None else max(0.0, _raw(said, labelled))


def _none_outside(said: float, labelled: Pairs) -> float | None:
    return None if corrected(said, labelled) is None or not 0 <= _raw(said, labelled) <= 1 else _raw(said, labelled)


def _said_for_none(said: float, labelled: Pairs) -> float:
    share = corrected(said, labelled)
    return said if share is None else share


def _zero_for_none(said: float, labelled: Pairs) -> float:
    return corrected(said, labelled) or 0.0


def _nan_for_none(said: float, labelled: Pairs) -> float:
    share = corrected(said, labelled)
    return math.nan if share is None else share


def _rounded(said: float, labelled: Pairs) -> float | None:
    share = corrected(said, labelled)
    return None if share is None else round(share, 2)


def _rates(said: float, labelled: Pairs, rates: Callable[[int, int, int, int], tuple[float, float]]) -> float | None:
    """The solution with other rates: of the accepted, rejected, fooled and caught statements."""
    pairs = ((True, True), (False, True), (True, False), (False, False))
    counts = a, b, c, d = [labelled.count(pair) for pair in pairs]
    if not a + b or not c + d:
        return None
    accepts, fooled = rates(*counts)
    return None if accepts <= fooled else min(1.0, max(0.0, (said - fooled) / (accepts - fooled)))


def _caught_for_fooled(said: float, labelled: Pairs) -> float | None:
    return _rates(said, labelled, lambda a, b, c, d: (a / (a + b), d / (c + d)))


def _of_all_labels(said: float, labelled: Pairs) -> float | None:
    return _rates(said, labelled, lambda a, b, c, d: (a / (a + b + c + d), c / (a + b + c + d)))


def _add_one(said: float, labelled: Pairs) -> float | None:
    return _rates(said, labelled, lambda a, b, c, d: ((a + 1) / (a + b + 2), (c + 1) / (c + d + 2)))


def _multiplied(said: float, labelled: Pairs) -> float | None:
    if corrected(said, labelled) is None:
        return None
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    return said * (sum(good) / len(good) - sum(bad) / len(bad))


def _equal_is_zero(said: float, labelled: Pairs) -> float | None:
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    equal = good and bad and sum(good) * len(bad) == sum(bad) * len(good)
    return 0.0 if equal else corrected(said, labelled)


def _equal_not_caught(said: float, labelled: Pairs) -> float | None:
    """``accepts < fooled`` is refused, and ``accepts == fooled`` divided by."""
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    if not good or not bad or sum(good) * len(bad) < sum(bad) * len(good):
        return None
    accepts, fooled = sum(good) / len(good), sum(bad) / len(bad)
    return min(1.0, max(0.0, (said - fooled) / (accepts - fooled)))


def _missing_is_perfect(said: float, labelled: Pairs) -> float | None:
    good = [judge for judge, person in labelled if person] or [True]
    bad = [judge for judge, person in labelled if not person] or [False]
    accepts, fooled = sum(good) / len(good), sum(bad) / len(bad)
    return None if accepts <= fooled else min(1.0, max(0.0, (said - fooled) / (accepts - fooled)))


def _labels_alone(said: float, labelled: Pairs) -> float | None:
    """The share among the labelled statements, whatever the judge said of the others."""
    return None if corrected(said, labelled) is None else sum(person for _, person in labelled) / len(labelled)


def _worse_than_chance(said: float, labelled: Pairs) -> float | None:
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    if not good or not bad or sum(good) * len(bad) == sum(bad) * len(good):
        return None
    accepts, fooled = sum(good) / len(good), sum(bad) / len(bad)
    return min(1.0, max(0.0, (said - fooled) / (accepts - fooled)))


def _only_misses(said: float, labelled: Pairs) -> float | None:
    """What the judge wrongly accepts is left out."""
    if corrected(said, labelled) is None:
        return None
    good = [judge for judge, person in labelled if person]
    return min(1.0, said * len(good) / sum(good))


def _added_difference(said: float, labelled: Pairs) -> float | None:
    """The mean of label minus verdict is added: right for labels that were drawn at random."""
    if corrected(said, labelled) is None:
        return None
    return min(1.0, max(0.0, said + sum(person - judge for judge, person in labelled) / len(labelled)))


def _roles_swapped(said: float, labelled: Pairs) -> float | None:
    return corrected(said, [(person, judge) for judge, person in labelled])


def _forward(said: float, labelled: Pairs) -> float | None:
    """What the judge would say if ``said`` were the truth."""
    if corrected(said, labelled) is None:
        return None
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    return said * sum(good) / len(good) + (1 - said) * sum(bad) / len(bad)


JUDGING = Exercise(
    id="23.3",
    title="What a judge's figure means",
    solution=corrected,
    oracle=searched,
    cases=cases,
    hints=(
        "From the labels take two shares: of the supported statements, how many does the judge accept? And of the "
        "unsupported ones?",
        "If the true share is t, the judge says t · accepts + (1 - t) · fooled. Solve for t.",
        "With t = 0 the judge says fooled, with t = 1 it says accepts, and in between it rises in a straight line. "
        "Where on it is said? Keep the result between 0 and 1; where accepts <= fooled there is no line to read.",
    ),
    mistakes=(
        Mistake(_as_said, "The judge's figure came back as it was. Its two kinds of error have to be taken out."),
        Mistake(
            _by_agreement,
            "The figure is multiplied by the agreement. Accepting too much and too little are two errors.",
        ),
        Mistake(
            _by_precision,
            "You used how often the judge's yes is right among the labels. That depends on how many of them are "
            "supported. Take the shares among the supported and among the unsupported ones.",
        ),
        Mistake(
            _not_clipped, "A share lies between 0 and 1. With few labels the formula can leave that range: clip it."
        ),
        Mistake(_cut_above_alone, "Above 1 you cut, below 0 not. Keep the share between the two."),
        Mistake(_cut_below_alone, "Below 0 you cut, above 1 not. Keep the share between the two."),
        Mistake(
            _none_outside,
            "Where the formula leaves 0 to 1, the labels do tell something: the share is near that end. Return 0 or 1.",
        ),
        Mistake(_said_for_none, "Where the labels can't tell, the judge's own figure is no answer. Return None."),
        Mistake(
            _zero_for_none, "Where the labels can't tell you return 0.0, which says: nothing is supported. Return None."
        ),
        Mistake(_nan_for_none, "Where the labels can't tell, return None, not nan."),
        Mistake(_equal_is_zero, "A judge who accepts both kinds equally often tells nothing. Return None, not 0."),
        Mistake(_equal_not_caught, "Where accepts equals fooled, you divide by 0. Return None there: <=, not <."),
        Mistake(
            _missing_is_perfect,
            "Without labels of one kind you took the judge for perfect on it. Nobody knows that: return None.",
        ),
        Mistake(_rounded, "The share is rounded to two digits. Return it as it is."),
        Mistake(
            _caught_for_fooled,
            "You took the unsupported statements that the judge rejects. Fooled is the share that it accepts.",
        ),
        Mistake(
            _of_all_labels,
            "Both rates are over all labels. Take the first over the supported ones, the second over the others.",
        ),
        Mistake(
            _add_one,
            "You added one to each count before dividing. That pulls both rates towards a half: count as it is.",
        ),
        Mistake(
            _multiplied, "You multiplied by accepts - fooled. Take fooled away from `said` first, then divide by it."
        ),
        Mistake(
            _labels_alone,
            "That is the share among the labelled statements. What the judge said of all others is unused.",
        ),
        Mistake(
            _worse_than_chance, "This judge accepts unsupported statements more often than supported ones. Return None."
        ),
        Mistake(
            _added_difference,
            "A good idea, and another method: label minus verdict, averaged, corrects `said` where the labels are a "
            "random sample (ARES does that). Labels that were chosen, half of them unsupported, need the two shares.",
        ),
        Mistake(_roles_swapped, "Judge and person are swapped: a pair is (the judge says, the person says)."),
        Mistake(
            _forward, "That is what the judge would say if `said` were the truth. You have its words; find the truth."
        ),
        Mistake(
            _only_misses,
            "What the judge wrongly accepts is left out: its yes for unsupported statements counts in `said`.",
        ),
    ),
)
