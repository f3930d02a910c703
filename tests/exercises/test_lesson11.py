"""Exercise 11.1 of lesson 11: a start goes to the nearest sentence, and other rules are refused by name."""

import pytest

from hierrag_lessons.exercises import find
from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.model import Span
from tests.exercises.reading import text


def spans(cuts, end):
    ordered = sorted(cuts)
    return [Span(a, b) for a, b in zip(ordered, [*ordered[1:], end], strict=True)]


def to_the_sentence_around(segments, starts, end):
    """A wrong answer: the sentence that a segment's start lies in."""
    return spans({0} | {max(s for s in starts if s <= a) for a, _ in segments if 0 <= a < end}, end)


def to_the_nearest(segments, starts, end):
    """A right answer, as tuples."""
    cuts = {0}
    for a, _ in segments:
        if 0 <= a < end:
            cuts.add(sorted((abs(s - a), s) for s in starts)[0][1])
    return [tuple(span) for span in spans(cuts, end)]


def by_rounding(segments, starts, end):
    """A wrong answer: the later one of two sentences that are as near."""
    return spans({0} | {sorted((abs(s - a), -s, s) for s in starts)[0][2] for a, _ in segments if 0 <= a < end}, end)


@pytest.mark.parametrize(
    ("function", "named"), [(to_the_sentence_around, "that it lies in"), (by_rounding, "the later one was taken")]
)
def test_another_rule_is_named(function, named):
    reply = assess(find("11.1"), function)
    assert reply.status == "incorrect"
    assert named in text(reply)


def test_the_nearest_sentence_is_right():
    assert assess(find("11.1"), to_the_nearest).status == "correct"
