import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.rulers import CharacterRuler, MeasureRuler, make_ruler
from hierrag_lessons.tokens import TokenRuler, count_tokens
from tests.test_graphemes import boundaries
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


def test_the_ruler_fits_the_measure() -> None:
    assert isinstance(make_ruler("text", count_tokens), TokenRuler)
    assert isinstance(make_ruler("text", len), CharacterRuler)
    assert isinstance(make_ruler("text", lambda text: len(text.split())), MeasureRuler)
