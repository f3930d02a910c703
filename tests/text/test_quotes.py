"""Quotes are found where they stand, whatever the copy has done to white space and typography."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.model import Span
from hierrag_lessons.text import find_quote
from tests.texts import texts

TEXT = "He said: “It’s 4–5 days.”\n\nNo more.\u00a0Then it’s over."


def cuts(text, place):
    """Whether a place may lie in a word or a number, generously."""
    return 0 < place < len(text) and all(sign.isalnum() or sign in ".,:" for sign in text[place - 1 : place + 1])


@given(texts, st.data())
def test_what_was_copied_is_found(text, data):
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    found = find_quote(text, text[start:end])
    copied = text[start:end].strip()
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    if not copied:
        assert found is None
    elif not (cuts(text, first) or cuts(text, first + len(copied))):
        assert found is not None
        assert found.start <= start + len(text[start:end]) - len(text[start:end].lstrip())


@given(texts, texts)
def test_what_is_found_lies_in_the_text(text, quote):
    found = find_quote(text, quote)
    assert found is None or 0 <= found.start < found.end <= len(text)


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ('"It\'s 4-5 days."', "“It’s 4–5 days.”"),
        ("days.”   NO MORE. then", "days.”\n\nNo more.\u00a0Then"),
        ("it’s over", "it’s over"),
    ],
)
def test_marks_capitals_and_white_space_may_differ(quote, words):
    assert TEXT[slice(*find_quote(TEXT, quote))] == words


@pytest.mark.parametrize("quote", ["It's 45 days", "no less", "", " \n"])
def test_nothing_else_may(quote):
    assert find_quote(TEXT, quote) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("We spent $31.8 million on it.", "1.8 million"),
        ("We spent $31.8 million on it.", "8 million"),
        ("It cost $39.1 million.", "It cost $39"),
        ("A pilot of 11,500 meters.", "500 meters"),
        ("He is unable to pay.", "able to pay"),
        ("the smallest of all", "the small"),
    ],
)
def test_a_quote_does_not_begin_or_end_inside_a_word_or_a_number(text, quote):
    assert find_quote(text, quote) is None


def test_a_whole_word_behind_a_cut_one_is_found():
    assert find_quote("unable or able", "able") == (10, 14)
    assert find_quote("In 2025, 2025.", "2025") == (3, 7)
    assert find_quote("它在2025年开始运行。", "年开始") == (6, 9)


def test_only_the_part_within_is_looked_at():
    assert find_quote(TEXT, "it's", Span(0, 20)) == (10, 14)
    assert find_quote(TEXT, "it's", Span(20, len(TEXT))) == (41, 45)
    assert find_quote(TEXT, "it's", Span(11, 20)) is None
