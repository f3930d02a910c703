"""Quotes are found where they stand, whatever the copy has done to white space and typography."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.model import Span
from hierrag_lessons.text import find_quote
from tests.texts import texts

TEXT = "He said: “It’s 4–5 days.”\n\nNo more.\u00a0Then it’s over."


@given(texts, st.data())
def test_what_was_copied_is_found(text, data):
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    found = find_quote(text, text[start:end])
    if not text[start:end].split():
        assert found is None
    else:
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


def test_only_the_part_within_is_looked_at():
    assert find_quote(TEXT, "it's", Span(0, 20)) == (10, 14)
    assert find_quote(TEXT, "it's", Span(20, len(TEXT))) == (41, 45)
    assert find_quote(TEXT, "it's", Span(11, 20)) is None
