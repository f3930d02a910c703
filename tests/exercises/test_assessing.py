"""Correct, incorrect or not attempted: and what is said of it."""

import dataclasses
import re

import numpy as np
import pytest

from hierrag_lessons.exercises import Mistake, check
from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.model import Span
from tests.example_exercise import EXAMPLE, as_they_come, last_end_wins, merge_spans, only_overlapping
from tests.exercises.reading import said, text


def test_the_official_solution_is_correct():
    reply = assess(EXAMPLE, merge_spans)
    assert reply.status == "correct"
    assert text(reply).startswith("Correct · 98.1 Merge spans")
    assert "34 of 34 cases" in text(reply)


def empty(spans):
    pass


def documented(spans):
    """Join spans."""


def dots(spans):
    """Join spans."""
    return ...


def raises(spans):
    raise NotImplementedError


def not_implemented(spans):
    return NotImplemented


def hole(spans):
    merged = []
    for span in sorted(...):
        merged.append(span)
    return merged


@pytest.mark.parametrize(
    "function", [None, ..., NotImplemented, empty, documented, dots, raises, not_implemented, hole, lambda spans: None]
)
def test_what_nobody_wrote_is_not_attempted(function):
    reply = assess(EXAMPLE, function)
    assert reply.status == "not attempted"
    assert text(reply).startswith("Not attempted yet · 98.1 Merge spans")
    assert 'hint("98.1")' in text(reply)


def test_without_a_function_nothing_was_attempted():
    assert check("01.1").status == "not attempted"


def test_none_that_is_returned_is_an_answer():
    def always_none(spans):
        """Join spans."""
        return None  # noqa: RET501

    reply = assess(EXAMPLE, always_none)
    assert reply.status == "incorrect"
    assert said(reply, "you returned") == "None"


def test_a_bare_return_is_not():
    def nothing(spans):
        return

    assert assess(EXAMPLE, nothing).status == "not attempted"


def test_an_earlier_failure_is_shown_where_a_later_input_is_endless():
    def endless_on_long_lists(spans):
        while len(spans) > 2:
            pass
        return []

    reply = assess(EXAMPLE, endless_on_long_lists, seconds=0.2)
    assert said(reply, "you returned") == "[]"
    assert "did not finish" in reply.footer


def test_a_half_written_function_is_incorrect():
    reply = assess(EXAMPLE, lambda spans: [] if not spans else ...)
    assert reply.status == "incorrect"
    assert "not written yet" in text(reply)


@pytest.mark.parametrize("mistake", EXAMPLE.mistakes, ids=lambda mistake: mistake.function.__name__)
def test_a_known_mistake_gets_its_own_message(mistake):
    reply = assess(EXAMPLE, mistake.function)
    assert reply.status == "incorrect"
    assert [message for message in (m.message for m in EXAMPLE.mistakes) if message in text(reply)] == [mistake.message]


def test_a_mistake_is_named_only_where_it_explains_the_case_shown():
    def and_another(spans):
        return [Span(0, 1)] if len(spans) == 1 else only_overlapping(spans)

    def on_long_lists_too(spans):
        return [Span(0, 1)] if len(spans) > 6 else only_overlapping(spans)

    assert "this looks like" not in text(assess(EXAMPLE, and_another))
    assert "this looks like" not in text(assess(EXAMPLE, lambda spans: [Span(0, 1)]))
    long_lists_all_merge = [Span(0, 3), Span(5, 8)] * 4
    reply = assess(
        dataclasses.replace(EXAMPLE, cases=lambda rng: [([Span(0, 5), Span(5, 8)],), (long_lists_all_merge,)]),
        on_long_lists_too,
    )
    assert said(reply, "this looks like") == EXAMPLE.mistakes[0].message


def test_the_simplest_failing_case_is_shown_in_full():
    reply = assess(EXAMPLE, only_overlapping)
    assert said(reply, "a failing input") == "merge_spans([Span(start=0, end=5), Span(start=5, end=8)])"
    assert said(reply, "you returned") == "[Span(start=0, end=5), Span(start=5, end=8)]"
    assert said(reply, "expected") == "[Span(start=0, end=8)]"
    assert said(reply, "note") == "Yours has 2 items, expected 1 item; they differ first at index 0."
    assert re.search(r"^\d+ of 34 cases fail", reply.footer)


def test_the_cases_are_the_same_in_every_run():
    assert text(assess(EXAMPLE, as_they_come)) == text(assess(EXAMPLE, as_they_come))


def test_the_code_as_handed_out_is_not_attempted_until_it_behaves_otherwise():
    bug = dataclasses.replace(EXAMPLE, start=only_overlapping)

    def rewritten(spans):
        return only_overlapping(list(spans))

    for function in (only_overlapping, rewritten):
        reply = assess(bug, function)
        assert reply.status == "not attempted"
        assert "a failing input" in text(reply)
    assert assess(bug, last_end_wins).status == "incorrect"
    assert assess(bug, merge_spans).status == "correct"


def test_printing_is_no_answer_but_is_shown():
    def chatty(spans):
        print("spans:", spans)
        return merge_spans(spans)

    def only_prints(spans):
        print(merge_spans(spans))

    assert assess(EXAMPLE, chatty).status == "correct"
    assert "Printing an answer is not returning it" in text(assess(EXAMPLE, only_prints))


def test_a_forgotten_return_is_named():
    def forgetful(spans):
        sorted(spans)

    assert said(assess(EXAMPLE, forgetful), "note") == "Here your function ends without `return`, which gives `None`."


def test_a_missing_return_on_one_way_through_is_named():
    def only_one_way(spans):  # noqa: RET503
        if len(spans) < 2:
            return spans
        for span in merge_spans(spans):
            if span.start < 0:
                return []

    assert "without `return`" in said(assess(EXAMPLE, only_one_way), "note")


def test_none_that_is_returned_is_no_forgotten_return():
    def explicit(spans):
        if len(spans) < 2:
            return spans
        return None

    for function in (explicit, lambda spans: sorted(spans).sort()):
        reply = assess(EXAMPLE, function)
        assert said(reply, "you returned") == "None"
        assert "without `return`" not in text(reply)


def test_a_generator_counts_as_the_list_that_it_makes():
    assert assess(EXAMPLE, lambda spans: (span for span in merge_spans(spans))).status == "correct"
    assert assess(EXAMPLE, lambda spans: tuple(merge_spans(spans))).status == "correct"


def test_where_the_oracle_raises_the_learner_must_too():
    def strict(size):
        if size < 1:
            raise ValueError(f"max_size is {size}")
        return size

    def lenient(size):
        return size

    def other_error(size):
        return size if size > 0 else 1 // 0

    picky = dataclasses.replace(
        EXAMPLE,
        solution=strict,
        oracle=strict,
        cases=lambda rng: [(1,), (0,), (rng.randrange(2, 9),)],
        mistakes=(Mistake(lenient, "a"), Mistake(other_error, "b"), Mistake(lambda size: 3, "c")),
    )
    assert assess(picky, strict).status == "correct"
    assert "an error of class ValueError" in text(assess(picky, lenient))
    assert "ZeroDivisionError" in text(assess(picky, other_error))


@pytest.mark.parametrize(
    ("cases", "shown"),
    [
        ([([],), ([Span(0, 1)],), ([Span(0, 1), Span(5, 9)],)], "merge_spans([Span(start=0, end=1)])"),
        ([([],)], "merge_spans([])"),
    ],
)
def test_an_empty_input_is_shown_only_where_no_other_fails(cases, shown):
    exercise = dataclasses.replace(EXAMPLE, cases=lambda rng: cases)
    assert said(assess(exercise, lambda spans: 7), "a failing input") == shown


@pytest.mark.parametrize("blank", ["", "  \n", [], {}, set(), np.zeros((0, 2)), np.zeros(3), [""], [{}, []]])
def test_a_blank_argument_is_shown_last(blank):
    exercise = dataclasses.replace(
        EXAMPLE,
        solution=lambda things, n: n,
        oracle=lambda things, n: n,
        cases=lambda rng: [(blank, 1), (["long enough to be behind the other one", Span(0, 0)], 1)],
    )
    assert "long enough" in said(assess(exercise, lambda things, n: 7), "a failing input")


def test_numbers_are_no_blank_argument():
    exercise = dataclasses.replace(EXAMPLE, cases=lambda rng: [([Span(0, 0)],), ([Span(0, 0)] * 2,)])
    assert said(assess(exercise, lambda spans: 7), "a failing input") == "merge_spans([Span(start=0, end=0)])"


def test_numbers_of_numpy_are_shown_as_numbers():
    reply = assess(EXAMPLE, lambda spans: [np.float64(0.5), np.int64(3)])
    assert said(reply, "you returned") == "[0.5, 3]"
