"""Embedders that embed a question in another way than a document."""

import json
import pickle

import numpy as np
import pytest

from hierrag_lessons.contracts.shelf import TwoSidedEmbedder
from hierrag_lessons.embedding import (
    CachedEmbedder,
    HypotheticalDocument,
    SentenceTransformerEmbedder,
    TruncationWarning,
    embed_late,
    encode_queries,
    minilm_folder,
)
from hierrag_lessons.model import Span
from hierrag_lessons.ranking import MaxSimReranker
from hierrag_lessons.store import Index

TEXT = "The lease of the Berlin office ends in May."
E5 = {"query_prompt": "query: ", "document_prompt": "passage: "}


class Limited(TwoSidedEmbedder):
    """Reads five words, and of a question its word more is one of them."""

    max_tokens = 5

    def count_word_pieces(self, texts, query=False):
        return [len(text.split()) + query for text in texts]


@pytest.fixture(scope="module")
def prompted(tmp_path_factory):
    """A copy of MiniLM whose own files name prompts, as those of newer models do."""
    folder = tmp_path_factory.mktemp("models") / "prompted"
    folder.mkdir()
    for path in minilm_folder().iterdir():
        (folder / path.name).symlink_to(path)
    config = folder / "config_sentence_transformers.json"
    config.unlink(missing_ok=True)
    config.write_text(json.dumps({"prompts": {"query": "query: ", "passage": "passage: "}}), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def e5(prompted):
    return SentenceTransformerEmbedder(prompted)


@pytest.fixture(scope="module")
def plain():
    return SentenceTransformerEmbedder(minilm_folder())


# --- one rule for all ------------------------------------------------------------------------------------------------


def test_questions_and_hypothetical_documents_keep_their_order():
    embedder = TwoSidedEmbedder()
    texts = [HypotheticalDocument("a"), "b", HypotheticalDocument("b"), "c"]
    vectors = encode_queries(embedder, texts)
    assert (embedder.documents, embedder.questions) == (["a", "b"], ["b", "c"])
    alone = [encode_queries(embedder, [text])[0] for text in texts]
    np.testing.assert_array_equal(vectors, alone)
    assert encode_queries(embedder, []).shape == (0, 64)


def test_a_hypothetical_document_is_a_text():
    text = HypotheticalDocument(TEXT)
    assert text == TEXT
    assert type(pickle.loads(pickle.dumps(text))) is HypotheticalDocument


# --- the cache -------------------------------------------------------------------------------------------------------


def test_a_cache_keeps_a_question_apart_from_a_document(tmp_path):
    model, path = TwoSidedEmbedder(), tmp_path / "cache.sqlite"
    cached = CachedEmbedder(model, path)
    assert cached.two_sided
    document, question = cached.encode([TEXT]), encode_queries(cached, [TEXT])
    assert (model.documents, model.questions) == ([TEXT], [TEXT])
    np.testing.assert_array_equal(document, TwoSidedEmbedder().encode([TEXT]))
    np.testing.assert_array_equal(question, TwoSidedEmbedder().encode_queries([TEXT]))
    again = CachedEmbedder(model, path)
    np.testing.assert_array_equal(encode_queries(again, [TEXT]), question)
    np.testing.assert_array_equal(again.encode([TEXT]), document)
    assert (model.documents, model.questions) == ([TEXT], [TEXT])


@pytest.mark.parametrize("one", [False, None])
def test_a_cache_shares_a_vector_where_there_is_one_side(tmp_path, one):
    class OneSided:
        name, dim = "one-sided", 64

        def __init__(self):
            self.seen = []

        def encode(self, texts):
            self.seen += texts
            return TwoSidedEmbedder().encode(texts)

    if one is False:
        OneSided.two_sided, OneSided.encode_queries = False, OneSided.encode
    model = OneSided()
    cached = CachedEmbedder(model, tmp_path / "cache.sqlite")
    np.testing.assert_array_equal(encode_queries(cached, [TEXT]), cached.encode([TEXT]))
    assert model.seen == [TEXT]
    assert not cached.two_sided


def test_a_cache_counts_the_word_pieces_of_each_side(tmp_path):
    cached = CachedEmbedder(Limited(), tmp_path / "cache.sqlite")
    cached.encode(["one two three four five"])
    for _ in range(2):  # The second time from the cache.
        with pytest.warns(TruncationWarning, match="1 of 2 texts"):
            cached.encode_queries(["one two three four five", "one two three four"])


# --- a model on this machine -----------------------------------------------------------------------------------------


def test_the_prompts_of_the_model_are_used(e5, plain):
    np.testing.assert_allclose(e5.encode([TEXT]), plain.encode([f"passage: {TEXT}"]), atol=1e-6)
    np.testing.assert_allclose(e5.encode_queries([TEXT]), plain.encode([f"query: {TEXT}"]), atol=1e-6)
    assert e5.encode_queries([]).shape == (0, 384)
    assert e5.two_sided
    assert not plain.two_sided


def test_prompts_that_are_given_take_the_place_of_the_models(prompted, e5, plain):
    given = SentenceTransformerEmbedder(minilm_folder(), **E5)
    np.testing.assert_allclose(given.encode_queries([TEXT]), e5.encode_queries([TEXT]), atol=1e-6)
    without = SentenceTransformerEmbedder(prompted, query_prompt="", document_prompt="")
    np.testing.assert_allclose(without.encode_queries([TEXT]), plain.encode([TEXT]), atol=1e-6)
    assert without.name == str(prompted)


def test_prompts_are_part_of_the_name_and_the_text_form_makes_the_same(prompted, e5, plain):
    assert e5.name == f"{prompted} (query_prompt='query: ', document_prompt='passage: ')"
    assert plain.name == str(minilm_folder())
    assert repr(e5) == f"SentenceTransformerEmbedder({str(prompted)!r})"
    other = SentenceTransformerEmbedder(prompted, query_prompt="ask: ")
    assert eval(repr(other)).name == other.name != e5.name


def test_an_index_is_not_opened_with_another_side(tmp_path, e5, plain):
    Index.create(tmp_path / "index", e5)
    with pytest.raises(ValueError, match=r"made with the embedder .*query_prompt='query: '.*not with .* open it with"):
        Index.open(tmp_path / "index", plain)
    assert Index.open(tmp_path / "index", e5).count() == 0


def test_word_pieces_are_counted_with_the_prompt(e5):
    assert e5.count_word_pieces(["hello"]) == [5]  # [CLS] passage : hello [SEP]
    assert e5.count_word_pieces(["hello"], query=True) == [5]
    fits = "word " * (e5.max_tokens - 4)
    assert e5.count_word_pieces([fits]) == [e5.max_tokens]
    with pytest.warns(TruncationWarning, match="1 of 1"):
        e5.encode_queries([fits + "more"])


def test_late_chunking_reads_the_prompt_of_documents(e5):
    np.testing.assert_allclose(embed_late(TEXT, [Span(0, len(TEXT))], e5), e5.encode([TEXT]), atol=1e-5)
    read = e5.word_pieces(TEXT)
    assert read.front == 3  # [CLS] passage :
    assert TEXT[slice(*read.offsets[0])] == "The"
    assert TEXT[slice(*read.offsets[-1])] == "."


def test_late_interaction_reads_a_query_with_its_prompt(e5, plain):
    reranker = MaxSimReranker(e5)
    question, document = reranker.vectors(TEXT, query=True), reranker.vectors(TEXT)
    assert question.shape == document.shape == MaxSimReranker(plain).vectors(TEXT).shape
    assert np.abs(question - document).max() > 0.01
    assert reranker.score(TEXT, [TEXT])[0] < 0.999 < reranker.score(HypotheticalDocument(TEXT), [TEXT])[0]


@pytest.mark.parametrize("name", ["query_prompt", "document_prompt"])
def test_a_prompt_is_a_text(name):
    with pytest.raises(ValueError, match=f"{name} is 7"):
        SentenceTransformerEmbedder(minilm_folder(), **{name: 7})
