"""Lesson 26's exercises: unusual right answers pass, and the examples by hand come out."""

from collections import defaultdict
from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.exercises.lesson26.copies import COPIES, copies
from hierrag_lessons.exercises.lesson26.ease import EASE
from hierrag_lessons.exercises.lesson26.marking import MARKING
from hierrag_lessons.exercises.lesson26.weakness import WEAKNESS


def with_numpy(topics, answers):
    lacks = defaultdict(lambda: [1.0, 0.0])
    for topic in topics.values():
        lacks[topic]
    for card, share in dict(answers).items():
        lacks[topics[card]].append(1 - share)
    return {topic: np.mean(own) for topic, own in lacks.items()}


def in_fractions(questions_a_day, busiest, seconds, busy=0.7):
    exact = [Fraction(str(value)) for value in (questions_a_day, busiest, seconds, busy)]
    return max(1, ceil(exact[0] * exact[1] * exact[2] / 3600 / exact[3]))


def rounded_up(interval, ease, streak, grade):
    if grade < 3:
        return [1, ease, 0]
    ease = max(1.3, ease + 0.1 - (5 - grade) * (0.08 + (5 - grade) * 0.02))
    return [(1, 6)[streak] if streak < 2 else ceil(interval * ease), ease, streak + 1]


def as_truths(answer):
    return {"A": (True, True, False, False), "C": (False, True, True, True)}.get(answer, (False,) * 4)


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [(WEAKNESS, with_numpy), (EASE, rounded_up), (COPIES, in_fractions), (MARKING, as_truths)],
    ids=lambda value: getattr(value, "id", getattr(value, "__name__", "")),
)
def test_an_unusual_right_answer_passes(exercise, answer):
    assert assess(exercise, answer).status == "correct"


def test_a_whole_quotient_needs_no_copy_more():
    assert copies(7_200, 0.5, 1.0, 0.5) == 2
    assert copies(6_000, 0.2, 4.0) == 2
    assert copies(36_000, 0.2, 4.0) == 12


def test_a_wrong_row_of_marks_shows_one_answer_and_its_reasons():
    reply = repr(assess(MARKING, lambda answer: [0, 0, 0, 0]))
    assert "that is point 1" in reply
    assert "C never says" not in reply


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        (
            COPIES,
            lambda a_day, busiest, seconds, busy=0.7: max(2, copies(a_day, busiest, seconds, busy)),
            "one is the least",
        ),
        (
            COPIES,
            lambda a_day, busiest, seconds, busy=0.5: copies(a_day, busiest, seconds, busy),
            "not given it is 0.7",
        ),
        (
            WEAKNESS,
            lambda topics, answers: {t: round(float(w), 2) for t, w in with_numpy(topics, answers).items()},
            "Rounded",
        ),
        (EASE, lambda i, e, s, g: rounded_up(i, max(1.3, e - 0.14) if g < 3 else e, s, g), "still only goes down"),
    ],
)
def test_a_likely_slip_gets_its_name(exercise, answer, said):
    assert said in repr(assess(exercise, answer))
