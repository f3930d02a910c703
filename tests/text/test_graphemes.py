import itertools
import time

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from hierrag_lessons.text import snap, snap_forward
from tests.texts import HOSTILE, texts

# One character of each class that the rules of grapheme segmentation tell apart, and the halves of a surrogate pair.
CLASSES = "a\r\n\x01\u0301\u200d\u0903\u0600👍🇩\u1100\u1161\u11a8가각क\u094d\u093c\ud83d\ude00"

# Neighbours that are never both ordinary characters, so that no cut can be told from two ordinary neighbours.
UNBROKEN = {
    "accented spaces": " \u0301",
    "accented stops": ".\u0301",
    "joiners": "a\u200d",
    "joiners of emoji": "👍\u200d\u200d",
    "skin tones": "👍🏽",
    "flags": "🇩🇪 ",
    "vowels before consonants": "\u11a8\u1161",
    "syllables": "가 ",
    "signs in front": "\u0600 ",
    "nukta": "क\u093c",
    "zero-width spaces": "\u200b\u0301",
    "surrogates": "\ud83d\ude00\u0301",
}


def boundaries(text: str) -> list[int]:
    """Every permitted cut, found by walking over all clusters: the slow and obvious way."""
    ends = [0] + [m.end() for m in regex.finditer(r"\X", text)]
    return [p for p in ends if not regex.fullmatch("[\ud800-\udbff][\udc00-\udfff]", text[max(0, p - 1) : p + 1])]


def check_every_position(text: str) -> None:
    places = boundaries(text)
    for position in range(len(text) + 1):
        assert snap(text, position) == max((p for p in places if p <= position), default=0), ascii(text)
        assert snap_forward(text, 0, position) == min(p for p in places if p >= position), ascii(text)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_snap_agrees_with_a_walk_over_all_clusters(text: str) -> None:
    check_every_position(text)


def test_snap_agrees_on_every_three_classes_of_character() -> None:
    for characters in itertools.product(CLASSES, repeat=3):
        check_every_position("".join(characters))


@given(st.text(st.sampled_from(CLASSES), max_size=12))
@example("\ud83d\ude00\u0301")
@example("\u0600\ud83d\ude00")
def test_snap_agrees_on_any_company_of_classes(text: str) -> None:
    check_every_position(text)


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


@pytest.mark.parametrize("piece", UNBROKEN.values(), ids=UNBROKEN)
def test_snap_does_not_look_further_back_than_it_has_to(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    position = len(text) // len(piece) // 2 * len(piece)
    began = time.process_time()
    found = [snap(text, position + offset) for offset in range(1, len(piece) + 1) for _ in range(100)]
    assert time.process_time() - began < 1
    assert min(found) >= position
