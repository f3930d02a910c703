"""Filters reach the search of every retriever, and passages bring back what the index says of their hits."""

from dataclasses import dataclass, replace

import pytest

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.context import retrieve_contexts
from hierrag_lessons.model import Document, Prefix
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    CoarseToFineRetriever,
    FlatRetriever,
    HybridRetriever,
    IndexLevel,
    LevelConfig,
    LocalWindow,
    ParentChildRetriever,
    RerankingRetriever,
    SegmentRetriever,
    SummaryTreeRetriever,
    expand,
    grow_hits,
    resolve,
)
from hierrag_lessons.retrievers.batches import takes_where
from hierrag_lessons.store import temporary_index
from hierrag_lessons.summaries import build_summary_tree
from tests.fakes import WordChunker, WordHashEmbedder
from tests.retrievers.test_batches import RETRIEVERS, Lengths

COLUMNS = {"year": int, "page": int}


@dataclass(frozen=True)
class Paged(WordChunker):
    """Chunks that know their page: a new one begins every 20 words."""

    def chunk(self, document, within=None):
        return [
            replace(chunk, metadata={"page": 1 + document.text[: chunk.start].count(" ") // 20})
            for chunk in super().chunk(document, within)
        ]


def report(year: int) -> Document:
    words = " ".join(f"{'profit' if i % 4 else 'loss'} w{i}" for i in range(30))
    return Document(f"report-{year}", words, metadata={"year": year})


@pytest.fixture(scope="module")
def reports():
    """Twelve documents that say the same, of 3 pages each, and one of 1999 that fits less."""
    made = [report(2000 + i) for i in range(12)] + [Document("old", "a loss and a w1", metadata={"year": 1999})]
    trees = [replace(build_hierarchy(d, [WordChunker(30), Paged(5)]), searched=frozenset({1, 2})) for d in made]
    with temporary_index(trees, embedder=WordHashEmbedder(), columns=COLUMNS) as index:
        yield index


def coarse_to_fine(index):
    levels = [LevelConfig("section", IndexLevel(index, 1), 30), LevelConfig("leaf", IndexLevel(index, 2), 30)]
    return CoarseToFineRetriever([levels[0], replace(levels[1], constrain_by="previous")])


MAKERS = {
    **{name: RETRIEVERS[name] for name in ("flat", "reranking", "diverse", "sentence window", "hybrid", "tools")},
    "one level": lambda index: FlatRetriever(index, level=2, mode="hybrid"),
    "levels above": lambda index: HybridRetriever(index, 2, {1: 0.5}),
    "parent-child": lambda index: ParentChildRetriever(index, 2),
    "windows": lambda index: ParentChildRetriever(index, 2, window=LocalWindow(20)),
    "auto-merging": lambda index: AutoMergingRetriever(index, 2),
    "growing threshold": lambda index: AutoMergingRetriever(index, 2, threshold="growing", budget=50),
    "segments": lambda index: SegmentRetriever(index, 2, penalty=0.2),
    "coarse to fine": coarse_to_fine,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_field_of_documents(reports, make):
    for where, doc_id in (({"year": 2007}, "report-2007"), ({"year": range(1990, 2000)}, "old")):
        found = make(reports).retrieve("loss w1", 1, where)
        assert [passage.doc_id for passage in found] == [doc_id]
        assert found[0].metadata["year"] in (2007, 1999)
        assert found == make(reports).retrieve_batch(["", "loss w1"], 1, where)[1]
    assert make(reports).retrieve("loss w1", 3, {"year": 1900}) == []


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_field_that_only_leaves_have(reports, make):
    """Whatever is above them: a section has no page, and leads to its pages all the same."""
    found = make(reports).retrieve("loss w3", 4, {"page": 3, "year": [2003, 2004]})
    assert found
    hits = [hit for passage in found for hit in passage.hits]
    assert {hit.node.fields["page"] for hit in hits} == {3}
    assert {hit.doc_id for hit in hits} <= {"report-2003", "report-2004"}
    assert [passage.metadata for passage in found] == [passage.hits[0].node.fields for passage in found]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_no_filter_and_an_empty_one_are_the_same(reports, make):
    assert make(reports).retrieve("loss w1", 5) == make(reports).retrieve("loss w1", 5, {})


@pytest.mark.parametrize("search", ["collapsed", "layers"])
def test_summary_trees(search):
    documents = [report(2000 + i) for i in range(6)]
    trees = [build_summary_tree(document, [Paged(10)], embedder=WordHashEmbedder()) for document in documents]
    with temporary_index(trees, embedder=WordHashEmbedder(), columns=COLUMNS) as index:
        retriever = SummaryTreeRetriever(index, search)
        found = retriever.retrieve("loss w1", 4, {"year": 2003})
        assert [passage.doc_id for passage in found] == ["report-2003"] * 4
        found = retriever.retrieve("loss w1", 2, {"page": 3, "year": [2003, 2004]})
        assert len(found) == 2
        assert {(p.metadata["page"], hit.node.metadata["page"]) for p in found for hit in p.hits} == {(3, 3)}


def test_a_wrapper_around_a_retriever_without_filters_says_so(reports):
    class Plain:
        def retrieve_batch(self, queries, k=5):
            return FlatRetriever(reports).retrieve_batch(queries, k)

    wrapped = RerankingRetriever(Plain(), Lengths())
    assert wrapped.retrieve("loss", 2)
    with pytest.raises(ValueError, match="Plain takes no filter; give its retrieve_batch a parameter where"):
        wrapped.retrieve("loss", 2, {"year": 2003})
    assert not takes_where(wrapped)
    assert takes_where(RerankingRetriever(FlatRetriever(reports), Lengths()))


def test_scopes_are_searched_through_the_filter(reports):
    """With a fixed number of candidates, what is chosen after the search cannot fill the budget."""
    asked = []

    class Watched:
        def retrieve_batch(self, queries, k=5, where=None):
            asked.append((tuple(queries), where))
            return RerankingRetriever(FlatRetriever(reports), Lengths(), 5).retrieve_batch(queries, k, where)

    contexts = retrieve_contexts(Watched(), ["loss", "w1", "profit"], [14], measure=len, scopes=["old", "", "old"])
    assert [{p.doc_id for p in context[14]} for context in contexts][::2] == [{"old"}, {"old"}]
    assert asked[:2] == [(("loss", "profit"), {"doc_id": Prefix("old")}), (("w1",), None)]


def test_what_is_made_of_hits_has_their_fields(reports):
    hits = reports.search("loss w1", 3, level=2, where={"page": 2})
    for made in (resolve(reports, hits), grow_hits(reports, hits), expand(reports, hits, top=1)):
        assert made
        assert all(passage.metadata == passage.hits[0].node.fields for passage in made)
        assert all(passage.metadata["page"] == 2 for passage in made)


def test_without_columns_passages_are_what_they_were():
    tree = build_hierarchy(report(2000), [WordChunker(30), Paged(5)])
    with temporary_index([tree], embedder=WordHashEmbedder()) as index:
        assert all(passage.metadata == {} for passage in FlatRetriever(index).retrieve("loss"))


def test_a_filter_of_the_retrievers_own_and_one_of_the_question_hold_together(reports):
    own = replace(coarse_to_fine(reports), where={"year": range(2003, 2006), "doc_id": Prefix("report")})
    found = own.retrieve("loss w1", 9, {"year": [2001, 2004]})
    assert {passage.doc_id for passage in found} == {"report-2004"}
    assert "year in AllOf" in str(own.trace("loss w1", 9, {"year": [2001, 2004]}))
