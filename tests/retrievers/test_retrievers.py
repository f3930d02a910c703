from functools import partial

import pytest
from lancedb.query import AsyncQueryBase

from hierrag_lessons import check_retriever
from hierrag_lessons.contracts.shelf import make_shelf
from hierrag_lessons.model import Document, Hierarchy, Node, Passage, Retriever, Span, sort_key
from hierrag_lessons.retrievers import FlatRetriever, ParentChildRetriever
from hierrag_lessons.store import Index
from tests.fakes import ZOO, WordHashEmbedder, hierarchy

MODES = ("vector", "text", "hybrid")
MAKERS = {
    "flat": FlatRetriever,
    "flat text": partial(FlatRetriever, mode="text"),
    "flat hybrid": partial(FlatRetriever, mode="hybrid"),
    "parent-child": ParentChildRetriever,
    "parent-child text": partial(ParentChildRetriever, mode="text"),
    "parent-child hybrid": partial(ParentChildRetriever, mode="hybrid"),
    "parent-child narrow": partial(ParentChildRetriever, children=3, alpha=0, coverage=0),
}
LAYERED = {
    "flat on all levels": FlatRetriever,
    "flat on sections": partial(FlatRetriever, level=1),
    "parent-child on sections": partial(ParentChildRetriever, child_level=1),
    "parent-child on all levels": ParentChildRetriever,
}
DOG = "the running dog"


def finds_all(make):
    """A parent is found by its children, and their number is limited, whatever ``k`` is."""
    return getattr(make, "func", make) is not ParentChildRetriever


@pytest.fixture(scope="module")
def shelf():
    return make_shelf(build_hierarchy=hierarchy)


CHINESE = ("flat hybrid", "parent-child text")


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in (*CHINESE, "parent-child")])
def test_every_promise(name):
    check_retriever(MAKERS[name], build_hierarchy=hierarchy, finds_all=finds_all(MAKERS[name]))


@pytest.mark.parametrize("name", ["flat on sections", "parent-child on sections"])
def test_every_promise_with_two_searchable_levels(name):
    check_retriever(LAYERED[name], finds_all=finds_all(LAYERED[name]))


@pytest.mark.parametrize("name", ["flat on all levels", "parent-child on all levels"])
def test_every_promise_with_the_document_itself_searchable(name):
    make = LAYERED[name]
    check_retriever(make, build_hierarchy=hierarchy, levels=[0, 1, 2], finds_all=finds_all(make))


@pytest.mark.parametrize("name", CHINESE)
def test_every_promise_in_a_chinese_index(name):
    check_retriever(MAKERS[name], language="zh", build_hierarchy=hierarchy, finds_all=finds_all(MAKERS[name]))


def expected_parents(index, query, k, *, mode, children=30, alpha=0.7, coverage=0):
    """The scores from their definition, with one look-up after the other."""
    hits = index.search(query, children, mode=mode)
    low, high = {"vector": (0, 1), "text": (0, hits[0].score), "hybrid": (hits[-1].score, hits[0].score)}[mode]
    passages = []
    for parent in index.parents([hit.node for hit in hits]):
        own = [hit for hit in hits if hit.node.parent_id == parent.node_id]
        scores = [(hit.score - low) / (high - low) for hit in own]
        share = len(own) / len(index.children([parent]))
        score = alpha * max(scores) + (1 - alpha) * sum(scores) / len(scores) + coverage * share
        passages.append(
            Passage(parent.doc_id, parent.start, parent.end, parent.text, parent.context, score, tuple(own))
        )
    return sorted(passages, key=sort_key)[:k]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "weights", [{}, {"alpha": 0, "coverage": 2.0}, {"alpha": 1, "coverage": 0}, {"children": 4}, {"coverage": 0.3}]
)
def test_parents_are_scored_by_the_formula(shelf, mode, weights):
    retriever = ParentChildRetriever(shelf.index, mode=mode, **weights)
    for query in (DOG, "deep blue fish", "cat"):
        expected = expected_parents(shelf.index, query, 4, mode=mode, **weights)
        found = retriever.retrieve(query, 4)
        assert found == [
            Passage(p.doc_id, p.start, p.end, p.text, p.context, pytest.approx(p.score), p.hits, p.hits[0].node.fields)
            for p in expected
        ]
        assert found


def test_a_worked_example(tmp_path):
    """Two of three children are hit, with cosines 1 and 1/√2: 0.7 · 1 + 0.3 · (1 + 0.7071) / 2 + 0.3 · 2/3."""
    texts = ["apple", "apple pear", "plum"]
    document = Document("doc", "apple|apple pear|plum")
    spans = [(0, 5), (6, 16), (17, 21)]
    root, section = Node("r", "doc", 0, 0, 21, document.text), Node("s", "doc", 1, 0, 21, document.text, "Fruit", "r")
    leaves = tuple(
        Node(f"l{i}", "doc", 2, *span, text, parent_id="s", position=i)
        for i, (span, text) in enumerate(zip(spans, texts, strict=True))
    )
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(Hierarchy(document, ((root,), (section,), leaves)))
    (passage,) = ParentChildRetriever(index, children=2, coverage=0.3).retrieve("apple")
    assert passage.score == pytest.approx(0.7 + 0.3 * (1 + 0.5**0.5) / 2 + 0.3 * 2 / 3, abs=1e-6)
    assert (passage.text, passage.context) == (document.text, "Fruit")
    assert [hit.node for hit in passage.hits] == list(leaves[:2])


@pytest.mark.parametrize("mode", MODES)
def test_flat_returns_what_the_index_finds(shelf, mode):
    passages = FlatRetriever(shelf.index, mode=mode).retrieve(DOG, 7)
    hits = shelf.index.search(DOG, 7, mode=mode)
    assert [(p.doc_id, p.span, p.score, p.hits) for p in passages] == [
        (hit.doc_id, hit.node.span, hit.score, (hit,)) for hit in hits
    ]


def test_nodes_with_one_span_are_one_passage(tmp_path):
    """Overlapping sections hold equal leaves; five results must be five spans, not one span five times."""
    text = "dog cat fox elk"
    root = Node("r", "doc", 0, 0, len(text), text)
    sections = tuple(Node(f"s{i}", "doc", 1, 0, 15, text, parent_id="r", position=i) for i in range(9))
    leaves = tuple(
        Node(f"l{i}{j}", "doc", 2, 4 * j, 4 * j + 3, text[4 * j : 4 * j + 3], "", f"s{i}", 4 * i + j)
        for i in range(9)
        for j in range(4)
    )
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(Hierarchy(Document("doc", text), ((root,), sections, leaves)))
    assert [p.text for p in FlatRetriever(index).retrieve("dog cat fox elk", 4)] == ["dog", "cat", "fox", "elk"]
    assert len(FlatRetriever(index, mode="text").retrieve("dog elk", 5)) == 2
    (passage,) = ParentChildRetriever(index, coverage=0.3).retrieve("dog elk", 3)
    assert (passage.span, len(passage.hits)) == ((0, 15), 4)


@pytest.mark.parametrize("mode", MODES)
def test_the_number_of_table_queries_is_constant(shelf, monkeypatch, mode):
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    search = {"vector": 1, "text": 1, "hybrid": 3}[mode]
    for k in (1, 3, 8):
        for children in (2, 4):
            run[0] = 0
            passages = ParentChildRetriever(shelf.index, children=children, mode=mode).retrieve("lake gulls boats", k)
            assert passages
            assert run[0] == search + 1
    run[0] = 0
    ParentChildRetriever(shelf.index, children=4).retrieve_batch(["lake gulls boats", "barn roof", "hill home"], 3)
    assert run[0] == 2


@pytest.mark.parametrize("mode", MODES)
def test_a_parent_need_not_be_searchable(shelf, mode):
    assert shelf.index.levels == [2]
    for passage in ParentChildRetriever(shelf.index, mode=mode).retrieve("lake gulls boats", 9):
        assert passage.span in {node.span for node in hierarchy(shelf.documents[passage.doc_id]).levels[1]}
        assert {hit.node.level for hit in passage.hits} == {2}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (partial(FlatRetriever, level=1), "level 1 is not searchable; this index has 2"),
        (partial(FlatRetriever, mode="dense"), "mode is 'dense'; give one of vector, text, hybrid"),
        (partial(ParentChildRetriever, child_level=3), "level 3 is not searchable; this index has 2"),
        (partial(ParentChildRetriever, child_level=0), "child_level is 0; a whole document has no parent"),
        (partial(ParentChildRetriever, children=0), "children is 0; give 1 or more"),
        (partial(ParentChildRetriever, alpha=-0.1), "alpha is -0.1; give a number from 0 to 1"),
        (partial(ParentChildRetriever, alpha=1.1), "alpha is 1.1; give a number from 0 to 1"),
        (partial(ParentChildRetriever, alpha=float("nan")), "alpha is nan"),
        (partial(ParentChildRetriever, coverage=-1), "coverage is -1; give 0 or more"),
        (partial(ParentChildRetriever, coverage=float("nan")), "coverage is nan"),
        (partial(ParentChildRetriever, coverage=float("inf")), "coverage is inf"),
        (partial(ParentChildRetriever, mode="dense"), "mode is 'dense'"),
    ],
)
def test_impossible_parameters_are_refused_when_made(shelf, make, message):
    with pytest.raises(ValueError, match=message):
        make(shelf.index)


def test_any_level_of_an_empty_index_will_do(shelf):
    assert FlatRetriever(shelf.empty, level=4).retrieve("dog") == []
    assert ParentChildRetriever(shelf.empty, child_level=4).retrieve("dog") == []


def test_they_are_retrievers(shelf):
    retrievers: list[Retriever] = [FlatRetriever(shelf.index), ParentChildRetriever(shelf.index)]
    assert [len(retriever.retrieve(DOG, k=2)) for retriever in retrievers] == [2, 2]
    assert len(FlatRetriever(shelf.index).retrieve_batch([DOG])[0]) == 5


def test_retrieving_follows_the_index(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    retriever = ParentChildRetriever(index)
    index.add(hierarchy("cats", ZOO["cats"]))
    assert {passage.doc_id for passage in retriever.retrieve("cat")} == {"cats"}
    index.delete(["cats"])
    assert retriever.retrieve("cat") == []


def test_a_derived_node_is_returned_as_what_it_was_made_from(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    made = hierarchy("cats", ZOO["cats"], sizes=(4,))
    summary = Node("s", "cats", 1, 0, 11, "A dog, a cat.", "", made.root.node_id, 0, sources=(Span(0, 3), Span(8, 11)))
    index.add(Hierarchy(made.document, (made.levels[0], (summary,))))
    passages = FlatRetriever(index).retrieve("dog")
    assert [(p.span, p.text) for p in passages] == [((0, 3), "The"), ((8, 11), ZOO["cats"][8:11])]


def test_one_string_is_no_list_of_queries(shelf):
    for make in MAKERS.values():
        with pytest.raises(ValueError, match="queries is 'cat'; give a list of texts"):
            make(shelf.index).retrieve_batch("cat")
