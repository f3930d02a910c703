import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons import check_chunker
from hierrag_lessons.chunkers import TextTilingChunker, lexical_boundaries, words
from hierrag_lessons.chunkers.text_tiling import depths
from hierrag_lessons.contracts.chunker import check_nesting
from hierrag_lessons.contracts.document import check_document
from hierrag_lessons.evaluation import pk
from hierrag_lessons.model import Document
from hierrag_lessons.reading import load_corpus, python_reference_checksum
from hierrag_lessons.reading.python_reference import COURSE_EDITION
from hierrag_lessons.text import count_tokens, split_sentences
from tests.texts import HOSTILE, label, texts

FRUIT = ["Apples ripen in autumn.", "An apple tree needs pruning.", "Ripe apples fall from the tree."]
METAL = ["Iron rusts in the rain.", "Rain and salt make iron rust.", "Painted iron does not rust."]
MUSIC = ["The violin has four strings.", "A string of the violin broke.", "Violin strings are tuned in fifths."]
水 = ["水表每月抄读一次。", "抄读水表之前先核对表号。", "水表读数异常时重新抄读。"]
门 = ["大门每天六点打开。", "值班员打开大门并登记。", "大门损坏时不得打开。"]

sizes = st.tuples(st.integers(1, 40), st.integers(0, 40)).filter(lambda pair: pair[1] <= pair[0])


CONFIGURATIONS = [TextTilingChunker(), TextTilingChunker(30, 8, window=3), TextTilingChunker(7, 2, measure=len)]


@pytest.mark.parametrize("chunker", CONFIGURATIONS, ids=label)
def test_every_promise(chunker) -> None:
    check_chunker(chunker)


@given(text=texts, sizes=sizes, language=st.sampled_from(["en", "zh"]))
def test_guarantees_on_any_text(text: str, sizes: tuple[int, int], language: str) -> None:
    max_size, min_size = sizes
    document = Document("d", text, language=language)
    check_document(TextTilingChunker(max_size, min_size), document)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_guarantees_on_hostile_text(text: str) -> None:
    for measure in (count_tokens, len):
        document = Document("d", text)
        check_document(TextTilingChunker(20, 5, measure=measure), document)


@given(text=texts)
def test_nesting(text: str) -> None:
    check_nesting(TextTilingChunker(20, 5, window=2), Document("d", text), TextTilingChunker(60, 10))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_guarantees_on_the_corpora(language) -> None:
    for document in load_corpus(language):
        chunks = check_document(TextTilingChunker(), document)
        assert max(count_tokens(chunk.text) for chunk in chunks) <= 400


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_size": 0}, "max_size is 0"),
        ({"min_size": 401}, "min_size is 401 with max_size 400"),
        ({"window": 0}, "window is 0"),
    ],
)
def test_impossible_parameters_are_refused_when_made(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TextTilingChunker(**arguments)
    with pytest.raises(ValueError, match="window is 0"):
        lexical_boundaries(FRUIT, window=0)


def test_the_vocabulary_decides() -> None:
    assert lexical_boundaries([*FRUIT, *METAL, *MUSIC], window=3) == [0, 3, 6]
    assert lexical_boundaries([*水, *门], "zh", window=3) == [0, 3]
    assert lexical_boundaries(FRUIT * 3, window=3)[0] == 0
    assert lexical_boundaries([]) == []
    assert lexical_boundaries(["Alone."]) == [0]


def test_chunks_follow_the_boundaries_inside_the_sizes() -> None:
    document = Document("d", " ".join([*FRUIT, *METAL, *MUSIC]))
    chunks = TextTilingChunker(max_size=60, min_size=10, window=3).chunk(document)
    assert [chunk.text.split()[0] for chunk in chunks] == ["Apples", "Iron", "The"]


@given(st.lists(st.sampled_from([*FRUIT, *METAL, "", "…", "42"]), max_size=12), st.integers(1, 8))
def test_depths_are_the_ways_up_from_each_valley(units: list[str], window: int) -> None:
    """The definition, gap by gap, with dictionaries."""

    def counts(part: list[str]) -> dict[str, int]:
        terms = [term for unit in part for term in words(unit, "en")]
        return {term: terms.count(term) for term in terms}

    similar = []
    for gap in range(1, len(units)):
        a, b = counts(units[max(0, gap - window) : gap]), counts(units[gap : gap + window])
        norm = np.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
        similar.append(round(float(sum(n * b.get(term, 0) for term, n in a.items()) / norm), 6) if norm else 0.0)
    expected = [0.0] if units else []
    for gap, value in enumerate(similar):
        left = right = gap
        while left > 0 and similar[left - 1] >= similar[left]:
            left -= 1
        while right < len(similar) - 1 and similar[right + 1] >= similar[right]:
            right += 1
        expected.append(similar[left] + similar[right] - 2 * value)
    assert depths(units, "en", window) == pytest.approx(expected, abs=2e-6)


def test_parts_of_different_topics_are_told_apart(reference) -> None:
    units, starts = [], []
    for document in reference[::4]:
        sentences = [document.text[start:end] for start, end in split_sentences(document.text)]
        if len(sentences) >= 20:
            starts.append(len(units))
            units += sentences[4:16]
    found = pk(len(units), starts, lexical_boundaries(units))
    assert len(starts) >= 5
    assert found < 0.8 * pk(len(units), starts, range(6, len(units), 12))
    # In other editions the same topics have other sentences, and fewer of them.
    share = 0.8 if python_reference_checksum() == COURSE_EDITION else 0.85
    assert found < share * pk(len(units), starts, [0])
