from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lancedb.query import AsyncQueryBase

from hierrag_lessons import check_retriever
from hierrag_lessons.contracts.shelf import QUERIES, make_shelf
from hierrag_lessons.evaluation import Evidence
from hierrag_lessons.model import Document, Hierarchy, Hit, Node, Retriever, Span, sort_key
from hierrag_lessons.retrievers import CoarseToFineRetriever, FlatRetriever, IndexLevel, LevelConfig, LevelTrace
from hierrag_lessons.retrievers.coarse_to_fine.constraint import combine
from hierrag_lessons.showing import CoarseToFineView
from hierrag_lessons.store import Index
from tests.fakes import ZOO, WordHashEmbedder, hierarchy
from tests.showing.page import ATTRIBUTES, DANGEROUS, TAGS, Page

DOG = "the running dog"


def three(index, top_ks=(4, 4, 50), modes=("vector", "vector", "vector"), thresholds=(None, None, None), **options):
    """Document, section, leaf: each below what the one before kept."""
    levels = [
        LevelConfig(name, IndexLevel(index, level, mode), top_k, "parent_id", by, threshold)
        for (name, level, by), top_k, mode, threshold in zip(
            (("document", 0, None), ("section", 1, "previous"), ("leaf", 2, "section")),
            top_ks,
            modes,
            thresholds,
            strict=True,
        )
    ]
    return CoarseToFineRetriever(levels, **options)


def skipping(index, filter_key="parent_id", top_k=3):
    """Leaves below documents, no level between."""
    document = LevelConfig("document", IndexLevel(index, 0, "text"), top_k)
    leaf = LevelConfig("leaf", IndexLevel(index, 2), 60, filter_key, "document")
    return CoarseToFineRetriever([document, leaf])


def again(index):
    """Leaves by words, the same leaves again by vector."""
    words = LevelConfig("words", IndexLevel(index, 2, "text"), 30)
    return CoarseToFineRetriever([words, LevelConfig("meaning", IndexLevel(index, 2), 30, "node_id", "words")])


def deepest(index):
    """Whatever lies below a section, with a level that is not said."""
    section = LevelConfig("section", IndexLevel(index, 1), 5)
    return CoarseToFineRetriever([section, LevelConfig("below", IndexLevel(index), 50, constrain_by="previous")])


MAKERS = {
    "narrow": partial(three, top_ks=(2, 3, 9)),
    "thresholds": partial(three, thresholds=(0.05, 0.1, 0.15)),
    "text, hybrid, vector": partial(three, modes=("text", "hybrid", "vector")),
    "sections": partial(three, output_level="section", top_ks=(9, 9, 9)),
    "hybrid leaves, final top k": partial(three, modes=("vector", "text", "hybrid"), final_top_k=6),
    "leaves of documents": skipping,
    "leaves of documents by doc_id": partial(skipping, filter_key="doc_id"),
    "twice": again,
    "any level below": deepest,
    "one level": lambda index: CoarseToFineRetriever([LevelConfig("leaf", IndexLevel(index, 2), 80)]),
}


@pytest.fixture(scope="module")
def shelf():
    return make_shelf(build_hierarchy=hierarchy, levels=[0, 1, 2])


CHINESE = ("text, hybrid, vector", "leaves of documents")


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in CHINESE])
def test_every_promise(name):
    check_retriever(MAKERS[name], build_hierarchy=hierarchy, levels=[0, 1, 2], finds_all=False)  # for top_k


@pytest.mark.parametrize("name", CHINESE)
def test_every_promise_in_a_chinese_index(name):
    shelf = {"language": "zh", "build_hierarchy": hierarchy, "levels": [0, 1, 2]}
    check_retriever(MAKERS[name], **shelf, finds_all=False)


# --- the rule, from its definition ------------------------------------------------------------------------------------


def ancestors(node, nodes):
    """All nodes above a node, found one by one."""
    above = []
    while node.parent_id is not None:
        node = nodes[node.parent_id]
        above.append(node)
    return above


def may_pass(node, level, kept, nodes):
    """Whether a node passes a level's constraint, from what the words say."""
    if level.filter_key == "doc_id":
        return any(node.doc_id == hit.doc_id for hit in kept)
    if level.filter_key == "node_id":
        return any(node.node_id == hit.node.node_id for hit in kept)
    return any(above.node_id == hit.node.node_id for above in ancestors(node, nodes) for hit in kept)


@cache
def everything(level, query, count):
    """All hits on a level of an index that does not change, asked for once."""
    return level.search_batch([query], count, None)[0]


def slowly(retriever, query, k, nodes):
    """Rank everything at each level, then strike out: no filter reaches the index."""
    kept_at = {}
    for place, level in enumerate(retriever.levels):
        hits = everything(level.retriever, query, len(nodes))
        for name, wanted in (retriever.where or {}).items():
            allowed = wanted if isinstance(wanted, Collection) and not isinstance(wanted, str) else [wanted]
            hits = [hit for hit in hits if getattr(hit.node, name) in allowed]
        if level.constrain_by:
            above = retriever.levels[place - 1].name if level.constrain_by == "previous" else level.constrain_by
            if not kept_at[above]:
                return []
            hits = [hit for hit in hits if may_pass(nodes[hit.node.node_id], level, kept_at[above], nodes)]
        least = -np.inf if level.score_threshold is None else level.score_threshold
        kept_at[level.name] = [hit for hit in sorted(hits, key=sort_key)[: level.top_k] if hit.score >= least]
    output, spans = retriever.output_level or retriever.levels[-1].name, []
    for hit in kept_at[output]:
        if (hit.doc_id, hit.node.span) not in [(doc_id, span) for doc_id, span, _ in spans]:
            spans.append((hit.doc_id, hit.node.span, hit.score))
    return spans[: min(k, retriever.final_top_k or k)]


@st.composite
def configurations(draw):
    """Two to four levels of a hierarchy of four, constrained in every possible way."""
    number = draw(st.integers(2, 4))
    rows = []
    for place in range(number):
        by = None if place == 0 else draw(st.sampled_from([None, "previous", *(f"level {i}" for i in range(place))]))
        key, at = draw(st.sampled_from(["parent_id", "doc_id", "node_id"])), draw(st.integers(0, 3))
        if by is not None and key != "doc_id":
            above = rows[-1][1] if by == "previous" else rows[int(by[-1])][1]
            key = "node_id" if above == 3 else key
            at = above if key == "node_id" else draw(st.integers(above + 1, 3))
        threshold = draw(st.sampled_from([None, None, None, 0.1, 0.3]))
        rows.append((f"level {place}", at, draw(st.sampled_from(["vector", "text"])), draw(st.integers(1, 7)), key, by))
        rows[-1] += (threshold,)
    where = draw(
        st.sampled_from(
            [None, None, {"doc_id": ["cats", "copy 0", "dogs"]}, {"doc_id": "fish"}, {"level": [1, 2, 3]}, {}]
        )
    )
    output = draw(st.sampled_from([None, *(row[0] for row in rows)]))
    return rows, where, output, draw(st.sampled_from([None, 1, 3]))


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    """Four searchable levels: the document, and chunks of 12, 6 and 2 words; and all nodes by id."""
    index = Index.create(tmp_path_factory.mktemp("deep") / "index", WordHashEmbedder())
    documents = [Document(doc_id, text) for doc_id, text in ZOO.items()]
    documents += [Document(f"copy {n}", f"{ZOO['dogs']} {ZOO['cats']} {ZOO['dogs']}") for n in range(2)]
    documents += [Document("tiny", "Cat."), Document("blank", "  ")]
    made = [hierarchy(document, sizes=(12, 6, 2)) for document in documents]
    index.add(made, levels=[0, 1, 2, 3])
    return index, {node.node_id: node for own in made for node in own}


@settings(max_examples=120, deadline=None)
@given(configuration=configurations(), k=st.sampled_from([1, 2, 5, 100]))
def test_it_finds_what_the_definition_says(deep, configuration, k):
    index, nodes = deep
    rows, where, output, final = configuration
    levels = [
        LevelConfig(name, IndexLevel(index, at, mode), top_k, key, by, threshold)
        for name, at, mode, top_k, key, by, threshold in rows
    ]
    retriever = CoarseToFineRetriever(levels, output, final, where)
    batch = retriever.retrieve_batch(QUERIES, k)
    for query, passages in zip(QUERIES, batch, strict=True):
        expected = slowly(retriever, query, k, nodes)
        assert [(p.doc_id, p.span) for p in passages] == [(doc_id, span) for doc_id, span, _ in expected]
        assert [p.score for p in passages] == pytest.approx([score for _, _, score in expected], rel=1e-5)


def test_the_definition_is_not_met_by_chance(deep):
    """The oracle's answers are many and different, so that agreeing with it means something."""
    index, nodes = deep
    wide = CoarseToFineRetriever(
        [LevelConfig("d", IndexLevel(index, 0), 9), LevelConfig("l", IndexLevel(index, 3), 99, constrain_by="d")]
    )
    narrow = replace(wide, levels=[replace(wide.levels[0], top_k=1), wide.levels[1]])
    for query in QUERIES[:4]:
        every, few = slowly(wide, query, 99, nodes), slowly(narrow, query, 99, nodes)
        assert 0 < len(few) < len(every)
        assert {doc_id for doc_id, _, _ in few} < {doc_id for doc_id, _, _ in every}


# --- constraints ------------------------------------------------------------------------------------------------------


def test_a_level_finds_only_what_lies_below_the_kept_nodes(shelf):
    retriever = three(shelf.index, (2, 3, 50))
    trace = retriever.trace(DOG, 50)
    documents, sections, leaves = (level.kept for level in trace.levels)
    assert (len(documents), len(sections)) == (2, 3)
    assert {hit.node.parent_id for hit in sections} <= {hit.node.node_id for hit in documents}
    assert {hit.node.parent_id for hit in leaves} == {hit.node.node_id for hit in sections}
    assert len(leaves) == len(shelf.index.children([hit.node for hit in sections]))


def test_descendants_are_found_at_any_depth(deep):
    """Leaves three levels below: an id comparison with the direct parent would find nothing."""
    index, nodes = deep
    document = LevelConfig("document", IndexLevel(index, 0), 1)
    for by_id in ("parent_id", "doc_id"):
        leaf = LevelConfig("leaf", IndexLevel(index, 3), 200, by_id, "document")
        trace = CoarseToFineRetriever([document, leaf]).trace("deep blue lake", 200)
        expected = {name for name, node in nodes.items() if (node.level, node.doc_id) == (3, "fish")}
        assert {hit.node.node_id for hit in trace.level("leaf").found} == expected
        assert len(expected) > 5


def test_a_constraint_may_skip_a_level(deep):
    """The leaves are bound to the documents, not to the sections in between, which keep nothing."""
    index, _ = deep
    levels = [
        LevelConfig("document", IndexLevel(index, 0), 1),
        LevelConfig("section", IndexLevel(index, 1), 3, "parent_id", "document", score_threshold=0.99),
        LevelConfig("leaf", IndexLevel(index, 3), 9, "parent_id", "document"),
    ]
    trace = CoarseToFineRetriever(levels).trace("deep blue lake, far boats", 9)
    assert trace.level("section").kept == ()
    assert {hit.doc_id for hit in trace.level("leaf").kept} == {"fish"}
    previous = [*levels[:2], replace(levels[2], constrain_by="previous")]
    assert CoarseToFineRetriever(previous).retrieve("deep blue lake, far boats", 9) == []


def test_an_unconstrained_level_is_searched_freely(shelf):
    levels = [LevelConfig("none", IndexLevel(shelf.index, 0), 1, score_threshold=5.0)]
    levels.append(LevelConfig("leaf", IndexLevel(shelf.index, 2), 20))
    assert CoarseToFineRetriever(levels).retrieve(DOG) == FlatRetriever(shelf.index, 2).retrieve(DOG)


def test_without_losses_it_is_flat_search(shelf):
    """Wide levels lose nothing: the last level alone decides."""
    everything = shelf.index.count()
    retriever = three(shelf.index, (everything,) * 3)
    for query in QUERIES:
        flat = FlatRetriever(shelf.index, 2).retrieve(query, 12)
        reached = [p for p in flat if p.doc_id in {h.doc_id for h in retriever.trace(query).levels[0].kept}]
        assert retriever.retrieve(query, 12)[: len(reached)] == reached


def test_levels_of_different_indexes_meet_by_their_ids(tmp_path):
    """Coarse levels in one index, leaves in another, with another embedder."""
    made = [hierarchy(doc_id, text) for doc_id, text in ZOO.items()]
    coarse = Index.create(tmp_path / "coarse", WordHashEmbedder(128, "small"))
    fine = Index.create(tmp_path / "fine", WordHashEmbedder(256, "large"))
    coarse.add(made, levels=[0])
    fine.add(made)
    document = LevelConfig("document", IndexLevel(coarse, 0), 1)
    for key in ("parent_id", "doc_id"):
        retriever = CoarseToFineRetriever([document, LevelConfig("leaf", IndexLevel(fine, 2), 50, key, "document")])
        passages = retriever.retrieve("deep blue lake, far boats", 50)
        assert {passage.doc_id for passage in passages} == {"fish"}
        assert len(passages) == sum(node.level == 2 and node.doc_id == "fish" for own in made for node in own)


@pytest.mark.parametrize(
    ("base", "values", "expected"),
    [
        (None, ["a", "b"], {"doc_id": ("a", "b")}),
        ({"doc_id": "b"}, ["a", "b"], {"doc_id": ("b",)}),
        ({"doc_id": ["c", "b", "b"]}, ["a", "b", "c"], {"doc_id": ("b", "c")}),
        ({"doc_id": ["x"]}, ["a"], None),
        ({"level": [1, 2]}, ["a"], {"level": (1, 2), "doc_id": ("a",)}),
        ({"level": 1, "doc_id": "a"}, ["a"], {"level": (1,), "doc_id": ("a",)}),
        ({"parent_id": []}, ["a"], None),
        (None, [], None),
    ],
)
def test_base_filter_and_constraint_must_both_hold(base, values, expected):
    assert combine(base, "doc_id", values) == expected


@pytest.mark.parametrize("key", ["parent_id", "doc_id"])
def test_a_base_filter_holds_at_every_level(shelf, key):
    free = replace(skipping(shelf.index, key, 9))
    bound = replace(free, where={"doc_id": ["cats", "copy 1"]})
    trace = bound.trace(DOG, 60)
    assert {hit.doc_id for hit in trace.levels[0].found} == {"cats", "copy 1"}
    assert {p.doc_id for p in trace.passages} == {"cats", "copy 1"}
    assert len(trace.passages) < len(free.retrieve(DOG, 60))
    where = trace.levels[1].where
    assert where["doc_id"] == ("cats", "copy 1")
    assert set(where) == {"doc_id", key}
    assert replace(free, where={"doc_id": "nowhere"}).retrieve(DOG) == []


# --- short circuit, order, cost ---------------------------------------------------------------------------------------


@dataclass
class Counting:
    """A level of an index that notes each search; ``hits`` are given back instead, where they are given."""

    index: Index
    level: int | None = None
    hits: list[Hit] | None = None
    searches: list[tuple[list[str], int, object]] = field(default_factory=list)

    def search_batch(self, queries, k, where):
        self.searches.append((list(queries), k, where))
        if self.hits is not None:
            return [list(self.hits) for _ in queries]
        return self.index.search_batch(queries, k, level=self.level, where=where)


def test_an_empty_constraint_ends_the_search(shelf):
    counting = [Counting(shelf.index, level) for level in (0, 1, 2)]
    levels = [
        LevelConfig("document", counting[0], 2, score_threshold=0.9),
        LevelConfig("section", counting[1], 3, constrain_by="previous"),
        LevelConfig("leaf", counting[2], 9),  # not constrained: it would find something
    ]
    trace = CoarseToFineRetriever(levels).trace(DOG)
    assert [len(level.searches) for level in counting] == [1, 0, 0]
    assert [level.state for level in trace.levels] == ["searched", "short-circuited", "not reached"]
    assert (trace.short_circuited, trace.passages) == (True, ())
    assert (len(trace.levels[0].found), len(trace.levels[0].kept)) == (2, 0)


def test_a_short_circuit_behind_the_output_level_counts(shelf):
    retriever = three(shelf.index, output_level="section", thresholds=(None, 0.05, None))
    assert retriever.retrieve(DOG)
    blocked = three(shelf.index, output_level="document", thresholds=(None, 0.99, None))
    assert blocked.retrieve(DOG) == []


def test_only_the_query_that_found_nothing_stops(shelf):
    counting = [Counting(shelf.index, 0), Counting(shelf.index, 2)]
    levels = [LevelConfig("document", counting[0], 3), LevelConfig("leaf", counting[1], 9, "doc_id", "previous")]
    first, nothing, last = CoarseToFineRetriever(levels).retrieve_batch([DOG, "?!", "deep lake"])
    assert (bool(first), nothing, bool(last)) == (True, [], True)
    assert sorted(query for queries, _, _ in counting[1].searches for query in queries) == ["deep lake", DOG]


def test_a_base_filter_against_the_constraint_ends_the_search(shelf):
    counting = Counting(shelf.index, 2)
    roots = [hit for hit in shelf.index.search(DOG, 9, level=0) if hit.doc_id == "dogs"]
    levels = [
        LevelConfig("document", Counting(shelf.index, 0, roots), 3),
        LevelConfig("leaf", counting, 9, "doc_id", "document"),
    ]
    trace = CoarseToFineRetriever(levels, where={"doc_id": "cats"}).trace(DOG)
    assert (trace.levels[1].state, counting.searches) == ("short-circuited", [])


def test_results_of_any_retriever_are_put_in_order_and_cut(shelf):
    leaves = shelf.index.search(DOG, 30, level=2)
    given = [replace(hit, score=0.25 if place % 2 else 0.75) for place, hit in enumerate(leaves)]
    level = LevelConfig("leaf", Counting(shelf.index, 2, given[::-1]), 12, score_threshold=0.5)
    trace = CoarseToFineRetriever([level]).trace(DOG, 30)
    assert list(trace.levels[0].found) == sorted(given, key=sort_key)[:12]
    assert [hit.score for hit in trace.levels[0].kept] == [0.75] * 12
    assert list(trace.passages) == sorted(trace.passages, key=lambda p: (-p.score, p.doc_id, p.start))


def test_a_score_at_the_threshold_is_kept(shelf):
    hits = shelf.index.search(DOG, 9, level=2)
    for hit in (hits[0], hits[4]):
        level = LevelConfig("leaf", IndexLevel(shelf.index, 2), 9, score_threshold=hit.score)
        kept = CoarseToFineRetriever([level]).trace(DOG).levels[0].kept
        assert list(kept) == [other for other in hits if other.score >= hit.score]
        assert hit in kept


def test_k_and_final_top_k_and_top_k_are_limits(shelf):
    everything = three(shelf.index, (9, 20, 30)).retrieve(DOG, 99)
    assert len(everything) > 12
    for k in (1, 3, 12):
        assert three(shelf.index, (9, 20, 30)).retrieve(DOG, k) == everything[:k]
        assert three(shelf.index, (9, 20, 30), final_top_k=k).retrieve(DOG, 99) == everything[:k]
    assert len(three(shelf.index, (9, 20, 7)).retrieve(DOG, 99)) == 7


def counted_queries(monkeypatch):
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    return run


def test_the_table_is_asked_once_for_each_filter_and_not_for_each_id(deep, monkeypatch):
    index, _ = deep
    run = counted_queries(monkeypatch)
    for top_k in (1, 3, 7):
        document = LevelConfig("document", IndexLevel(index, 0), top_k)
        leaf = LevelConfig("leaf", IndexLevel(index, 3), 200, constrain_by="document")
        run[0] = 0
        assert CoarseToFineRetriever([document, leaf]).retrieve(DOG)
        assert run[0] == 1 + 2 + 1  # documents; the two levels between; leaves
        run[0] = 0
        by_document = replace(leaf, filter_key="doc_id")
        assert CoarseToFineRetriever([document, by_document]).retrieve_batch([DOG] * 5)
        assert run[0] == 2  # equal filters are one search
    queries = ["quiet fish", "the cat sat", "quiet fish swim", "dogs run home"]
    run[0] = 0
    found = CoarseToFineRetriever([replace(document, top_k=1), leaf]).retrieve_batch(queries)
    different = {frozenset(p.doc_id for p in passages) for passages in found}
    assert run[0] == 1 + 2 + len(different)
    assert 1 < len(different) <= 4


def test_each_query_is_embedded_once(tmp_path):
    embedder = WordHashEmbedder()
    index = Index.create(tmp_path / "index", embedder)
    index.add([hierarchy(doc_id, text) for doc_id, text in ZOO.items()], levels=[0, 1, 2])
    embedder.calls.clear()
    assert all(three(index).retrieve_batch([DOG, "deep lake", DOG]))
    assert embedder.calls == [[DOG, "deep lake"]]
    assert index.embedder is embedder


def test_a_batch_reads_one_version_of_the_index(tmp_path):
    """A commit between two levels changes nothing for the batch that is under way."""
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add([hierarchy(doc_id, text) for doc_id, text in ZOO.items()], levels=[0, 2])

    @dataclass(frozen=True)
    class Deleting(IndexLevel):
        def search_batch(self, queries, k=10, where=None):
            found = super().search_batch(queries, k, where)
            index.delete(["fish"])
            return found

    levels = [LevelConfig("document", Deleting(index, 0), 1), LevelConfig("leaf", IndexLevel(index, 2), 9)]
    levels[1] = replace(levels[1], constrain_by="document")
    retriever = CoarseToFineRetriever(levels)
    assert {passage.doc_id for passage in retriever.retrieve("deep blue lake fish")} == {"fish"}
    assert "fish" not in {passage.doc_id for passage in retriever.retrieve("deep blue lake fish")}


def test_all_levels_of_an_index_share_one_snapshot(shelf, monkeypatch):
    """Two snapshots could have a commit between them."""
    taken, snapshot = [], Index.snapshot
    monkeypatch.setattr(Index, "snapshot", lambda index: taken.append(index) or snapshot(index))
    assert three(shelf.index).retrieve(DOG)
    assert taken == [shelf.index]


def test_derived_nodes_are_returned_as_the_spans_they_stand_for(tmp_path):
    text = "The cat sat. It slept. The dog ran. Nobody saw it."
    root = Node("r", "doc", 0, 0, len(text), text)
    sources = (Span(0, 12), Span(23, 35))
    summary = Node("s", "doc", 1, 0, 35, "A cat and a dog.", "", "r", sources=sources)
    leaves = tuple(
        Node(f"l{start}", "doc", 2, start, end, text[start:end], "", "s", position)
        for position, (start, end) in enumerate([(0, 12), (13, 22), (23, 35), (36, 50)])
    )
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(Hierarchy(Document("doc", text), ((root,), (summary,), leaves)), levels=[1, 2])
    levels = [LevelConfig("summary", IndexLevel(index, 1), 1), LevelConfig("leaf", IndexLevel(index, 2), 9)]
    levels[1] = replace(levels[1], constrain_by="previous")
    retriever = CoarseToFineRetriever(levels, output_level="summary")
    assert [p.text for p in retriever.retrieve("cat dog")] == ["The cat sat.", "The dog ran."]
    assert len(replace(retriever, output_level=None).retrieve("cat dog", 9)) == 4


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "the name of a level is ''; give it a name of its own"),
        ({"name": "previous"}, "the name of a level is 'previous'"),
        ({"name": 3}, "the name of a level is 3; give a text"),
        ({"retriever": None}, "the retriever of level 'x' is None; give an object with the method search_batch"),
        ({"top_k": 0}, "top_k of level 'x' is 0; give 1 or more"),
        ({"top_k": -4}, "top_k of level 'x' is -4"),
        ({"top_k": 2.0}, "top_k of level 'x' is 2.0; give a whole number"),
        ({"top_k": True}, "top_k of level 'x' is True"),
        ({"top_k": None}, "top_k of level 'x' is None"),
        ({"filter_key": "level"}, "filter_key is 'level'; give one of doc_id, parent_id, node_id"),
        ({"filter_key": "text' OR 1=1"}, "filter_key is"),
        ({"filter_key": None}, "filter_key is None; give one of doc_id"),
        ({"constrain_by": 1}, "constrain_by is 1; give a text, or None for no constraint"),
        ({"constrain_by": ["a"]}, r"constrain_by is \['a'\]"),
        ({"score_threshold": float("nan")}, "score_threshold is nan; give a finite number, or None for all scores"),
        ({"score_threshold": float("inf")}, "score_threshold is inf"),
        ({"score_threshold": "0.5"}, "score_threshold is '0.5'; give a finite number, or None"),
        ({"score_threshold": False}, "score_threshold is False"),
    ],
)
def test_an_impossible_level_is_refused_when_made(shelf, changes, message):
    with pytest.raises(ValueError, match=message):
        LevelConfig(**{"name": "x", "retriever": IndexLevel(shelf.index, 2), "top_k": 3} | changes)


def levels_of(index, *rows):
    """Rows of name, level, constrain_by and, where it matters, filter_key."""
    return [LevelConfig(n, IndexLevel(index, at), 3, *(key or ["parent_id"]), by) for n, at, by, *key in rows]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([], {}, "levels is empty; give at least one LevelConfig"),
        ([("a", 0, None), ("a", 1, None)], {}, "two levels have the name 'a'; give each level a name"),
        ([("a", 0, "previous")], {}, "the first level, 'a', has constrain_by='previous'; nothing comes"),
        ([("a", 0, "a")], {}, "the first level, 'a', has constrain_by='a'"),
        (
            [("a", 0, None), ("b", 1, "b")],
            {},
            "level 'b' has constrain_by='b', which is the level itself; give None, 'previous', or an earlier level: a",
        ),
        ([("a", 0, None), ("b", 1, "c"), ("c", 2, None)], {}, "constrain_by='c', which comes later"),
        ([("a", 0, None), ("b", 1, "siblings")], {}, "constrain_by='siblings', which is no level"),
        ([("a", 0, None), ("b", 1, "")], {}, "constrain_by='', which is no level"),
        ([("a", 0, None)], {"output_level": "b"}, "output_level is 'b'; give one of a, or None for the last level"),
        ([("a", 0, None)], {"output_level": ""}, "output_level is ''"),
        ([("a", 0, None)], {"output_level": 0}, "output_level is 0; give one of a"),
        ([("a", 0, None)], {"final_top_k": 0}, "final_top_k is 0; give 1 or more"),
        ([("a", 0, None)], {"final_top_k": 1.5}, "final_top_k is 1.5; give a whole number"),
        ([("a", 0, None)], {"where": "doc"}, "where is 'doc'; give a mapping"),
        ([("a", 0, None)], {"where": {"text": "x"}}, "where has the field 'text'; it can be one of doc_id"),
        ([("a", 0, None)], {"where": {"level": "1"}}, "has '1'; give a int"),
        (
            [("a", 1, None), ("b", 0, "a")],
            {},
            "level 'b' searches level 0 of its hierarchy below nodes of level 1 from 'a', and there are none",
        ),
        ([("a", 1, None), ("b", 1, "previous")], {}, "use filter_key='doc_id' or 'node_id'"),
        ([("a", 1, None), ("b", 2, "a", "node_id")], {}, "searches level 2 of its hierarchy for the very"),
    ],
)
def test_levels_that_do_not_fit_together_are_refused_when_made(shelf, rows, options, message):
    with pytest.raises(ValueError, match=message):
        CoarseToFineRetriever(levels_of(shelf.index, *rows), **options)


@pytest.mark.parametrize("levels", [None, "document", 3, {"a": 1}, [("document", 3)]])
def test_levels_of_another_type_are_refused(levels):
    with pytest.raises(ValueError, match=r"levels (is|holds) .*; give a list of LevelConfig"):
        CoarseToFineRetriever(levels)


def test_what_is_searched_is_checked_when_made(shelf):
    with pytest.raises(ValueError, match="level 7 is not searchable; this index has 0, 1, 2"):
        IndexLevel(shelf.index, 7)
    with pytest.raises(ValueError, match="mode is 'dense'; give one of vector, text, hybrid"):
        IndexLevel(shelf.index, 1, "dense")


def test_a_list_is_no_query_and_a_string_no_list(shelf):
    retriever = three(shelf.index)
    with pytest.raises(ValueError, match=r"query is \['the running dog'\]; give a text"):
        retriever.retrieve([DOG])
    with pytest.raises(ValueError, match="queries is 'the running dog'; give a list of texts"):
        retriever.retrieve_batch(DOG)


def test_it_is_a_retriever(shelf):
    retriever: Retriever = three(shelf.index)
    assert len(retriever.retrieve(DOG, k=2)) == 2
    assert len(retriever.retrieve_batch([DOG])[0]) == 5


# --- the trace --------------------------------------------------------------------------------------------------------


def test_a_trace_says_what_happened(shelf):
    retriever = three(shelf.index, (2, 3, 50), thresholds=(None, 0.2, None), where={"doc_id": ["cats", "dogs"]})
    trace = retriever.trace(DOG, 3)
    section = trace.level("section")
    assert section.constrained_by == "document"
    assert section.constraint == tuple(sorted(hit.node.node_id for hit in trace.level("document").kept))
    assert section.where == {"doc_id": ("cats", "dogs"), "parent_id": section.constraint}
    assert [hit for hit in section.found if hit.score >= 0.2] == list(section.kept)
    assert list(trace.passages) == retriever.retrieve(DOG, 3)
    assert str(trace).splitlines() == [
        "1. document: no constraint; filter: 2 doc_ids; 2 found, 2 kept",
        f"2. section: 2 parent_ids from document; filter: 2 doc_ids, 2 parent_ids; {len(section.found)} found, "
        f"{len(section.kept)} kept with a score of 0.2 or more",
        f"3. leaf: {len(section.kept)} parent_ids from section; filter: 2 doc_ids, {len(section.kept)} parent_ids; "
        f"{len(trace.level('leaf').found)} found, {len(trace.level('leaf').kept)} kept",
        "output: leaf, passages: 3",
    ]
    with pytest.raises(KeyError, match="there is no level 'chapter'; there are document, section, leaf"):
        trace.level("chapter")


def test_a_trace_says_where_a_search_ended(shelf):
    trace = three(shelf.index, thresholds=(0.99, None, None)).trace(DOG)
    assert str(trace).splitlines()[1:] == [
        "2. section: 0 parent_ids from document; nothing can pass, so the search ends here",
        "3. leaf: not reached",
        "output: leaf, passages: 0",
    ]
    assert isinstance(trace.levels[1], LevelTrace)


# --- the view ---------------------------------------------------------------------------------------------------------


def evidence(hit):
    return Evidence(hit.doc_id, hit.start, hit.end)


def test_a_view_shows_each_level_and_where_the_gold_is_lost(shelf):
    free = three(shelf.index, (3, 9, 9)).trace(DOG, 3).level("section").found
    threshold = min(hit.score for hit in free if hit.score > free[-1].score)
    trace = three(shelf.index, (3, 9, 20), thresholds=(None, threshold, None)).trace(DOG, 3)
    document, section, leaf = trace.levels
    lost = next(hit for hit in section.found if hit not in section.kept)
    kept = leaf.kept[6]
    gold = [evidence(lost), evidence(kept)]
    share = (kept.end - kept.start) / sum(item.end - item.start for item in gold)
    view = CoarseToFineView(trace, gold, most=2)
    assert view.caption == f"3 levels; gold kept: 100% → {share:.0%} → {share:.0%}; 3 passages of level leaf"
    lines = repr(view).splitlines()[1:]
    heads = [line for line in lines if not line.startswith(" ")]
    assert heads == [
        f"1. {document}; 100% of the gold",
        f"2. {section}; {share:.0%} of the gold",
        f"3. {leaf}; {share:.0%} of the gold",
    ]
    below = [line.strip() for line in lines[lines.index(heads[2]) + 1 :]]
    assert [line.split(". ")[0] for line in below] == [
        "1",
        "2",
        "… 4 more nodes",
        "7",
        f"… {len(leaf.kept) - 7} more nodes",
    ]
    assert [line for line in below if "OF THE GOLD" in line] == [below[3]]
    assert f"{lost.start}-{lost.end}: below the threshold, score {lost.score:.3f}" in repr(view)
    assert f"kept, score {document.kept[0].score:.3f}" in lines[1]
    plain = CoarseToFineView(trace, most=0)
    assert "GOLD" not in repr(plain).upper()
    assert plain.caption == "3 levels; 3 passages of level leaf"
    assert [line.strip() for line in plain.body_text().splitlines()][1] == "… 3 more nodes"


def test_a_view_of_a_search_that_ended(shelf):
    trace = three(shelf.index, thresholds=(0.99, None, None)).trace(DOG)
    gold = [evidence(trace.levels[0].found[0])]
    assert CoarseToFineView(trace, gold).caption == "3 levels; gold kept: 0%; 0 passages of level leaf"
    assert repr(CoarseToFineView(trace)).splitlines()[-1] == "3. leaf: not reached"


def test_the_page_and_the_text_of_a_view_say_the_same(shelf):
    trace = three(shelf.index, (9, 9, 99)).trace("hostile word 下雨", 9)
    assert "it's/odd\n%" in {hit.doc_id for hit in trace.levels[2].found}
    view = CoarseToFineView(trace, [evidence(trace.levels[2].found[3])], most=99)
    html = view._repr_html_()
    page = Page(html)
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert "".join(page.text.split()) == "".join(repr(view).split())
    for shown in (html, repr(view)):
        shown.encode("utf-8")
        assert DANGEROUS.findall(shown) == []


def test_a_view_refuses_a_negative_number_of_nodes(shelf):
    with pytest.raises(ValueError, match="most is -1; give 0 or more"):
        CoarseToFineView(three(shelf.index).trace(DOG), most=-1)
