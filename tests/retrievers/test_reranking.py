"""The retrievers around a retriever: reranking and diversity."""

import re
from functools import partial

import numpy as np
import pytest

from hierrag_lessons import check_retriever
from hierrag_lessons.contracts.shelf import QUERIES, make_shelf
from hierrag_lessons.model import Document, Hierarchy, Node
from hierrag_lessons.ranking import mmr
from hierrag_lessons.retrievers import (
    DiverseRetriever,
    FlatRetriever,
    HybridRetriever,
    ParentChildRetriever,
    RerankingRetriever,
)
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder, hierarchy


class SharedWords:
    """The share of the query's words that a text has; many ties."""

    def __init__(self):
        self.asked = []

    def score(self, query, texts):
        self.asked += [(query, text) for text in texts]
        wanted = set(re.findall(r"\w+", query.lower()))
        return np.array([len(wanted & set(re.findall(r"\w+", text.lower()))) / (len(wanted) or 1) for text in texts])


WORDS, EMBEDDER = SharedWords(), WordHashEmbedder()


def reranked(index, retriever=FlatRetriever, **options):
    return RerankingRetriever(retriever(index), WORDS, **options)


def diverse(index, retriever=FlatRetriever, **options):
    return DiverseRetriever(retriever(index), EMBEDDER, **options)


MAKERS = {
    "reranked parents": partial(reranked, retriever=ParentChildRetriever),
    "reranked, few": partial(reranked, candidates=5, retriever=partial(FlatRetriever, mode="text")),
    "diverse hybrid": partial(diverse, retriever=HybridRetriever, balance=0.3),
    "relevance only": partial(diverse, balance=1.0),
    "variety only": partial(diverse, balance=0.0),
    "reranked, then diverse": lambda index: DiverseRetriever(reranked(index), EMBEDDER, candidates=10),
}


@pytest.fixture(scope="module")
def shelf():
    return make_shelf(build_hierarchy=hierarchy)


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "diverse hybrid"])
def test_every_promise(name):
    check_retriever(MAKERS[name], finds_all=False)  # never more than the candidates


def test_every_promise_in_a_chinese_index():
    check_retriever(MAKERS["diverse hybrid"], language="zh", build_hierarchy=hierarchy, finds_all=False)


def place(passage):
    return (passage.doc_id, passage.start, passage.end)


def test_the_order_is_the_rerankers_and_only_candidates_are_returned(shelf):
    flat = FlatRetriever(shelf.index)
    for query in QUERIES:
        found = flat.retrieve(query, 6)
        scores = WORDS.score(query, [f"{p.context}\n{p.text}" for p in found])
        pairs = sorted(zip(-scores, map(place, found), strict=True))
        for k in (1, 3, 6, 50):
            passages = RerankingRetriever(flat, WORDS, 6).retrieve(query, k)
            assert [(-p.score, place(p)) for p in passages] == pairs[:k]
    assert {place(p): p.hits for p in passages} == {place(p): p.hits for p in found}


def test_it_reads_context_and_text(tmp_path):
    text = "It is 30 days."
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    root = Node("r", "d", 0, 0, len(text), text)
    index.add(Hierarchy(Document("d", text), ((root,), (Node("l", "d", 1, 0, 14, text, "Leave", "r"),))))
    reranker = SharedWords()
    (passage,) = RerankingRetriever(FlatRetriever(index), reranker).retrieve("leave days")
    assert reranker.asked == [("leave days", "Leave\nIt is 30 days.")]
    assert passage.score == 1.0
    assert passage.text == text


def test_diversity_is_mmr_over_the_candidates(shelf):
    for retriever in (FlatRetriever(shelf.index), HybridRetriever(shelf.index, fusion="z_score")):
        for query in QUERIES:
            found = sorted(retriever.retrieve(query, 8), key=place)
            vectors = EMBEDDER.encode([p.text for p in found])
            scores = [p.score for p in found]
            relevance = (np.array(scores) - min(scores)) / (max(scores) - min(scores))
            chosen = mmr(relevance, vectors, 5, 0.4)
            passages = DiverseRetriever(retriever, EMBEDDER, 8, 0.4).retrieve(query, 5)
            assert [place(p) for p in passages] == [place(found[n]) for n in chosen]


def test_a_repeated_text_comes_last(tmp_path):
    texts = ["the fee is ten", "the fee is ten", "the fee is due in may"]
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    for number, text in enumerate(texts):
        root = Node(f"r{number}", f"d{number}", 0, 0, len(text), text)
        leaf = Node(f"l{number}", f"d{number}", 1, 0, len(text), text, parent_id=f"r{number}")
        index.add(Hierarchy(Document(f"d{number}", text), ((root,), (leaf,))))
    flat = FlatRetriever(index)
    assert [p.doc_id for p in flat.retrieve("fee ten", 3)] == ["d0", "d1", "d2"]
    # The copy is as relevant as the first, the third text is the worst: 0.3 * 1 - 0.7 * 1 < 0.3 * 0 - 0.7 * 0.67.
    diverse = DiverseRetriever(flat, EMBEDDER, balance=0.3)
    assert [p.doc_id for p in diverse.retrieve("fee ten", 3)] == ["d0", "d1", "d2"]
    assert [p.doc_id for p in DiverseRetriever(flat, EMBEDDER, balance=0.2).retrieve("fee ten", 3)] == [
        "d0",
        "d2",
        "d1",
    ]


def test_candidates_of_equal_score_are_equally_relevant(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    text = "cat"
    index.add(
        Hierarchy(Document("d", text), ((Node("r", "d", 0, 0, 3, text),), (Node("l", "d", 1, 0, 3, text, "", "r"),)))
    )
    (passage,) = DiverseRetriever(FlatRetriever(index), EMBEDDER, balance=0.4).retrieve("cat")
    assert passage.score == pytest.approx(0.4)


def test_a_reranker_that_returns_nonsense_is_refused(shelf):
    class Nonsense:
        def score(self, query, texts):
            return np.full(len(texts), np.nan)

    with pytest.raises(ValueError, match="return a finite one for each"):
        RerankingRetriever(FlatRetriever(shelf.index), Nonsense()).retrieve("dog")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (partial(reranked, candidates=0), "candidates is 0"),
        (partial(diverse, candidates=0), "candidates is 0"),
        (partial(diverse, balance=-0.1), "balance is -0.1"),
        (partial(diverse, balance=float("nan")), "balance is nan"),
    ],
)
def test_impossible_parameters_are_refused_when_made(shelf, make, message):
    with pytest.raises(ValueError, match=message):
        make(shelf.index)
