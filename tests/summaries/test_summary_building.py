"""Clusters, and the trees of summaries that are made of them."""

import os
import subprocess
import sys
import warnings
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from hierrag_lessons.chunkers import StructureChunker, build_hierarchy
from hierrag_lessons.model import Document, Hierarchy, Span
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.spans import merge
from hierrag_lessons.store import Index
from hierrag_lessons.summaries import (
    CachedSummariser,
    ExtractiveSummariser,
    SoftClustering,
    Summary,
    build_summary_tree,
)
from hierrag_lessons.text import count_tokens
from tests.fakes import WordChunker, WordHashEmbedder
from tests.texts import HOSTILE

# Clusters


def check_clusters(vectors, clusters, clustering):
    """What the docstring promises."""
    n = len(vectors)
    assert sorted(place for cluster in clusters for place in cluster.home) == list(range(n))
    assert [cluster.home for cluster in clusters] == sorted(cluster.home for cluster in clusters)
    for cluster in clusters:
        assert list(cluster.home) == sorted(cluster.home)
        assert len(cluster.home) > 1 or len(clusters) == 1
        assert len(cluster.members) <= clustering.max_members
        assert list(cluster.members) == sorted({*cluster.home, *cluster.visitors})
        assert not set(cluster.home) & set(cluster.visitors)
        assert all(clustering.threshold <= share <= 1 for share in cluster.visitors.values())
    assert len(clusters) <= max(1, n // 2)


def blobs(centers, size, spread=0.01, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(center, spread, (size, len(center))) for center in centers])


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 45),
    st.sampled_from(["normal", "zeros", "equal", "two points", "half zero", "line", "directions", "tiny"]),
    st.integers(0, 5),
    st.sampled_from(
        [SoftClustering(), SoftClustering(0.01, 3), SoftClustering(1.0, 4, 2), SoftClustering(0.3, 50, 12)]
    ),
)
def test_any_vectors_are_clustered(n, kind, seed, clustering):
    rng = np.random.default_rng(seed)
    vectors = {
        "normal": rng.normal(size=(n, 8)),
        "zeros": np.zeros((n, 8)),
        "equal": np.ones((n, 8)),
        "two points": np.eye(8)[np.arange(n) % 2] if n else np.zeros((0, 8)),
        "half zero": rng.normal(size=(n, 8)) * (np.arange(n) % 2)[:, None],
        "line": np.arange(n)[:, None] * np.ones(8),
        "directions": np.eye(max(n, 1))[:n],
        "tiny": rng.normal(size=(n, 8)) * 1e-9,
    }[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clusters = clustering.cluster(vectors)
    check_clusters(vectors, clusters, clustering)
    assert clusters == clustering.cluster(vectors.copy())


@pytest.mark.parametrize("n", range(1, 11))
def test_one_to_ten_vectors(n):
    for vectors in (np.zeros((n, 4)), np.eye(max(n, 4))[:n], np.random.default_rng(n).normal(size=(n, 4))):
        check_clusters(vectors, SoftClustering().cluster(vectors), SoftClustering())


def test_clear_groups_are_found_wherever_they_stand():
    vectors = blobs(np.eye(4), 6)
    order = np.random.default_rng(1).permutation(24)
    clusters = SoftClustering().cluster(vectors[order])
    assert {frozenset(int(order[place]) // 6 for place in cluster.home) for cluster in clusters} == {
        frozenset({group}) for group in range(4)
    }
    assert not any(cluster.visitors for cluster in clusters)


def test_first_all_together_then_inside_each_cluster():
    """Two groups far apart, each of two that are near: the first step sees two, the second all four."""
    far = np.array([[10, 0, 0, 0], [0, 10, 0, 0]], float)
    near = np.array([[0, 0, 0.2, 0], [0, 0, 0, 0.2]], float)
    vectors = blobs([far[i] + near[j] for i in range(2) for j in range(2)], 7, 0.005)
    clusters = SoftClustering(dims=1).cluster(vectors)
    assert [cluster.home for cluster in clusters] == [tuple(range(i * 7, i * 7 + 7)) for i in range(4)]


def test_what_lies_between_two_groups_belongs_to_both():
    left, right = blobs([[0.0, 0.0]], 40, 0.5), blobs([[4.0, 0.0]], 40, 0.5, seed=1)
    vectors = np.concatenate([left, right, [(left.mean(axis=0) + right.mean(axis=0)) / 2]])
    clusters = SoftClustering(max_members=100).cluster(vectors)
    assert len(clusters) == 2
    home = [80 in cluster.home for cluster in clusters]
    assert home.count(True) == 1
    visited = clusters[home.index(False)]
    assert 0.1 <= visited.visitors[80] <= 0.5
    assert 80 in visited.members
    strict = SoftClustering(threshold=0.9, max_members=100).cluster(vectors)
    assert not any(cluster.visitors for cluster in strict)


def test_inseparable_vectors_are_cut_in_their_order():
    clusters = SoftClustering(max_members=10).cluster(np.ones((23, 4)))
    assert [cluster.home for cluster in clusters] == [
        tuple(range(8)),
        tuple(range(8, 16)),
        tuple(range(16, 23)),
    ]


SCRIPT = """
import numpy as np
from hierrag_lessons.summaries import SoftClustering
vectors = np.random.default_rng(3).normal(size=(70, 40)).astype(np.float32)
print(repr(SoftClustering().cluster(vectors)))
"""


def test_the_same_clusters_in_another_process_with_other_threads():
    vectors = np.random.default_rng(3).normal(size=(70, 40)).astype(np.float32)
    here = SoftClustering().cluster(vectors)
    with threadpool_limits(2):
        assert SoftClustering().cluster(vectors) == here
    environment = os.environ | {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "PYTHONHASHSEED": "7"}
    there = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=True, timeout=120
    )
    assert there.stdout.strip() == repr(here)
    assert there.stderr == ""
    # The last bits of the vectors, in which machines differ, change nothing.
    assert SoftClustering().cluster(vectors.astype(np.float64) + 1e-9) == here


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SoftClustering(threshold=0), "threshold is 0; give more than 0"),
        (lambda: SoftClustering(threshold=float("nan")), "threshold is nan"),
        (lambda: SoftClustering(max_members=2), "max_members is 2; give 3 or more"),
        (lambda: SoftClustering(dims=0), "dims is 0; give 1 or more"),
        (lambda: SoftClustering().cluster(np.ones(4)), r"vectors have the shape \(4,\)"),
        (lambda: SoftClustering().cluster(np.full((3, 4), np.nan)), r"vectors have the shape \(3, 4\)"),
    ],
)
def test_impossible_settings_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# Trees

VOCABULARY = ["cat", "dog", "lake", "barn", "hill", "rain", "boat", "gull", "roof", "wind"]


def words(number: int, seed: int = 0) -> str:
    return " ".join(np.random.default_rng(seed).choice(VOCABULARY, number))


def build(document: Document | str, size: int = 4, **settings) -> Hierarchy:
    made = document if isinstance(document, Document) else Document("doc", document)
    return build_summary_tree(
        made, [WordChunker(size)], settings.pop("summariser", None), WordHashEmbedder(), max_tokens=30, **settings
    )


def check_tree(made: Hierarchy, size: int = 4) -> None:
    """What the docstring promises."""
    document, leaves = made.document, build_hierarchy(made.document, [WordChunker(size)]).leaves
    sizes = [len(level) for level in made.levels]
    assert made.root == build_hierarchy(document, [WordChunker(size)]).root
    assert [leaf.span for leaf in made.leaves] == [leaf.span for leaf in leaves]
    assert made.searched == frozenset(range(1, len(sizes)))
    if not leaves:
        assert sizes == [1, 0]
        return
    assert sizes[:2] == [1, 1]
    assert all(few < many for few, many in pairwise(sizes[1:]))
    assert len({node.node_id for node in made}) == sum(sizes)
    for level, nodes in enumerate(made.levels):
        assert [(node.level, node.position) for node in nodes] == [(level, place) for place in range(len(nodes))]
        assert [node.span for node in nodes] == sorted(node.span for node in nodes)
        for node in nodes[: len(nodes) if level else 0]:
            parent = made.parent(node)
            assert parent.level == level - 1
            if level > 1:
                assert node.node_id in parent.metadata["members"]
            assert node.derived == (level < len(sizes) - 1)
            if node.derived:
                members = [made.node(name) for name in node.metadata["members"]]
                assert {member.level for member in members} == {level + 1}
                assert {child.node_id for child in made.children(node)} <= set(node.metadata["members"])
                assert len(made.children(node)) > 1
                assert list(node.sources) == merge(span for member in members for span in member.spans)
                assert node.span == Span(node.sources[0].start, node.sources[-1].end)
                assert node.metadata["summariser"] == "extractive"
                cites = [Span(*cite) for cite in node.metadata["cites"]]
                assert node.text == "\n".join(document.text[start:end] for start, end in cites)
                assert merge([*cites, *node.sources]) == list(node.sources)
    if len(sizes) > 2:
        assert list(made.levels[1][0].sources) == merge(leaf.span for leaf in leaves)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 160), st.integers(0, 9), st.sampled_from([1, 4]))
def test_any_tree(number, seed, size):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_tree(build(words(number, seed), size), size)


@pytest.mark.parametrize("chunks", range(11))
@pytest.mark.parametrize("text", ["dog", "!", "all different"])
def test_no_to_ten_chunks_equal_wordless_or_different(chunks, text):
    """ "!" has a vector of zeros."""
    pieces = [f"word{i}" if text == "all different" else text for i in range(chunks)]
    made = build(" ".join(pieces), 1)
    check_tree(made, 1)
    assert len(made.leaves) == chunks


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts(text):
    check_tree(build("\n\n".join([text, "dog", text, "cat rain"]), 1), 1)


def test_a_document_of_one_chunk_is_its_own_root():
    made = build("dog cat")
    assert [[node.text for node in level] for level in made.levels] == [["dog cat"], ["dog cat"]]
    assert not made.levels[1][0].derived


def test_an_index_takes_blank_and_short_and_long_documents(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    texts = {"blank": " \n ", "one": "dog cat", "long": words(150)}
    trees = {name: build(Document(name, text)) for name, text in texts.items()}
    index.add(trees.values())
    assert index.count() == sum(len(level) for made in trees.values() for level in made.levels)
    assert {hit.doc_id for hit in index.search("dog", 50)} == {"one", "long"}
    stored = index.nodes([node.node_id for node in trees["long"]])
    assert [(n.text, n.sources, n.metadata) for n in stored] == [(n.text, n.sources, n.metadata) for n in trees["long"]]


class Counting:
    """An extractive summariser that counts what it is asked."""

    name = "extractive"

    def __init__(self):
        self.asked = []

    def summarise(self, document, nodes, max_tokens):
        self.asked.append(tuple(node.text for node in nodes))
        return ExtractiveSummariser().summarise(document, nodes, max_tokens)


def groups(texts: dict[str, int]) -> str:
    """Each word's own lines: groups that any clustering must find, in an order that says nothing."""
    lines = [f"{word} {word} {word} {word}{number}" for word, times in texts.items() for number in range(times)]
    return "\n".join(sorted(lines, key=lambda line: line[::-1]))


def test_only_clusters_with_new_members_are_summed_up_again():
    counting = Counting()
    cached = CachedSummariser(counting)
    text = groups(dict.fromkeys(VOCABULARY[:4], 6))
    first = build(text, summariser=cached)
    calls = len(counting.asked)
    assert calls == sum(len(level) for level in first.levels[1:-1])
    assert build(text, summariser=cached) == first
    assert len(counting.asked) == calls
    # The document again, with another name and a title in front: not one cluster is new.
    moved = build(Document("again", f"    \n{text}"), summariser=cached)
    assert len(counting.asked) == calls
    assert [n.text for n in moved] == [f"    \n{text}", *[n.text for n in first][1:]]
    # One chunk changes: the clusters that hold it, and what stands above them, are summed up; no others.
    changed = build(text.replace("cat cat cat cat3", "cat cat cat cat33"), summariser=cached)
    check_tree(changed)
    known = {tuple(first.node(name).text for name in n.metadata["members"]) for n in first if n.derived}
    now = {tuple(changed.node(name).text for name in n.metadata["members"]) for n in changed if n.derived}
    assert Counter(counting.asked[calls:]) == Counter(now - known)
    assert 0 < len(now - known) < len(now)
    assert changed == build(changed.document)


def test_adding_a_document_touches_no_other_tree(tmp_path):
    embedder = WordHashEmbedder()
    index = Index.create(tmp_path / "index", embedder)
    counting = Counting()
    index.add(build(Document("a", words(90)), summariser=counting))
    rows = {node.node_id: node for node in build(Document("a", words(90)))}
    asked, embedded = len(counting.asked), len(embedder.calls)
    second = build(Document("b", words(60, 5)), summariser=counting)
    index.add(second)
    assert len(counting.asked) - asked == sum(len(level) for level in second.levels[1:-1])
    texts = {node.embedding_text for level in second.levels[1:] for node in level}
    assert {text for call in embedder.calls[embedded:] for text in call} == texts
    assert {node.node_id: node for node in index.nodes(list(rows))} == rows


def test_summaries_are_made_of_what_the_summaries_below_cite():
    class Watching(Counting):
        def summarise(self, document, nodes, max_tokens):
            for node in nodes:
                if node.derived:
                    cited = [document.text[start:end] for start, end in node.sources]
                    assert " ".join(cited).split() == node.text.split()
            return super().summarise(document, nodes, max_tokens)

    watching = Watching()
    check_tree(build(words(160), summariser=watching))
    assert watching.asked


def test_a_summary_has_the_headings_that_its_members_share():
    text = "# Book\n\n## One\n\n" + words(40) + "\n\n## Two\n\n" + words(40, 1)
    made = build_summary_tree(
        Document("book", text, "markdown"), [StructureChunker(60, 5), StructureChunker(12, 2)], None, WordHashEmbedder()
    )
    assert {leaf.context for leaf in made.leaves} == {"Book › One", "Book › Two"}
    assert made.levels[1][0].context == "Book"
    for node in (node for level in made.levels[1:-1] for node in level):
        contexts = {made.node(name).context for name in node.metadata["members"]}
        assert node.context == (contexts.pop() if len(contexts) == 1 else "Book")


def test_a_summariser_without_words_or_cites_leaves_a_tree():
    class Silent:
        name = "silent"

        def summarise(self, document, nodes, max_tokens):
            return Summary("", ())

    made = build(words(90), summariser=Silent())
    assert len(made.levels[1]) == 1
    assert made.levels[1][0].sources == tuple(merge(leaf.span for leaf in made.leaves))


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"max_tokens": 0}, "max_tokens is 0; give 1 or more"), ({"chunkers": []}, "chunkers is empty")],
)
def test_impossible_trees_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        build_summary_tree(Document("doc", "dog cat"), **{"chunkers": [WordChunker(1)]} | settings)


@pytest.mark.parametrize(("language", "name"), [("en", "en/news_03"), ("zh", "zh/support_chats/zh-chat-001")])
def test_a_real_text_with_the_default_models(language, name):
    document = next(document for document in load_corpus(language) if document.doc_id == name)
    made = build_summary_tree(document, [StructureChunker(60, 20)])
    assert made == build_summary_tree(replace(document), [StructureChunker(60, 20)])
    assert len(made.levels) > 2
    assert all(count_tokens(node.text) <= 150 for level in made.levels[1:-1] for node in level)
