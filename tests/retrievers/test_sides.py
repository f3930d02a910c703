"""Everything that searches embeds questions with an embedder's query side, and texts with its document side."""

from types import SimpleNamespace

import numpy as np
import pytest

from hierrag_lessons.agents import FixedPolicy, RetrievalTools, ToolRetriever
from hierrag_lessons.chunkers import make_units
from hierrag_lessons.contracts.shelf import QUERIES, TwoSidedEmbedder, shelf_documents, two_levels
from hierrag_lessons.embedding import HypotheticalDocument
from hierrag_lessons.llm import Completion
from hierrag_lessons.queries import FeedbackRewriter, HyDE, MultiQueryRetriever, StepBack
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    CoarseToFineRetriever,
    DiverseRetriever,
    FlatRetriever,
    HybridRetriever,
    IndexLevel,
    LevelConfig,
    MultiLevelRetriever,
    ParentChildRetriever,
    RerankingRetriever,
    SegmentRetriever,
    SentenceWindowRetriever,
)
from hierrag_lessons.retrievers.auto_merging.rescoring import CosineReranker
from hierrag_lessons.store import Index

WRITTEN = "A dog ran over the hills of the island."
MODEL = SimpleNamespace(name="fake", complete=lambda system, user, schema: Completion("", {"queries": [WRITTEN]}))


@pytest.fixture
def make_index(tmp_path):
    def make(embedder, units=False):
        index = Index.create(tmp_path / f"{embedder.name} {units}", embedder)
        trees = [two_levels(document) for document in shelf_documents() if document.language == "en"]
        index.add([make_units(tree) for tree in trees] if units else trees)
        return index

    return make


def feedback(index):
    flat = FlatRetriever(index, mode="hybrid")
    return MultiQueryRetriever(flat, FeedbackRewriter(flat))


RETRIEVERS = {
    "flat": FlatRetriever,
    "flat, hybrid": lambda index: FlatRetriever(index, mode="hybrid"),
    "sentence window": lambda index: SentenceWindowRetriever(index, level=2),
    "parent-child": lambda index: ParentChildRetriever(index, child_level=2),
    "auto-merging": AutoMergingRetriever,
    "auto-merging, rescored": lambda index: AutoMergingRetriever(index, score="rescored"),
    "segments": lambda index: SegmentRetriever(index, level=2),
    "hybrid": lambda index: HybridRetriever(index, 2, {1: 0.5}),
    "coarse to fine": lambda index: CoarseToFineRetriever(
        [
            LevelConfig("section", IndexLevel(index, 1), 9),
            LevelConfig("leaf", IndexLevel(index, 2), 9, constrain_by="previous"),
        ]
    ),
    "reranking": lambda index: RerankingRetriever(FlatRetriever(index), CosineReranker(index.embedder)),
    "diverse": lambda index: DiverseRetriever(FlatRetriever(index), index.embedder),
    "every level": MultiLevelRetriever,
    "an agent": lambda index: ToolRetriever(FixedPolicy(RetrievalTools(index))),
    "feedback": feedback,
    "step back": lambda index: MultiQueryRetriever(FlatRetriever(index), StepBack(MODEL)),
}


@pytest.mark.parametrize("name", RETRIEVERS)
def test_questions_and_texts_go_to_their_sides(make_index, name):
    embedder = TwoSidedEmbedder()
    index = make_index(embedder, units=name == "every level")
    texts = set(embedder.documents)
    embedder.documents.clear()
    found = RETRIEVERS[name](index).retrieve_batch(QUERIES, k=5)
    assert any(found)
    assert set(QUERIES) <= set(embedder.questions)
    assert not set(QUERIES) & set(embedder.documents)
    assert not texts & set(embedder.questions)


def test_a_hypothetical_answer_is_embedded_as_a_document(make_index):
    embedder = TwoSidedEmbedder()
    retriever = MultiQueryRetriever(FlatRetriever(make_index(embedder), mode="hybrid"), HyDE(MODEL))
    embedder.documents.clear()
    assert retriever.retrieve("where do dogs run")
    assert (embedder.questions, embedder.documents) == (["where do dogs run"], [WRITTEN])


def test_a_snapshot_keeps_the_sides_of_one_text_apart(make_index):
    embedder = TwoSidedEmbedder()
    view = make_index(embedder).snapshot()
    embedder.documents.clear()
    for _ in range(2):
        question, document, again = view.embed(["dogs run", HypotheticalDocument("dogs run"), "dogs run"])
    np.testing.assert_array_equal(question, again)
    np.testing.assert_array_equal(document, TwoSidedEmbedder().encode(["dogs run"])[0])
    assert question @ document < 0.9
    assert (embedder.questions, embedder.documents) == (["dogs run"], ["dogs run"])
    assert view.embed([]).shape == (0, embedder.dim)


def test_both_sides_in_one_batch_of_every_level(make_index):
    retriever = MultiLevelRetriever(make_index(TwoSidedEmbedder(), units=True))
    both = ["quiet fish", HypotheticalDocument("quiet fish")]
    assert retriever.retrieve_batch(both) == [retriever.retrieve(query) for query in both]


def test_an_embedder_with_one_side_goes_on_working(tmp_path):
    class Minimal:
        name, dim = "minimal", 64

        def encode(self, texts):
            return TwoSidedEmbedder().encode(texts)

    index = Index.create(tmp_path / "index", Minimal())
    index.add([two_levels(document) for document in shelf_documents() if document.language == "en"])
    assert "dog" in AutoMergingRetriever(index, score="rescored").retrieve("dogs run", k=1)[0].text.lower()
