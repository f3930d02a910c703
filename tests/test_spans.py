from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.model import Chunk, Document, Hit, Node, Passage, Span, sort_key
from hierrag_lessons.spans import clip, cover, grow, merge, overlap, subtract, trim

spans = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: Span(min(pair), max(pair)))
span_lists = st.lists(spans, max_size=8)


def positions(items) -> set[int]:
    """The slow, obvious meaning of a list of spans."""
    return {i for start, end in items for i in range(start, end)}


@given(span_lists)
def test_merge_is_the_union_in_order(items: list[Span]) -> None:
    merged = merge(items)
    assert positions(merged) == positions(items)
    assert all(a.end < b.start for a, b in pairwise(merged))
    assert all(span.start < span.end for span in merged)
    assert merge(merged) == merged
    assert cover(items) == len(positions(items))


@given(span_lists, st.integers(0, 10))
def test_merge_joins_over_gaps(items: list[Span], gap: int) -> None:
    merged = merge(items, gap)
    assert positions(items) <= positions(merged)
    assert all(b.start - a.end > gap for a, b in pairwise(merged))
    for position in positions(merged) - positions(items):
        inside = positions(items)
        before = max((p for p in inside if p < position), default=-1)
        after = min((p for p in inside if p > position), default=-1)
        assert before >= 0
        assert after - before - 1 <= gap


@given(spans, spans)
def test_overlap_and_clip(a: Span, b: Span) -> None:
    common = positions([a]) & positions([b])
    assert overlap(a, b) == overlap(b, a) == len(common)
    clipped = clip(a, b)
    assert positions([clipped]) == common
    assert b.start <= clipped.start <= clipped.end <= b.end


@given(spans, st.integers(0, 9), st.integers(0, 9), spans)
def test_grow(span: Span, before: int, after: int, within: Span) -> None:
    grown = grow(span, before, after, within)
    assert positions([grown]) == positions([(span.start - before, span.end + after)]) & positions([within])


@given(spans, span_lists)
def test_subtract(span: Span, taken: list[Span]) -> None:
    left = subtract(span, taken)
    assert positions(left) == positions([span]) - positions(taken)
    assert left == merge(left)


@given(st.text(" \n\t\u3000ab"), st.data())
def test_trim(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    trimmed = trim(text, Span(start, end))
    assert text[trimmed.start : trimmed.end] == text[start:end].strip()
    assert start <= trimmed.start <= trimmed.end <= end


def test_a_document_needs_a_name() -> None:
    with pytest.raises(ValueError, match="doc_id is empty"):
        Document("", "text")


def test_chunk_ids_and_embedding_text() -> None:
    chunk = Chunk("report", 3, 7, "text", context="Title > Part")
    assert chunk.chunk_id == "report:3-7"
    assert chunk.embedding_text == "Title > Part\ntext"
    assert Chunk("report", 3, 7, "text").embedding_text == "text"
    assert chunk.span == Span(3, 7)


def test_sort_key_settles_ties() -> None:
    passages = [
        Passage("b", 0, 1, "x", score=0.5),
        Passage("a", 5, 6, "x", score=0.5),
        Passage("a", 2, 9, "x", score=0.5),
        Passage("a", 2, 3, "x", score=0.5),
        Passage("z", 0, 1, "x", score=0.9),
    ]
    ordered = sorted(passages, key=sort_key)
    assert [(p.doc_id, p.start, p.end) for p in ordered] == [
        ("z", 0, 1),
        ("a", 2, 3),
        ("a", 2, 9),
        ("a", 5, 6),
        ("b", 0, 1),
    ]
    hit = Hit(Node("n", "a", 1, 2, 3, "x"), 0.5)
    assert sort_key(hit) == (-0.5, "a", 2, 3)
