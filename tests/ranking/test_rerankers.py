"""MaxSim over word pieces, and cross-encoders: against the library's own functions, offline."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.embedding import CharNgramEmbedder, EmbeddingError, MiniLMEmbedder, default_embedder, minilm_folder
from hierrag_lessons.ranking import CrossEncoderReranker, MaxSimReranker, Reranker, max_sim
from tests.texts import HOSTILE

TEXTS = [
    "The meter sends a reading every hour.",
    "Cats sleep most of the day, and dogs do not.",
    "A reading is sent by the meter each hour unless the link is down.",
]


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@pytest.fixture(scope="module")
def reranker(minilm) -> MaxSimReranker:
    return MaxSimReranker(minilm)


# --- the score --------------------------------------------------------------------------------------------------------


@given(st.integers(0, 6), st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_max_sim_is_that_of_the_definition(m, n, seed):
    rng = np.random.default_rng(seed)
    query, text = (rng.normal(size=(rows, 5)) for rows in (m, n))
    query, text = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (query, text))
    best = [max((sum(a * b for a, b in zip(x, y, strict=True)) for y in text), default=0.0) for x in query]
    assert max_sim(query, text) == pytest.approx(sum(best) / m if m else 0.0)


def test_max_sim_is_the_librarys_mean_maxsim(reranker):
    from sentence_transformers.util import mean_maxsim

    vectors = [reranker.vectors(text) for text in TEXTS]
    theirs = mean_maxsim([vectors[0]], vectors).numpy()[0]
    np.testing.assert_allclose(reranker.score(TEXTS[0], TEXTS), theirs, atol=1e-6)


# --- the reranker -----------------------------------------------------------------------------------------------------


def test_vectors_are_the_models_own_without_the_special_tokens(reranker, minilm):
    pieces = minilm._embedder._model.encode([TEXTS[0]], output_value="token_embeddings")[0].numpy()[1:-1]
    expected = pieces / np.linalg.norm(pieces, axis=1, keepdims=True)
    np.testing.assert_allclose(reranker.vectors(TEXTS[0]), expected, atol=1e-3)


def test_it_prefers_what_answers(reranker):
    scores = reranker.score("How often are readings sent?", TEXTS)
    assert scores.dtype == np.float64
    assert scores.argmin() == 1
    assert reranker.score(TEXTS[1], TEXTS)[1] == pytest.approx(1, abs=1e-3)


def test_the_end_of_a_long_text_counts(reranker):
    padding = "Nothing here is about it, one sentence after another. " * 60
    query = "How often are readings sent?"
    alone, late, never = reranker.score(query, [TEXTS[0], padding + TEXTS[0], padding])
    assert late > never + 0.1
    assert alone == pytest.approx(late, abs=0.2)


def test_a_score_depends_on_nothing_but_query_and_text(minilm, reranker):
    query = "How often are readings sent?"
    together = reranker.score(query, TEXTS)
    alone = [MaxSimReranker(minilm, capacity=0).score(query, [text])[0] for text in TEXTS]
    assert together.tolist() == alone
    assert reranker.score(query, TEXTS[::-1]).tolist() == alone[::-1]


def test_nothing_to_read(reranker):
    assert reranker.score("query", []).shape == (0,)
    assert reranker.score("", ["text"]).tolist() == [0.0]
    assert reranker.score("query", ["", " \n"]).tolist() == [0.0, 0.0]


def test_hostile_texts(reranker):
    scores = reranker.score("a\ud800 query 下雨", list(HOSTILE.values()))
    assert scores.shape == (len(HOSTILE),)
    assert np.isfinite(scores).all()
    assert (abs(scores) <= 1 + 1e-3).all()


def test_texts_are_read_once_and_the_oldest_are_forgotten(minilm, monkeypatch):
    read = []

    def count(self, text):
        read.append(text)
        return original(self, text)

    original = MiniLMEmbedder.word_pieces
    monkeypatch.setattr(MiniLMEmbedder, "word_pieces", count)
    sizes = [pieces - 2 for pieces in minilm.count_word_pieces(TEXTS)]
    small = MaxSimReranker(minilm, capacity=sizes[0] + sizes[1])
    for text in (TEXTS[0], TEXTS[1], TEXTS[0], TEXTS[1]):
        small.vectors(text)
    assert read == TEXTS[:2]
    small.vectors(TEXTS[0])
    small.vectors(TEXTS[2])  # The second was not used for longest; what is over the capacity has to go.
    assert small._size <= small.capacity
    assert small._size == sum(len(rows) for rows in small._kept.values())
    small.vectors(TEXTS[1])
    assert read == [*TEXTS[:2], TEXTS[2], TEXTS[1]]
    none = MaxSimReranker(minilm, capacity=0)
    first, again = none.vectors(TEXTS[0]), none.vectors(TEXTS[0])
    np.testing.assert_array_equal(first, again)
    assert not none._kept


def test_chinese_is_mostly_unknown_to_minilm(reranker):
    """What the documentation warns of: two unrelated texts look more alike than two related ones in English."""
    unrelated = reranker.score("雨伞", ["螃蟹"])[0]
    assert unrelated > reranker.score("umbrella", ["rain"])[0]


def test_an_embedder_behind_a_cache_will_do_and_others_are_refused():
    assert MaxSimReranker(default_embedder("en")).score("a cat", TEXTS).argmax() == 1
    assert isinstance(MaxSimReranker().embedder, MiniLMEmbedder)
    with pytest.raises(ValueError, match=r"CharNgramEmbedder.* gives no vectors of single word pieces"):
        MaxSimReranker(CharNgramEmbedder())
    with pytest.raises(ValueError, match="capacity is -1"):
        MaxSimReranker(capacity=-1)


# --- cross-encoders ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A tiny cross-encoder with fixed random weights and MiniLM's vocabulary, and one that gives three scores."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer, made = AutoTokenizer.from_pretrained(minilm_folder()), {}
    for labels in (1, 3):
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            num_labels=labels,
            max_position_embeddings=64,
        )
        made[labels] = tmp_path_factory.mktemp(f"labels_{labels}")
        BertForSequenceClassification(config).save_pretrained(made[labels])
        tokenizer.save_pretrained(made[labels])
    return made


def test_a_cross_encoder_scores_each_text_against_the_query(folders):
    from sentence_transformers import CrossEncoder

    reranker: Reranker = CrossEncoderReranker(folders[1])
    scores = reranker.score("How often?", TEXTS)
    model = CrossEncoder(str(folders[1]), device="cpu", local_files_only=True)
    np.testing.assert_allclose(scores, [model.predict(("How often?", text)) for text in TEXTS], atol=1e-6)
    assert scores.dtype == np.float64
    assert len(set(scores.tolist())) == 3
    assert reranker.score("q", []).shape == (0,)
    assert np.isfinite(reranker.score("a\ud800", [*HOSTILE.values()])).all()


def test_a_model_without_a_trained_score_is_refused(folders, capfd):
    with pytest.raises(ValueError, match="gives 3 scores for a pair"):
        CrossEncoderReranker(folders[3])
    # The library would put random weights on top of it.
    with pytest.raises(ValueError, match="is a BertModel, so it does not judge"):
        CrossEncoderReranker(minilm_folder())


def test_without_a_network_it_says_what_to_do(monkeypatch):
    import huggingface_hub

    def unreachable(name, timeout):
        raise ConnectionError("no network")

    monkeypatch.setattr(huggingface_hub, "model_info", unreachable)
    with pytest.raises(EmbeddingError, match=r"'nobody/reranker' is not on this machine .*MaxSimReranker\(\) works"):
        CrossEncoderReranker("nobody/reranker")


def test_a_folder_without_a_model(tmp_path):
    with pytest.raises(EmbeddingError, match="holds no model"):
        CrossEncoderReranker(tmp_path)
