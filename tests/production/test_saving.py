from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.model import Passage
from hierrag_lessons.production import ShortenedRetriever, head_and_tail, sum_up
from hierrag_lessons.retrievers import FlatRetriever, ParentChildRetriever
from hierrag_lessons.text import count_tokens

TEXT = "Ann pays the rent on the first day of each month. Bob owns the house in the long street near the sea. " * 12
PASSAGE = Passage("lease", 100, 100 + len(TEXT), TEXT, "Lease", 0.5)


@given(st.text(max_size=300), st.integers(2, 50))
def test_head_and_tail_keeps_exact_parts_and_the_size(text, size):
    pieces = head_and_tail(Passage("d", 7, 7 + len(text), text), size)
    assert all(piece.text == text[piece.start - 7 : piece.end - 7] for piece in pieces)
    # One character can be more tokens than there is room for; a ruler goes one further all the same.
    assert sum(count_tokens(piece.text) for piece in pieces) <= max(size, size // 2 + 4)


def test_the_middle_is_left_out():
    first, last = head_and_tail(PASSAGE, 60)
    assert (first.start, last.end) == (PASSAGE.start, PASSAGE.end)
    assert first.end < last.start
    assert (first.context, first.score) == ("Lease", 0.5)
    assert head_and_tail(PASSAGE, 10_000) == [PASSAGE]


def test_a_summary_is_whole_sentences_of_the_passage():
    pieces = sum_up(PASSAGE, 40)
    assert pieces
    assert all(piece.text == TEXT[piece.start - 100 : piece.end - 100] for piece in pieces)
    assert sum(count_tokens(piece.text) for piece in pieces) <= 40
    assert sum_up(PASSAGE, 10_000) == [PASSAGE]


@pytest.mark.parametrize("shorten", [partial(head_and_tail, max_tokens=6), partial(sum_up, max_tokens=6)])
def test_a_shortened_retriever_returns_k_exact_parts(pets, document, shorten):
    whole = ParentChildRetriever(pets)
    found = ShortenedRetriever(whole, shorten).retrieve("dogs on the beach", k=2)
    parents = [parent.span for parent in whole.retrieve("dogs on the beach", k=2)]
    assert 1 <= len(found) <= 2
    for piece in found:
        assert piece.text == document.text[piece.start : piece.end]
        assert any(start <= piece.start and piece.end <= end for start, end in parents)


def test_a_passage_is_shortened_once(pets):
    calls = []

    def count(passage):
        calls.append(passage.span)
        return [passage]

    ShortenedRetriever(FlatRetriever(pets), count).retrieve_batch(["cats", "cats again"], k=3)
    assert len(calls) == len(set(calls))


def test_what_is_no_function_is_refused(pets):
    with pytest.raises(ValueError, match="shorten is 300; give a function from a passage to parts of it"):
        ShortenedRetriever(FlatRetriever(pets), 300)
