"""Late chunking: the ordinary vector for a span around everything, and otherwise one that knows its surroundings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierrag_lessons.embedding import (
    CharNgramEmbedder,
    MiniLMEmbedder,
    SentenceTransformerEmbedder,
    default_embedder,
    embed_late,
    minilm_folder,
)
from hierrag_lessons.model import Span
from hierrag_lessons.reading import load_corpus
from tests.texts import HOSTILE, texts

TEXT = "Berlin is the capital of Germany. It has 3.85 million inhabitants. The city is also one of the states."
SENTENCES = [Span(0, 33), Span(34, 66), Span(67, len(TEXT))]


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@pytest.mark.parametrize("text", ["Berlin", TEXT, "Das kostet 1.234 \u20ac.", "中文, too", "e\u0301 👩\u200d💻 \ud800"])
def test_one_span_around_a_short_text_is_ordinary_mean_pooling(minilm, text: str) -> None:
    late = embed_late(text, [Span(0, len(text))], minilm)
    np.testing.assert_allclose(late, SentenceTransformerEmbedder(minilm_folder()).encode([text]), atol=1e-6)


def test_rows_are_means_of_the_models_own_vectors(minilm) -> None:
    pieces = minilm._embedder._model.encode([TEXT], output_value="token_embeddings")[0].numpy()
    offsets = minilm._embedder._model.tokenizer([TEXT], return_offsets_mapping=True)["offset_mapping"][0]
    rows = embed_late(TEXT, SENTENCES, minilm)
    for span, row in zip(SENTENCES, rows, strict=True):
        inside = [p for p, (start, end) in zip(pieces, offsets, strict=True) if span.start <= start < end <= span.end]
        edges = [p for p, edge in ((pieces[0], span.start == 0), (pieces[-1], span.end == len(TEXT))) if edge]
        mean = np.mean(inside + edges, axis=0)
        np.testing.assert_allclose(row, mean / np.linalg.norm(mean), atol=1e-6)


def test_a_pronoun_comes_to_resemble_what_it_stands_for(minilm) -> None:
    # The example of the paper: alone, the second sentence does not say which city it is about.
    query = minilm.encode(["Berlin"])[0]
    alone = minilm.encode([TEXT[span.start : span.end] for span in SENTENCES]) @ query
    late = embed_late(TEXT, SENTENCES, minilm) @ query
    assert (late[1:] > alone[1:] + 0.1).all()


def test_it_is_deterministic_and_takes_an_embedder_behind_a_cache(minilm) -> None:
    rows = embed_late(TEXT, SENTENCES, minilm)
    assert rows.dtype == np.float32
    assert rows.shape == (3, 384)
    np.testing.assert_array_equal(rows, embed_late(TEXT, SENTENCES, default_embedder("en")))
    np.testing.assert_allclose(rows[::-1], embed_late(TEXT, SENTENCES[::-1], minilm), atol=1e-7)


def test_a_long_text_goes_through_in_windows(minilm) -> None:
    # Words of one word piece each, so that window number k is the words from 127 k to 127 k + 254.
    rng = np.random.default_rng(0)
    words = rng.choice(["cat", "house", "tree", "market", "river", "profit"], 1000).tolist()
    text, model = " ".join(words), minilm._embedder._model
    starts = [0, 127, 254, 381, 508, 635, 762]
    windows = model.encode([" ".join(words[k : k + 254]) for k in starts], output_value="token_embeddings")
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    spans = [Span(int(end) - len(word), int(end)) for word, end in zip(words, ends, strict=True)]
    rows = embed_late(text, spans, minilm)
    for index in [1, 100, 189, 191, 250, 316, 318, 500, 760, 824, 826, 998]:
        room = {k: min(index - k, k + 253 - index) for k in starts if k <= index < k + 254}
        best = max(room, key=lambda k: room[k])
        vector = windows[starts.index(best)][1 + index - best].numpy()
        np.testing.assert_allclose(rows[index], vector / np.linalg.norm(vector), atol=1e-5, err_msg=f"word {index}")


def test_the_end_of_a_long_document_counts(minilm) -> None:
    document = next(d for d in load_corpus("en") if d.doc_id == "en/research_paper")
    text = document.text[:12_000]
    spans = [Span(start, start + 400) for start in range(0, len(text), 400)]
    rows = embed_late(text, spans, minilm)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    other = embed_late(text[:-150] + " Cats and dogs." * 10, spans, minilm)
    changed = np.abs(rows - other).max(axis=1) > 1e-4
    assert changed[-1]
    assert not changed[:-6].any()  # What stands further away than a window has no influence.


def test_spans_without_a_word_piece_get_zeros(minilm) -> None:
    text = "One   two"
    rows = embed_late(text, [Span(3, 6), Span(4, 4), Span(0, 0), Span(9, 9), Span(0, 3)], minilm)
    assert not rows[:4].any()
    assert np.linalg.norm(rows[4]) == pytest.approx(1)
    assert embed_late(text, [], minilm).shape == (0, 384)
    assert not embed_late(" \n", [Span(0, 2)], minilm).any()
    assert embed_late("", [Span(0, 0)], minilm).shape == (1, 384)


def test_a_word_that_is_cut_through_counts_for_both_sides(minilm) -> None:
    rows = embed_late("unhappily", [Span(0, 1), Span(1, 9)], minilm)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


@settings(max_examples=20)
@given(text=texts | st.sampled_from(list(HOSTILE.values())), cut=st.floats(0, 1))
def test_any_text(text: str, cut: float) -> None:
    middle = int(cut * len(text))
    rows = embed_late(text, [Span(0, middle), Span(middle, len(text)), Span(0, len(text))], MiniLMEmbedder())
    lengths = np.linalg.norm(rows, axis=1)
    assert (np.isclose(lengths, 1, atol=1e-5) | (lengths == 0)).all()
    assert (lengths[2] > 0) == (lengths[:2].max() > 0)


def test_errors_name_what_is_wrong(minilm) -> None:
    for span in (Span(-1, 2), Span(0, 4), Span(2, 1)):
        with pytest.raises(ValueError, match=rf"spans\[0\] is {span.start}-{span.end}; give a Span of the text"):
            embed_late("abc", [span], minilm)
    with pytest.raises(ValueError, match=r"CharNgramEmbedder.* gives no vectors of single word pieces"):
        embed_late("abc", [Span(0, 3)], CharNgramEmbedder())


def test_a_model_with_another_pooling_is_refused(minilm, monkeypatch) -> None:
    monkeypatch.setattr(minilm._embedder._model[1], "pooling_mode", "cls")
    with pytest.raises(ValueError, match="trained with the pooling 'cls'"):
        embed_late("abc", [Span(0, 3)], minilm)
