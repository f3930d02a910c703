"""Hybrid search and levels above, against scores computed hit by hit from plain searches."""

from functools import partial

import pytest
from lancedb.query import AsyncQueryBase

from hierrag_lessons import check_retriever
from hierrag_lessons.contracts.shelf import QUERIES, make_shelf
from hierrag_lessons.model import Document, Hierarchy, Node, Span, sort_key
from hierrag_lessons.ranking import z_score_fusion
from hierrag_lessons.retrievers import FlatRetriever, HybridRetriever
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder, hierarchy

MAKERS = {
    "few candidates": partial(HybridRetriever, candidates=3),
    "ranks, few candidates": partial(HybridRetriever, fusion="reciprocal_rank", candidates=3),
    "vector only": partial(HybridRetriever, searches=("vector",)),
}
LAYERED = {
    "all levels": partial(HybridRetriever, fusion="z_score"),
    "ranks and sections": partial(HybridRetriever, level=2, above={1: 0.5}, fusion="reciprocal_rank"),
    "z-scores, sections, documents": partial(HybridRetriever, level=2, above={1: 0.5, 0: 0.25}, fusion="z_score"),
    "text and documents": partial(HybridRetriever, level=2, above={0: 2.0}, searches=("text",), fusion="z_score"),
}


@pytest.fixture(scope="module")
def shelf():
    return make_shelf(build_hierarchy=hierarchy)


@pytest.fixture(scope="module")
def layered():
    return make_shelf(build_hierarchy=hierarchy, levels=[0, 1, 2])


@pytest.fixture(scope="module")
def chinese():
    return make_shelf("zh", hierarchy, [0, 1, 2])


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_every_promise(make):
    check_retriever(make, build_hierarchy=hierarchy)


CHINESE = "z-scores, sections, documents"


@pytest.mark.parametrize("name", [name for name in LAYERED if name != CHINESE])
def test_every_promise_with_several_searchable_levels(name):
    check_retriever(LAYERED[name], build_hierarchy=hierarchy, levels=[0, 1, 2])


def test_every_promise_in_a_chinese_index():
    check_retriever(LAYERED[CHINESE], language="zh", build_hierarchy=hierarchy, levels=[0, 1, 2])


def fused_level(index, query, level, fusion, limit, wanted=()):
    """Each node's fused score on one level from two plain searches, ids in ``wanted`` included."""
    found = {mode: index.search(query, limit, mode=mode, level=level) for mode in ("vector", "text")}
    ids = {hit.node.node_id for hits in found.values() for hit in hits} | set(wanted)
    if fusion == "reciprocal_rank":
        ranks = [{hit.node.node_id: n for n, hit in enumerate(hits, 1)} for hits in found.values()]
        return {name: sum(1 / (60 + rank[name]) for rank in ranks if name in rank) for name in ids}
    full = []
    for mode, hits in found.items():
        lowest = min((hit.score for hit in hits), default=0.0)
        absent = 0.0 if mode == "text" and len(hits) < limit else lowest
        full.append({**dict.fromkeys(ids, absent), **{hit.node.node_id: hit.score for hit in hits}})
    return z_score_fusion(full)


def expected(index, query, fusion, above, limit):
    nodes = {
        hit.node.node_id: hit.node
        for mode in ("vector", "text")
        for hit in index.search(query, limit, mode=mode, level=2)
    }
    total = fused_level(index, query, 2, fusion, limit)
    for level, weight in above.items():
        over = {}
        for name, node in nodes.items():
            ancestor = node
            while ancestor.level > level:
                (ancestor,) = index.parents([ancestor])
            over[name] = ancestor.node_id
        scores = fused_level(index, query, level, fusion, limit, over.values())
        for name in nodes:
            total[name] += weight * scores[over[name]]
    distinct = {}
    for name, node in nodes.items():
        place = (node.doc_id, node.start, node.end)
        distinct[place] = max(total[name], distinct.get(place, -1e9))
    return distinct


@pytest.mark.parametrize("limit", [3, 100])
@pytest.mark.parametrize("above", [{}, {1: 0.5}, {0: 1.0, 1: 0.25}], ids=str)
@pytest.mark.parametrize("fusion", ["reciprocal_rank", "z_score"])
def test_scores_are_those_of_the_formula(layered, fusion, above, limit):
    retriever = HybridRetriever(layered.index, 2, above, fusion, candidates=limit)
    for query in QUERIES[:4]:
        passages = retriever.retrieve(query, 3)
        wanted = expected(layered.index, query, fusion, above, limit)
        assert passages
        found = {(p.doc_id, p.start, p.end): p.score for p in passages}
        assert found == pytest.approx({place: wanted[place] for place in found}, abs=1e-9)
        assert [p.score for p in passages] == pytest.approx(sorted(wanted.values(), reverse=True)[:3], abs=1e-9)
        assert passages == sorted(passages, key=sort_key)


def test_without_levels_above_it_is_the_indexs_own_hybrid_search(shelf):
    for query in QUERIES:
        ours = HybridRetriever(shelf.index).retrieve(query, 7)
        assert ours == FlatRetriever(shelf.index, mode="hybrid").retrieve(query, 7)


def test_z_scores_are_the_default(shelf):
    assert HybridRetriever(shelf.index) == HybridRetriever(shelf.index, fusion="z_score")


def two_sections(tmp_path):
    """The same sentence in two sections, of which the second is about the query."""
    first, second = "A fee is due. Trees grow slowly.", "A fee is due. Parking costs money: parking fee."
    text = f"{first}\n{second}"
    places = [Span(0, 13), Span(14, len(first))]
    leaves = [*places, *(Span(a + len(first) + 1, min(b + len(first) + 1, len(text))) for a, b in places)]
    leaves[-1] = Span(leaves[-1].start, len(text))
    root = Node("r", "d", 0, 0, len(text), text)
    sections = (
        Node("s0", "d", 1, 0, len(first), first, parent_id="r"),
        Node("s1", "d", 1, len(first) + 1, len(text), second, parent_id="r", position=1),
    )
    nodes = tuple(
        Node(f"l{n}", "d", 2, *span, text[span.start : span.end], parent_id=f"s{n // 2}", position=n)
        for n, span in enumerate(leaves)
    )
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(Hierarchy(Document("d", text), ((root,), sections, nodes)), levels=[1, 2])
    return index, leaves


@pytest.mark.parametrize("fusion", ["reciprocal_rank", "z_score"])
def test_the_better_section_decides_between_equal_chunks(tmp_path, fusion):
    index, leaves = two_sections(tmp_path)
    fee = {leaves[0], leaves[2]}

    def order(**options):
        passages = HybridRetriever(index, 2, fusion=fusion, **options).retrieve("parking: which fee is due", 4)
        return [p.span for p in passages if p.span in fee]

    assert order() == [leaves[0], leaves[2]]
    assert order(above={1: 1.0}) == [leaves[2], leaves[0]]
    assert order(above={1: 0.0}) == [leaves[0], leaves[2]]


def test_an_ancestor_alone_brings_nothing_in(tmp_path):
    index, leaves = two_sections(tmp_path)
    retriever = HybridRetriever(index, 2, {1: 1.0}, searches=("text",))
    assert {p.span for p in retriever.retrieve("money", 4)} == {leaves[3]}


@pytest.mark.parametrize("above", [{}, {1: 0.5}, {0: 0.5}], ids=str)
def test_the_number_of_table_queries_does_not_depend_on_the_hits(layered, monkeypatch, above):
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    counts = set()
    for k in (1, 3, 8):
        for candidates in (400, 500):  # more than there are: ties at the end ask again
            retriever = HybridRetriever(layered.index, 2, above, candidates=candidates)
            run[0] = 0
            assert retriever.retrieve("lake gulls boats", k)
            counts.add(run[0])
    assert counts == {2 * (1 + len(above)) + (2 - min(above, default=2))}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 4}, "level 4 is not searchable"),
        ({"fusion": "sum"}, "fusion is 'sum'; give one of reciprocal_rank, z_score"),
        ({"searches": ()}, "searches is ()"),
        ({"searches": ("vector", "vector")}, "each once"),
        ({"searches": ("hybrid",)}, "give 'vector', 'text' or both"),
        ({"candidates": 0}, "candidates is 0"),
        ({"above": {1: 0.5}}, "level 1 is not above level None"),
        ({"level": 1, "above": {1: 0.5}}, "level 1 is not above level 1"),
        ({"level": 1, "above": {2: 0.5}}, "level 2 is not above level 1"),
        ({"level": 2, "above": {1: -0.5}}, "the weight of level 1 is -0.5"),
        ({"level": 2, "above": {1: float("nan")}}, "the weight of level 1 is nan"),
        ({"level": 2, "above": {1: float("inf")}}, "the weight of level 1 is inf"),
    ],
)
def test_impossible_parameters_are_refused_when_made(layered, options, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        HybridRetriever(layered.index, **options)
    assert message in str(error.value)


def test_a_level_above_that_is_not_searchable_is_refused(shelf):
    with pytest.raises(ValueError, match="level 1 is not searchable; this index has 2"):
        HybridRetriever(shelf.index, 2, {1: 0.5})
