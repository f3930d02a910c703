"""Exercise 26.2, a card that stays hard for ever."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

_Card = tuple[int, float, int]


def review(interval: int, ease: float, streak: int, grade: int) -> tuple[int, float, int]:
    """The interval in days, the ease and the run of successes after an answer with a grade from 0 to 5."""
    if grade < 3:
        return 1, ease, 0
    ease = max(1.3, ease + 0.1 - (5 - grade) * (0.08 + (5 - grade) * 0.02))
    streak += 1
    return (1 if streak == 1 else 6 if streak == 2 else round(interval * ease)), ease, streak


def never_easy_again(interval: int, ease: float, streak: int, grade: int) -> tuple[int, float, int]:
    """The interval in days, the ease and the run of successes after an answer with a grade from 0 to 5."""
    ease = max(1.3, ease + 0.1 - (5 - grade) * (0.08 + (5 - grade) * 0.02))
    if grade < 3:
        return 1, ease, 0
    streak += 1
    return (1 if streak == 1 else 6 if streak == 2 else round(interval * ease)), ease, streak


_CHANGES = {3: -0.14, 4: 0.0, 5: 0.1}


def _from_a_table(interval: int, ease: float, streak: int, grade: int) -> _Card:
    """Oracle: what each grade changes, written down from the paper."""
    if grade in (0, 1, 2):
        return 1, ease, 0
    changed = ease + _CHANGES[grade]
    if changed < 1.3:
        changed = 1.3
    if streak == 0:
        return 1, changed, 1
    if streak == 1:
        return 6, changed, 2
    return int(interval * changed + 0.5), changed, streak + 1


def _cases(rng: Random) -> Iterator[tuple[int, float, int, int]]:
    yield 0, 2.5, 0, 4
    yield 1, 2.5, 1, 4
    yield 7, 2.42, 2, 5
    yield 6, 2.5, 2, 1
    yield 12, 1.3, 3, 3
    yield 11, 2.5, 3, 5
    yield 15, 2.1, 3, 0
    yield 29, 1.35, 4, 3
    for _ in range(60):
        # Only fractions that round() and ceil() take to the same number; the paper rounds up.
        interval, ease = rng.randrange(1, 60), rng.choice((1.3, 1.46, 1.7, 2.08, 2.36, 2.5))
        streak, grade = rng.randrange(5), rng.randrange(6)
        changed = max(1.3, ease + _CHANGES.get(grade, 0.0))
        if 0.51 < interval * changed % 1 < 0.99 or grade < 3 or streak < 2:
            yield interval, ease, streak, grade


def _forgives(interval: int, ease: float, streak: int, grade: int) -> _Card:
    return (1, 2.5, 0) if grade < 3 else review(interval, ease, streak, grade)


def _no_floor(interval: int, ease: float, streak: int, grade: int) -> _Card:
    if grade < 3:
        return 1, ease, 0
    ease += 0.1 - (5 - grade) * (0.08 + (5 - grade) * 0.02)
    streak += 1
    return (1 if streak == 1 else 6 if streak == 2 else round(interval * ease)), ease, streak


def _keeps_the_run(interval: int, ease: float, streak: int, grade: int) -> _Card:
    return (1, ease, streak) if grade < 3 else review(interval, ease, streak, grade)


def _three_fails(interval: int, ease: float, streak: int, grade: int) -> _Card:
    return (1, ease, 0) if grade < 4 else review(interval, ease, streak, grade)


def _keeps_the_interval(interval: int, ease: float, streak: int, grade: int) -> _Card:
    return (interval, ease, 0) if grade < 3 else review(interval, ease, streak, grade)


def _old_ease(interval: int, ease: float, streak: int, grade: int) -> _Card:
    _, changed, run = review(interval, ease, streak, grade)
    return (1 if run < 2 else 6 if run == 2 else round(interval * ease)), changed, run


def _punished(interval: int, ease: float, streak: int, grade: int) -> _Card:
    return (1, max(1.3, ease - 0.2), 0) if grade < 3 else review(interval, ease, streak, grade)


def _no_day(interval: int, ease: float, streak: int, grade: int) -> _Card:
    return (0, ease, 0) if grade < 3 else review(interval, ease, streak, grade)


def _ceiling(interval: int, ease: float, streak: int, grade: int) -> _Card:
    if grade < 3:
        return 1, ease, 0
    changed = min(2.5, max(1.3, ease + _CHANGES[grade]))
    return (1 if streak == 0 else 6 if streak == 1 else round(interval * changed)), changed, streak + 1


def _run_of_one(interval: int, ease: float, streak: int, grade: int) -> _Card:
    return (1, ease, 1) if grade < 3 else review(interval, ease, streak, grade)


def _constant_ease(interval: int, ease: float, streak: int, grade: int) -> _Card:
    days, _, run = review(interval, ease, streak, grade)
    return days, ease, run


def _milder(interval: int, ease: float, streak: int, grade: int) -> _Card:
    return (1, max(1.3, ease - 0.14), 0) if grade < 3 else review(interval, ease, streak, grade)


def _four_lifts(interval: int, ease: float, streak: int, grade: int) -> _Card:
    if grade != 4:
        return never_easy_again(interval, ease, streak, grade)
    days, _, run = review(interval, ease + 0.1, streak, grade)
    return days, ease + 0.1, run


def _four_lifts_as_well(interval: int, ease: float, streak: int, grade: int) -> _Card:
    return (1, ease, 0) if grade < 3 else _four_lifts(interval, ease, streak, grade)


def _higher_floor(interval: int, ease: float, streak: int, grade: int) -> _Card:
    changed = max(2.0, ease + 0.1 - (5 - grade) * (0.08 + (5 - grade) * 0.02))
    if grade < 3:
        return 1, changed, 0
    return (1 if streak == 0 else 6 if streak == 1 else round(interval * changed)), changed, streak + 1


def _cut_off(interval: int, ease: float, streak: int, grade: int) -> _Card:
    days, changed, run = review(interval, ease, streak, grade)
    return (int(interval * changed) if run > 2 else days), changed, run


EASE = Exercise(
    id="26.2",
    title="Find the bug: a card that stays hard for ever",
    solution=review,
    oracle=_from_a_table,
    cases=_cases,
    hints=(
        "Fail a card three times: ease = 2.5, then review(1, ease, 0, 1) again and again. What is the ease?",
        "After that, know it with grade 4 every time. What does grade 4 change? So who brings the ease back?",
        "The paper: below grade 3 begin again without changing the ease. Move one line.",
    ),
    mistakes=(
        Mistake(
            _forgives, "The ease is 2.5 again after a failure. A card that really is hard must stay harder than others."
        ),
        Mistake(
            _no_floor, "Without the floor of 1.3 a card of many threes gets an ease below 1: the intervals shrink."
        ),
        Mistake(_keeps_the_run, "The run of successes goes on after a failure, so the card skips the days 1 and 6."),
        Mistake(_three_fails, "Grade 3 is a success: known, with difficulty."),
        Mistake(_keeps_the_interval, "After a failure the card has to come back tomorrow, not after the old interval."),
        Mistake(
            _old_ease,
            "The interval is multiplied by the ease before this answer. The code above takes the new one.",
        ),
        Mistake(
            never_easy_again, "A failure still lowers the ease, and grade 4, which leaves it, never brings it back."
        ),
        Mistake(
            _milder, "0.14 less for each failure is milder, and still only goes down: grade 4 never brings it back."
        ),
        Mistake(
            _four_lifts,
            "Grade 4 now lifts the ease. That hides the fault with a rule of your own: a failure still lowers it.",
        ),
        Mistake(
            _four_lifts_as_well, "Failures are mended. But grade 4 leaves the ease as it is: 0.1 - 1 × (0.08 + 0.02)."
        ),
        Mistake(
            _higher_floor,
            "A floor of 2.0 makes the fault smaller and takes SM-2 its hard cards. Why does a failure lower the ease?",
        ),
        Mistake(_cut_off, "int() cuts the fraction off. The paper rounds up, this code to the nearest."),
        Mistake(_punished, "That is Anki's habit, 0.2 less for each failure; the paper leaves the ease as it is."),
        Mistake(_no_day, "An interval of 0 days asks the card again today. After a failure it comes tomorrow: 1."),
        Mistake(_ceiling, "2.5 is where the ease begins, and no ceiling: grade 5 lifts it further."),
        Mistake(_run_of_one, "A failure is no success: the run begins at 0, and the next success at 1 day."),
        Mistake(_constant_ease, "Now the ease never changes at all. Known answers still change it: grade 3 lowers it."),
    ),
)
