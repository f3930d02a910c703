import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.text import snap
from tests.texts import HOSTILE, texts


def boundaries(text: str) -> list[int]:
    """Every permitted cut, found by walking over all clusters: the slow and obvious way."""
    ends = [0] + [m.end() for m in regex.finditer(r"\X", text)]
    return [p for p in ends if not regex.fullmatch("[\ud800-\udbff][\udc00-\udfff]", text[max(0, p - 1) : p + 1])]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_snap_agrees_with_a_walk_over_all_clusters(text: str) -> None:
    places = boundaries(text)
    for position in range(len(text) + 1):
        expected = max((p for p in places if p <= position), default=0)
        assert snap(text, position) == expected


@given(texts, st.data())
def test_snap_from_any_start(text: str, data: st.DataObject) -> None:
    places = boundaries(text)
    start = data.draw(st.sampled_from(places))
    position = data.draw(st.integers(start, len(text)))
    assert snap(text, position, start) == max(p for p in places if start <= p <= max(position, start))


def test_snap_is_fast_in_one_endless_cluster() -> None:
    text = "e" + "\u0301" * 500_000
    assert snap(text, 400_000) == 0
    assert snap("🇩🇪" * 200_000, 300_001, 299_000) == 300_000
