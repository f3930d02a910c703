from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.text import TokenRuler, count_tokens, make_ruler
from hierrag_lessons.text.rulers import CharacterRuler, MeasureRuler
from tests.text.test_graphemes import boundaries
from tests.texts import texts

MEASURES = {"tokens": count_tokens, "characters": len, "bytes": lambda text: len(text.encode("utf-8", "surrogatepass"))}


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@given(text=texts, limit=st.integers(1, 30), data=st.data())
def test_reach_is_permitted_fits_and_moves_on(measure, text: str, limit: int, data: st.DataObject) -> None:
    places = boundaries(text)
    start = data.draw(st.sampled_from(places))
    end = data.draw(st.sampled_from([p for p in places if p >= start]))
    cut = make_ruler(text, measure).reach(start, end, limit)
    assert cut in places
    if start == end:
        assert cut == start
        return
    assert start < cut <= end
    following = min(p for p in places if p > start)
    assert measure(text[start:cut]) <= limit or cut == following


@given(texts, st.integers(1, 30))
def test_reach_in_characters_goes_as_far_as_it_can(text: str, limit: int) -> None:
    places = boundaries(text)
    for ruler in (CharacterRuler(text), MeasureRuler(text, len)):
        fitting = [p for p in places if p <= limit]
        expected = fitting[-1] if len(fitting) > 1 else (places[1] if len(places) > 1 else 0)
        assert ruler.reach(0, len(text), limit) == expected


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@given(text=texts, limit=st.integers(1, 30), data=st.data())
def test_reach_back_is_permitted_and_fits(measure, text: str, limit: int, data: st.DataObject) -> None:
    places = boundaries(text)
    start = data.draw(st.sampled_from(places))
    end = data.draw(st.sampled_from([p for p in places if p >= start]))
    cut = make_ruler(text, measure).reach_back(start, end, limit)
    assert cut in places
    assert start <= cut <= end
    assert cut == end or measure(text[cut:end]) <= limit
    if measure is not count_tokens and cut > start:  # Tokens are not cut everywhere, and their count can jump.
        assert measure(text[max(p for p in places if p < cut) : end]) > limit


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@given(text=texts, data=st.data())
def test_sizes_are_the_size_of_each_span(measure, text: str, data: st.DataObject) -> None:
    place = st.integers(0, len(text))
    spans = [tuple(sorted(pair)) for pair in data.draw(st.lists(st.tuples(place, place), max_size=8))]
    assert make_ruler(text, measure).sizes(spans) == [measure(text[start:end]) for start, end in spans]


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@given(text=texts, data=st.data())
def test_before_rises_and_its_differences_are_close_to_the_sizes(measure, text: str, data: st.DataObject) -> None:
    positions = sorted(data.draw(st.sets(st.integers(0, len(text)), min_size=2)) if len(text) > 1 else [0, len(text)])
    before = make_ruler(text, measure).before(positions)
    assert len(before) == len(positions)
    assert all(a <= b for a, b in pairwise(before))
    if measure is not count_tokens:  # Tokens can be cut through at either end, by at most the bytes of one of them.
        assert before[-1] - before[0] == measure(text[positions[0] : positions[-1]])


def test_before_counts_whole_tokens() -> None:
    text = "one two three four five"
    ruler = make_ruler(text, count_tokens)
    positions = [0, 3, 7, len(text)]
    expected = [count_tokens(text[:position]) for position in positions]
    assert [count - ruler.before([0])[0] for count in ruler.before(positions)] == expected


def test_the_ruler_fits_the_measure() -> None:
    assert isinstance(make_ruler("text", count_tokens), TokenRuler)
    assert isinstance(make_ruler("text", len), CharacterRuler)
    assert isinstance(make_ruler("text", lambda text: len(text.split())), MeasureRuler)
