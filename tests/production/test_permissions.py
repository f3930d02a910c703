import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierrag_lessons.chunkers import RecursiveChunker, SentenceChunker, build_hierarchy
from hierrag_lessons.model import Document
from hierrag_lessons.production import PermittedRetriever
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    FlatRetriever,
    HybridRetriever,
    ParentChildRetriever,
    SentenceWindowRetriever,
)
from hierrag_lessons.store import temporary_index
from tests.fakes import WordHashEmbedder
from tests.production.conftest import TEXT

GROUPS = ["staff", "board", "guest"]
MAKERS = [FlatRetriever, HybridRetriever, SentenceWindowRetriever, ParentChildRetriever, AutoMergingRetriever]


@pytest.fixture(scope="module")
def index():
    chunkers = [RecursiveChunker(60, measure=len), SentenceChunker(max_sentences=1)]
    documents = [Document(f"{group}/{n}", TEXT, metadata={"group": group}) for group in GROUPS for n in range(2)]
    trees = [build_hierarchy(document, chunkers) for document in documents]
    with temporary_index(trees, embedder=WordHashEmbedder(), columns={"group": str}) as made:
        yield made


@given(
    allowed=st.sets(st.sampled_from(GROUPS), min_size=1),
    asked=st.none() | st.sets(st.sampled_from(GROUPS), min_size=1),
    make=st.sampled_from(MAKERS),
    k=st.integers(1, 30),
)
@settings(max_examples=40, deadline=None)
def test_nothing_outside_both_filters_is_ever_returned(index, allowed, asked, make, k):
    where = None if asked is None else {"group": sorted(asked)}
    found = PermittedRetriever(make(index), index, {"group": sorted(allowed)}).retrieve("dogs run", k, where)
    groups = {passage.doc_id.partition("/")[0] for passage in found}
    assert groups <= allowed & (asked or set(GROUPS))


class Careless:
    """Takes a filter and forgets it."""

    def __init__(self, index):
        self.inner = FlatRetriever(index)

    def retrieve(self, query, k=5, where=None):
        return self.inner.retrieve(query, k)

    def retrieve_batch(self, queries, k=5, where=None):
        return self.inner.retrieve_batch(queries, k)


def test_a_retriever_that_forgets_its_filter_shows_nothing(index):
    with pytest.raises(PermissionError, match=r"Careless returned .* documents that are not allowed"):
        PermittedRetriever(Careless(index), index, {"group": "guest"}).retrieve("dogs", k=20)


@pytest.mark.parametrize(
    ("allowed", "said"),
    [
        ({}, "allowed is empty, which allows everything"),
        ({"page": 3}, "allowed filters by 'page', in which parts of one document differ"),
        ({"node_id": "x"}, "allowed filters by 'node_id'"),
        ({"grup": "staff"}, "grup"),
        (None, "allowed is None"),
    ],
)
def test_what_is_no_permission_is_refused(index, allowed, said):
    with pytest.raises(ValueError, match=said):
        PermittedRetriever(FlatRetriever(index), index, allowed)
