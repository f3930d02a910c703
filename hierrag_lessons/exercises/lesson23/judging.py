"""Exercise 23.3, what a judge's figure means."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def corrected(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    """The share of statements that are really supported, where a judge said that ``said`` of them are.

    ``labelled`` are statements that a person looked at: (the judge says supported, the person says supported).
    Returns a share from 0 to 1; ``None`` where the labels can't tell, because one kind is missing or the judge accepts
    unsupported statements as often as supported ones, or more often.
    """
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    if not good or not bad:
        return None
    accepts, fooled = sum(good) / len(good), sum(bad) / len(bad)
    if accepts <= fooled:
        return None
    return min(1.0, max(0.0, (said - fooled) / (accepts - fooled)))


def _searched(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    """Oracle: the true share is searched for which the judge would have said this, by halving."""
    counts = {(judge, person): labelled.count((judge, person)) for judge in (True, False) for person in (True, False)}
    good, bad = counts[True, True] + counts[False, True], counts[True, False] + counts[False, False]
    if not good or not bad or counts[True, True] * bad <= counts[True, False] * good:
        return None
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        would_say = share * counts[True, True] / good + (1 - share) * counts[True, False] / bad
        low, high = (share, high) if would_say < said else (low, share)
    return (low + high) / 2


def _labels(accepted: int, rejected: int, fooled: int, caught: int) -> list[tuple[bool, bool]]:
    """Labelled statements by their numbers: supported ones that the judge accepts and rejects, then the others."""
    groups = {(True, True): accepted, (False, True): rejected, (True, False): fooled, (False, False): caught}
    return [pair for pair, number in groups.items() for _ in range(number)]


def _cases(rng: Random) -> Iterator[tuple[float, list[tuple[bool, bool]]]]:
    yield 0.93, _labels(20, 0, 0, 20)
    yield 0.8, _labels(18, 2, 8, 12)
    yield 0.5, _labels(18, 2, 2, 18)
    yield 0.95, _labels(18, 2, 2, 18)
    yield 0.05, _labels(18, 2, 2, 18)
    yield 0.9, _labels(20, 0, 0, 0)
    yield 0.9, _labels(0, 0, 3, 20)
    yield 0.9, []
    yield 0.5, _labels(10, 10, 10, 10)
    yield 0.5, _labels(5, 15, 15, 5)
    yield 0.7, _labels(30, 10, 2, 8)
    for _ in range(40):
        yield rng.randrange(101) / 100, _labels(*(rng.randrange(12) for _ in range(4)))


def _as_said(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    return None if corrected(said, labelled) is None else said


def _by_agreement(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    if corrected(said, labelled) is None:
        return None
    return said * sum(judge == person for judge, person in labelled) / len(labelled)


def _by_precision(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    if corrected(said, labelled) is None:
        return None
    accepted = [person for judge, person in labelled if judge]
    rejected = [person for judge, person in labelled if not judge]
    return said * sum(accepted) / len(accepted) + (1 - said) * (sum(rejected) / len(rejected) if rejected else 0)


def _not_clipped(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    if corrected(said, labelled) is None:
        return None
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    accepts, fooled = sum(good) / len(good), sum(bad) / len(bad)
    return (said - fooled) / (accepts - fooled)


def _labels_alone(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    """The share among the labelled statements, whatever the judge said of the others."""
    return None if corrected(said, labelled) is None else sum(person for _, person in labelled) / len(labelled)


def _worse_than_chance(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    good = [judge for judge, person in labelled if person]
    bad = [judge for judge, person in labelled if not person]
    if not good or not bad or sum(good) * len(bad) == sum(bad) * len(good):
        return None
    accepts, fooled = sum(good) / len(good), sum(bad) / len(bad)
    return min(1.0, max(0.0, (said - fooled) / (accepts - fooled)))


def _only_misses(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    """What the judge wrongly accepts is left out."""
    if corrected(said, labelled) is None:
        return None
    good = [judge for judge, person in labelled if person]
    return min(1.0, said * len(good) / sum(good))


def _added_difference(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    """The mean of label minus verdict is added: right for labels that were drawn at random."""
    if corrected(said, labelled) is None:
        return None
    return min(1.0, max(0.0, said + sum(person - judge for judge, person in labelled) / len(labelled)))


def _roles_swapped(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    return corrected(said, [(person, judge) for judge, person in labelled])


def _forward(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
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
    oracle=_searched,
    cases=_cases,
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
