from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lancedb.query import AsyncQueryBase

from hierrag_lessons import check_retriever
from hierrag_lessons.contracts.shelf import make_shelf
from hierrag_lessons.model import Document, Hierarchy, Node, sort_key
from hierrag_lessons.retrievers import FlatRetriever, SummaryTreeRetriever
from hierrag_lessons.spans import merge
from hierrag_lessons.store import Index
from hierrag_lessons.summaries import SoftClustering, build_summary_tree
from tests.fakes import WordChunker, WordHashEmbedder, hierarchy

MAKERS = {
    "collapsed, three leaves": partial(SummaryTreeRetriever, leaves=3),
    "collapsed text": partial(SummaryTreeRetriever, mode="text", leaves=2),
    "collapsed hybrid": partial(SummaryTreeRetriever, mode="hybrid"),
    "layers, narrow": partial(SummaryTreeRetriever, search="layers", width=1),
    "layers text": partial(SummaryTreeRetriever, search="layers", mode="text"),
    "layers hybrid": partial(SummaryTreeRetriever, search="layers", mode="hybrid"),
}
DOG = "the running dog"


def tree(document: Document | str, text: str = "", size: int = 4) -> Hierarchy:
    made = document if isinstance(document, Document) else Document(document, text)
    return build_summary_tree(made, [WordChunker(size)], embedder=WordHashEmbedder(), max_tokens=30)


@pytest.fixture(scope="module")
def shelf():
    return make_shelf(build_hierarchy=tree)


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "layers text"])
def test_every_promise(name):
    check_retriever(MAKERS[name], build_hierarchy=tree)


def test_every_promise_in_a_chinese_index():
    check_retriever(MAKERS["layers text"], language="zh", build_hierarchy=tree)


def words(number: int, seed: int = 0) -> str:
    """A text of this many words, of which a few come back again and again."""
    rng = np.random.default_rng(seed)
    return " ".join(rng.choice(["cat", "dog", "lake", "barn", "hill", "rain", "boat", "gull", "roof"], number))


def make_index(folder, *trees: Hierarchy) -> Index:
    index = Index.create(folder, WordHashEmbedder())
    index.add(trees)
    return index


def leaves_below(made: Hierarchy, node: Node) -> list[Node]:
    if not node.derived:
        return [node]
    return [leaf for name in node.metadata["members"] for leaf in leaves_below(made, made.node(name))]


def expected_scores(trees: Sequence[Hierarchy], query: str, leaves: int) -> dict[tuple, float]:
    """Every chunk's score from its definition: its own, or that of the best summary which leads to it."""
    encode = WordHashEmbedder().encode
    asked = encode([query])[0]
    expected = {}
    for made in trees:
        nodes = [node for level in made.levels[1:] for node in level]
        vectors = encode([node.embedding_text for node in nodes])
        own = {n.node_id: float(v @ asked) for n, v in zip(nodes, vectors, strict=True) if v.any()}
        for node in nodes:
            if node.node_id in own and not node.derived:
                expected.setdefault((node.doc_id, node.span), own[node.node_id])
        for node in nodes:
            if node.node_id in own and node.derived:
                below = {leaf.node_id: leaf for leaf in leaves_below(made, node) if leaf.node_id in own}
                ranked = sorted(below.values(), key=lambda leaf: (-round(own[leaf.node_id], 5), leaf.span))
                for leaf in ranked[:leaves]:
                    place = (leaf.doc_id, leaf.span)
                    expected[place] = max(expected[place], own[node.node_id])
    return expected


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(1, 120), min_size=1, max_size=3), st.integers(0, 9), st.integers(1, 3), st.integers(1, 12))
def test_collapsed_scores_by_its_definition(tmp_path_factory, sizes, seed, leaves, k):
    trees = [tree(f"doc {i}", words(size, seed + i)) for i, size in enumerate(sizes)]
    index = make_index(tmp_path_factory.mktemp("index") / "index", *trees)
    for query in ("dog lake rain", "cat", "hill boat dog dog"):
        expected = expected_scores(trees, query, leaves)
        found = SummaryTreeRetriever(index, leaves=leaves).retrieve(query, k)
        assert [p.score for p in found] == pytest.approx(sorted(expected.values(), reverse=True)[:k], abs=1e-5)
        assert [expected[p.doc_id, p.span] for p in found] == pytest.approx([p.score for p in found], abs=1e-5)


def test_layers_that_keep_everything_are_a_flat_search(tmp_path):
    trees = [tree(f"doc {i}", words(90, i)) for i in range(3)]
    index = make_index(tmp_path / "trees", *trees)
    plain = Index.create(tmp_path / "plain", WordHashEmbedder())
    plain.add([hierarchy(made.document, sizes=(4,)) for made in trees])
    for query in ("dog lake rain", "cat", "hill boat"):
        found = SummaryTreeRetriever(index, "layers", width=1000).retrieve(query, 20)
        assert [(p.doc_id, p.span) for p in found] == [
            (p.doc_id, p.span) for p in FlatRetriever(plain).retrieve(query, 20)
        ]


def small_tree() -> Hierarchy:
    """Two summaries, "apple" and "pear", over four chunks; the third is at home in the first and visits the second."""
    texts = ["fig", "fig kiwi", "plum", "plum kiwi"]
    document = Document("doc", "|".join(texts))
    starts = [document.text.index(f"{text}|") for text in texts[:-1]] + [document.text.rindex("plum")]
    chunks = tuple(
        Node(f"c{i}", "doc", 3, start, start + len(text), text, parent_id="a" if i < 3 else "b", position=i)
        for i, (start, text) in enumerate(zip(starts, texts, strict=True))
    )

    def summary(name: str, level: int, text: str, members: Sequence[Node], position: int = 0) -> Node:
        sources = tuple(merge(span for member in members for span in member.spans))
        ids = [member.node_id for member in members]
        parent = "r" if level == 1 else "t"
        return Node(
            *(name, "doc", level, sources[0].start, sources[-1].end, text, "", parent, position, {"members": ids}),
            sources=sources,
        )

    a, b = summary("a", 2, "apple", chunks[:3]), summary("b", 2, "pear", chunks[2:], 1)
    top = summary("t", 1, "apple pear plum", [a, b])
    root = Node("r", "doc", 0, 0, len(document.text), document.text)
    return Hierarchy(document, ((root,), (top,), (a, b), chunks), frozenset({1, 2, 3}))


def test_a_summary_leads_to_its_best_chunks_visitors_included(tmp_path):
    index = make_index(tmp_path / "index", small_tree())
    retriever = SummaryTreeRetriever(index)
    # "plum" scores 0.707 itself, as the summary b does; the top, with both words, scores 2 / (√2 · √3).
    first = retriever.retrieve("pear plum", 4)[0]
    assert first.text == "plum"
    assert first.score == pytest.approx(0.8165, abs=1e-4)
    assert [hit.node.node_id for hit in first.hits] == ["t", "c2", "b", "a"]  # sort_key
    # Only the words of a summary are asked for: its chunks are found all the same, and score as it does.
    (only,) = retriever.retrieve("pear kiwi", 1)
    assert (only.text, only.score) == ("plum kiwi", pytest.approx(0.5**0.5))
    assert [p.text for p in SummaryTreeRetriever(index, leaves=2).retrieve("pear kiwi", 3)] == [
        "plum",
        "plum kiwi",
        "fig kiwi",
    ]


def test_layers_follow_the_summaries_and_miss_what_they_do_not_say(tmp_path):
    index = make_index(tmp_path / "index", small_tree())
    narrow = SummaryTreeRetriever(index, "layers", width=1)
    # The best chunk for "fig pear" is "fig", but the way to it leads through "apple", which is not kept.
    assert SummaryTreeRetriever(index).retrieve("pear fig", 1)[0].text == "fig"
    assert [p.text for p in narrow.retrieve("pear fig", 1)] == ["plum"]
    assert {p.text for p in narrow.retrieve("pear fig", 4)} == {"fig", "fig kiwi", "plum", "plum kiwi"}
    assert narrow.retrieve("pear plum", 1)[0].hits[0].node.node_id == "c2"


def test_a_chunk_that_two_summaries_share_is_returned_once(tmp_path):
    index = make_index(tmp_path / "index", small_tree())
    for retriever in (SummaryTreeRetriever(index, leaves=3), SummaryTreeRetriever(index, "layers")):
        found = retriever.retrieve("apple pear plum", 9)
        assert sorted(p.text for p in found) == ["fig", "fig kiwi", "plum", "plum kiwi"]
        assert found == sorted(found, key=sort_key)


def test_passages_are_never_summaries(shelf):
    chunks = {
        doc_id: {leaf.span for leaf in hierarchy(document, sizes=(4,)).leaves}
        for doc_id, document in shelf.documents.items()
    }
    for search in ("collapsed", "layers"):
        for passages in SummaryTreeRetriever(shelf.index, search).retrieve_batch([DOG, "lake", "cat barn"], 50):
            assert passages
            assert all(passage.span in chunks[passage.doc_id] for passage in passages)


def test_the_number_of_table_queries_does_not_grow_with_the_hits(shelf, monkeypatch):
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    for k in (1, 4, 12):
        run[0] = 0
        assert SummaryTreeRetriever(shelf.index).retrieve(DOG, k)
        assert run[0] <= 2 + shelf.index.depth


def test_a_changed_document_is_followed(tmp_path):
    index = make_index(tmp_path / "index", tree("a", words(60)), tree("b", words(40, 3)))
    retriever = SummaryTreeRetriever(index)
    index.add(tree("a", "gull gull gull roof"))
    assert {p.doc_id for p in retriever.retrieve("gull roof", 1)} == {"a"}
    index.delete(["a"])
    assert {p.doc_id for p in retriever.retrieve("gull roof", 50)} == {"b"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (partial(SummaryTreeRetriever, search="sideways"), "search is 'sideways'; give one of collapsed, layers"),
        (partial(SummaryTreeRetriever, leaves=0), "leaves is 0; give 1 or more"),
        (partial(SummaryTreeRetriever, width=0), "width is 0; give 1 or more"),
        (partial(SummaryTreeRetriever, mode="dense"), "mode is 'dense'"),
    ],
)
def test_impossible_parameters_are_refused_when_made(shelf, make, message):
    with pytest.raises(ValueError, match=message):
        make(shelf.index)


def test_an_index_without_summaries_is_refused(tmp_path):
    index = make_index(tmp_path / "plain", hierarchy("a", words(60)))
    with pytest.raises(ValueError, match="level 1 is not searchable; this index has 2"):
        SummaryTreeRetriever(index)
    made = tree("b", words(60))
    nameless = [
        [Node(**{f: getattr(n, f) for f in Node.__slots__} | {"metadata": {}}) for n in lv] for lv in made.levels
    ]
    other = make_index(tmp_path / "nameless", Hierarchy(made.document, tuple(map(tuple, nameless)), made.searched))
    for search in ("collapsed", "layers"):
        with pytest.raises(ValueError, match="does not name its members; make the index of build_summary_tree"):
            SummaryTreeRetriever(other, search).retrieve("dog lake", 20)


def test_clusters_of_one_document_never_reach_into_another(tmp_path):
    """The forest: equal texts in two documents, each passage of a summary's document."""
    index = make_index(tmp_path / "index", tree("a", words(80)), tree("b", words(80)))
    for passage in SummaryTreeRetriever(index, leaves=3).retrieve("dog lake rain", 40):
        assert {hit.doc_id for hit in passage.hits} == {passage.doc_id}
    assert SoftClustering().cluster(np.zeros((0, 4))) == []
