import math
import re
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lancedb.query import AsyncQueryBase

from hierrag_lessons import check_retriever
from hierrag_lessons.chunkers import FixedSizeChunker, SentenceChunker, StructureChunker, build_hierarchy
from hierrag_lessons.context import retrieve_contexts
from hierrag_lessons.contracts.shelf import QUERIES, make_shelf
from hierrag_lessons.model import Document, Hierarchy, Hit, Node, Passage, Span, sort_key
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.retrievers import (
    LocalWindow,
    ParentChildRetriever,
    density_score,
    reciprocal_rank_score,
    weighted_score,
)
from hierrag_lessons.spans import overlap
from hierrag_lessons.store import Family, Index
from hierrag_lessons.text import count_tokens, snap, split_sentences
from tests.fakes import ZOO, WordHashEmbedder, hierarchy
from tests.texts import HOSTILE, texts

RULES = ("weighted", "density", "reciprocal_rank")
UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff々〇〆]"


@dataclass(frozen=True)
class SharedWords:
    """A reranker with scores below 0, as logits have: how many words of the query a text has, minus 5."""

    def score(self, query, texts):
        words = set(query.split())
        return np.array([len(words & set(text.split())) - 5.0 for text in texts])


def overlapping(document: Document) -> Hierarchy:
    """Parents of 90 characters that share 40 with the next one, children of 30 that share 10."""
    return build_hierarchy(document, [FixedSizeChunker(90, 40, measure=len), FixedSizeChunker(30, 10, measure=len)])


def with_keys(document: Document) -> Hierarchy:
    """Under each leaf of four words a derived node: its words in upper case, which stand nowhere."""
    made = hierarchy(document)
    keys = tuple(
        Node(f"key of {leaf.node_id}", leaf.doc_id, 3, leaf.start, leaf.end, leaf.text.upper() + ".", "", leaf.node_id,
             leaf.position, sources=(leaf.span,))
        for leaf in made.leaves
    )  # fmt: skip
    return Hierarchy(document, (*made.levels, keys))


def summed_up(document: Document) -> Hierarchy:
    """Two leaves in a parent, every second pair further on: a derived parent that stands for two places."""
    root, _, leaves = hierarchy(document).levels
    groups = [leaves[i::2] for i in range(2) if leaves[i::2]]
    parents = [
        Node(f"{document.doc_id}:group {n}", document.doc_id, 1, group[0].start, group[-1].end, "so much for that",
             "Summary", root[0].node_id, n, sources=tuple(leaf.span for leaf in group))
        for n, group in enumerate(groups)
    ]  # fmt: skip
    owner = {leaf.node_id: parent.node_id for group, parent in zip(groups, parents, strict=True) for leaf in group}
    below = tuple(Node(**{**fields(leaf), "parent_id": owner[leaf.node_id]}) for leaf in leaves)
    return Hierarchy(document, (root, tuple(parents), below))


def fields(node: Node) -> dict:
    return {name: getattr(node, name) for name in Node.__slots__}


CHARACTERS = LocalWindow(20, gap=5)
CONFIGURATIONS = {
    "density": partial(ParentChildRetriever, score="density"),
    "reciprocal rank": partial(ParentChildRetriever, score="reciprocal_rank", mode="text"),
    "growing": partial(ParentChildRetriever, children=2, children_per_passage=2),
    "reranked": partial(ParentChildRetriever, reranker=SharedWords()),
    "reranked density": partial(ParentChildRetriever, reranker=SharedWords(), score="density", mode="hybrid"),
    "windows": partial(ParentChildRetriever, window=CHARACTERS),
    "whole sentences": partial(ParentChildRetriever, window=LocalWindow(40, edges="sentence"), mode="text"),
    "hits alone": partial(ParentChildRetriever, window=LocalWindow(0, gap=0), score="reciprocal_rank"),
    "siblings": partial(ParentChildRetriever, window=LocalWindow(0, siblings=1, gap=2), mode="hybrid"),
    "all at once": partial(
        ParentChildRetriever, window=LocalWindow(10, 1, 0), reranker=SharedWords(), children_per_passage=4
    ),
}
WINDOWED = [name for name, make in CONFIGURATIONS.items() if "window" in make.keywords]


SHELVES = {
    "en": {"build_hierarchy": hierarchy},
    "zh": {"build_hierarchy": hierarchy, "language": "zh"},
    "overlapping": {"build_hierarchy": overlapping},
    "derived children": {"build_hierarchy": with_keys},
    "derived parents": {"build_hierarchy": summed_up},
}


@pytest.fixture(scope="module")
def shelves():
    return {name: make_shelf(**options) for name, options in SHELVES.items()}


@pytest.mark.parametrize(
    ("name", "shelf"),
    [
        ("growing", "en"),
        ("whole sentences", "en"),
        ("siblings", "en"),
        ("all at once", "en"),
        ("reciprocal rank", "overlapping"),
        ("reranked density", "overlapping"),
        ("windows", "overlapping"),
        ("hits alone", "overlapping"),
        ("density", "zh"),
        ("reranked", "derived children"),
        ("all at once", "derived parents"),
    ],
)
def test_every_promise(name, shelf):
    """Every configuration, and every shelf; not each with each, which takes minutes."""
    check_retriever(CONFIGURATIONS[name], **SHELVES[shelf], finds_all=False)  # the number of children is limited


# The rules.


def test_the_rules_by_hand():
    assert weighted_score([0.8, 0.4], 4, 0.7, 0.3) == pytest.approx(0.7 * 0.8 + 0.3 * 0.6 + 0.3 * 2 / 4)
    assert weighted_score([0.5], 1, 1.0, 0.0) == 0.5
    assert density_score([0.0, math.log(2)], 100) == pytest.approx(3 / 100)
    assert density_score([-1.0], 1) == pytest.approx(1 / math.e)
    assert weighted_score([0.8, 0.4], 4) == weighted_score([0.8, 0.4], 4, 0.7, 0.0)
    assert reciprocal_rank_score([1, 3]) == pytest.approx(1 + 1 / 3)
    assert reciprocal_rank_score([1, 3], 60) == pytest.approx(1 / 61 + 1 / 63)
    assert reciprocal_rank_score([40], 60) == 1 / 100


def test_a_long_parent_with_more_hits_loses_by_density():
    assert density_score([0.6, 0.6, 0.6], 2400) < density_score([0.6], 600)
    assert reciprocal_rank_score([2, 3, 4], 60) > reciprocal_rank_score([1], 60)


@pytest.mark.parametrize("last", range(3, 31))
def test_the_first_place_outweighs_two_later_ones_whatever_they_are(last):
    """With the constant of rank fusion any two of 30 places outweigh the first, and by ranks alone none do."""
    for rank in range(2, last):
        assert reciprocal_rank_score([rank, last], 60) > reciprocal_rank_score([1], 60)
        assert reciprocal_rank_score([rank, last]) < reciprocal_rank_score([1])


def said_of_dogs(tmp_path, families):
    """An index of parents with these sentences: the word dog, if the number is not 0, among so many words in all."""
    words, sections, leaves = iter(range(9999)), [], []
    for number, sizes in enumerate(families):
        start = end = leaves[-1].end + 3 if leaves else 0
        for size in sizes:
            said = " ".join(["dog" if size else "none", *(f"w{next(words)}" for _ in range(size - 1))])
            begin = end + 1 if end > start else start
            end = begin + len(said)
            leaves.append(Node(f"l{len(leaves)}", "d", 2, begin, end, said, "", f"s{number}", len(leaves)))
        sections.append(Node(f"s{number}", "d", 1, start, end, "", str(number), "r", number))
    text = "".join(" " * (leaf.start - (leaves[i - 1].end if i else 0)) + leaf.text for i, leaf in enumerate(leaves))
    sections = [Node(**{**fields(section), "text": text[section.start : section.end]}) for section in sections]
    index = Index.create(tmp_path / "index", WordHashEmbedder(dim=65536))
    root = Node("r", "d", 0, 0, len(text), text)
    index.add(Hierarchy(Document("d", text), ((root,), tuple(sections), tuple(leaves))))
    return index


def test_three_last_places_do_not_beat_the_first(tmp_path):
    """The trap of the constant 60: the number of hits swamps their ranks, and the parent of the worst comes first."""
    index = said_of_dogs(tmp_path, [*([i] for i in range(1, 18)), [18, 19, 20]])
    assert [hit.node.node_id for hit in index.search("dog", 20)] == [f"l{i}" for i in range(20)]
    for constant, first in ((60, "17"), (0, "0")):
        retriever = ParentChildRetriever(index, score="reciprocal_rank", constant=constant)
        assert retriever.retrieve("dog", 1)[0].context == first
    assert ParentChildRetriever(index, score="reciprocal_rank").constant == 0


def test_coverage_lets_a_poor_only_child_beat_three_better_hits(tmp_path):
    """Cosines of 0.58, 0.50 and 0.45 in a family of eight; 0.41 in a family of one, all of which was found."""
    index = said_of_dogs(tmp_path, [[3, 4, 5, 0, 0, 0, 0, 0], [6]])
    for options, first in (({"coverage": 0.3}, "1"), ({}, "0")):
        assert ParentChildRetriever(index, children=4, **options).retrieve("dog", 1)[0].context == first


class Shelf:
    """What a retriever asks of an index, with hits given in advance."""

    def __init__(self, made: Hierarchy, scores: list[float]) -> None:
        self.made = made
        hits = [Hit(leaf, score) for leaf, score in zip(made.leaves, scores, strict=True)]
        self.hits = sorted(hits, key=sort_key)

    def check_level(self, level):
        assert level is None

    def snapshot(self):
        return self

    def search_batch(self, queries, k, mode, level, where=None):
        return [self.hits[:k] for _ in queries]

    def families(self, nodes):
        parents = dict.fromkeys(node.parent_id for node in nodes)
        return [Family(self.made.node(name), len(self.made.children(self.made.node(name)))) for name in parents]

    def windows(self, nodes, before, after):
        leaves = self.made.leaves
        return [list(leaves[max(0, n.position - before) : n.position + after + 1]) for n in nodes]


@st.composite
def libraries(draw, content=texts):
    """One document with random parents that may overlap, random children in them, and the children's scores."""
    text = draw(content.filter(lambda made: len(made) > 2))
    cuts = [cut for cut in range(len(text) + 1) if snap(text, cut) == cut]
    spans = st.tuples(st.sampled_from(cuts), st.sampled_from(cuts)).map(sorted).filter(lambda pair: pair[0] < pair[1])
    parents, leaves = [], []
    for start, end in sorted(draw(st.lists(spans, min_size=1, max_size=4))):
        name = f"p{len(parents)}"
        parents.append(Node(name, "d", 1, start, end, text[start:end], f"Heading {name}", "root", len(parents)))
        inside = st.sampled_from([cut for cut in cuts if start <= cut <= end])
        pairs = st.tuples(inside, inside).map(sorted).filter(lambda pair: pair[0] < pair[1])
        for a, b in sorted(draw(st.lists(pairs, min_size=1, max_size=5))):
            leaves.append(Node(f"c{len(leaves)}", "d", 2, a, b, text[a:b], "", name, len(leaves)))
    root = Node("root", "d", 0, 0, len(text), text)
    scores = draw(st.lists(st.floats(-1, 1).map(lambda x: round(x, 2)), min_size=len(leaves), max_size=len(leaves)))
    return Shelf(Hierarchy(Document("d", text), ((root,), tuple(parents), tuple(leaves))), scores)


@settings(deadline=None)
@given(
    libraries(),
    st.sampled_from(RULES),
    st.integers(1, 12),
    st.integers(0, 3),
    st.integers(1, 6),
    st.sampled_from([0, 60]),
)
def test_parents_are_scored_by_their_rule(shelf, rule, children, each, k, constant):
    """The scores from their definition, child by child."""
    considered = shelf.hits[: max(children, each * k)]
    expected = {}
    for parent in shelf.made.levels[1]:
        own = [(rank, hit) for rank, hit in enumerate(considered, 1) if hit.node.parent_id == parent.node_id]
        if not own:
            continue
        values = [hit.score for _, hit in own]
        of_all = len([leaf for leaf in shelf.made.leaves if leaf.parent_id == parent.node_id])
        score = {
            "weighted": 0.6 * max(values) + 0.4 * sum(values) / len(values) + 0.5 * len(values) / of_all,
            "density": sum(math.e**value for value in values) / len(parent.text),
            "reciprocal_rank": sum(1 / (constant + rank) for rank, _ in own),
        }[rule]
        place = (parent.doc_id, parent.start, parent.end)
        expected[place] = max(score, expected.get(place, -math.inf))  # Parents with one span are one passage.
    retriever = ParentChildRetriever(
        shelf, None, children, 0.6, 0.5, score=rule, children_per_passage=each, constant=constant
    )
    passages = retriever.retrieve("anything", k)
    assert {(p.doc_id, p.start, p.end): pytest.approx(p.score) for p in passages}.items() <= expected.items()
    assert [p.score for p in passages] == pytest.approx(sorted(expected.values(), reverse=True)[:k])


@pytest.mark.parametrize("rule", RULES)
def test_a_single_query_and_a_batch_with_others_score_alike(shelves, rule):
    retriever = ParentChildRetriever(shelves["en"].index, score=rule, reranker=SharedWords(), window=CHARACTERS)
    assert retriever.retrieve_batch([*QUERIES, ""], 4) == [retriever.retrieve(query, 4) for query in [*QUERIES, ""]]


# Windows.


def word_edge(text: str, cut: int, side: str) -> bool:
    """Whether a window may start (or end) here, from what stands on the two sides."""
    if cut in (0, len(text)):
        return cut == (0 if side == "start" else len(text))
    before, after = text[cut - 1], text[cut]
    if side == "start":
        free = (before.isspace() and not after.isspace()) or bool(re.match(UNSPACED, after))
    else:
        free = (after.isspace() and not before.isspace()) or bool(re.match(UNSPACED, before))
    return free and snap(text, cut) == cut


def expected_windows(text: str, found: list[Span], window: LocalWindow) -> list[Span]:
    """Character by character: hits, everything between close ones, then outwards as far as an edge allows."""
    shown = [any(start <= place < end for start, end in found) for place in range(len(text))]
    runs: list[list[int]] = []
    for place, inside in enumerate(shown):
        if inside and runs and place - runs[-1][1] <= 2 * window.characters + window.gap:
            runs[-1][1] = place + 1
        elif inside:
            runs.append([place, place + 1])
    sentences = split_sentences(text)
    made = []
    for first, last in runs:
        starts = range(max(0, first - window.characters), first + 1)
        ends = range(last, min(len(text), last + window.characters) + 1)
        if window.characters == 0:
            starts, ends = [first], [last]
        elif window.edges == "sentence":
            starts = [cut for cut in starts if cut in {sentence.start for sentence in sentences}]
            ends = [cut for cut in ends if cut in {sentence.end for sentence in sentences}]
        else:
            starts = [cut for cut in starts if word_edge(text, cut, "start")]
            ends = [cut for cut in ends if word_edge(text, cut, "end")]
        made.append(Span(min([*starts, first]), max([*ends, last])))
    return made


# Of the scripts without spaces the pattern of the oracle knows the ones that these texts hold.
@settings(deadline=None, max_examples=200)
@given(
    texts.filter(lambda made: not re.search(r"[\U00010000-\U0010ffff\u2e80-\u2fff\ua000-\ufaff\uff66-\uff9f]", made)),
    st.data(),
    st.builds(LocalWindow, st.integers(0, 40), st.just(0), st.integers(0, 30), st.sampled_from(["word", "sentence"])),
)
def test_windows_are_as_large_as_they_may_be(text, data, window):
    cuts = st.sampled_from([cut for cut in range(len(text) + 1) if snap(text, cut) == cut])
    pairs = data.draw(st.lists(st.tuples(cuts, cuts).map(sorted), max_size=5))
    found = [Span(*pair) for pair in pairs if pair[0] < pair[1]]
    windows = window.around(text, found)
    assert windows == expected_windows(text, found, window)
    assert all(snap(text, cut) == cut for made in windows for cut in made)
    assert all(b.start - a.end > window.gap for a, b in pairwise(windows))


@settings(deadline=None)
@given(
    libraries(), st.builds(LocalWindow, st.integers(0, 30), st.integers(0, 2), st.integers(0, 20)), st.integers(1, 9)
)
def test_windows_are_disjoint_and_stay_in_their_parents(shelf, window, k):
    passages = ParentChildRetriever(shelf, window=window).retrieve("anything", k)
    whole = ParentChildRetriever(shelf).retrieve("anything", k)
    assert 0 < len(passages) <= k
    for passage, other in pairwise(sorted(passages, key=lambda p: p.start)):
        assert passage.end <= other.start
    for passage in passages:
        assert any(
            parent.start <= passage.start
            and passage.end <= parent.end
            and (passage.score, passage.context) == (parent.score, parent.context)
            for parent in whole
        )
        assert passage.text == shelf.made.document.text[passage.start : passage.end]
    assert max(passages[0].hits, key=lambda hit: hit.score).score == whole[0].hits[0].score or k > 1
    shown = {hit.node.node_id for passage in passages for hit in passage.hits}
    if k >= len(shelf.hits) and not any(overlap(a.span, b.span) for a, b in pairwise(whole)):
        assert shown == {hit.node.node_id for parent in whole for hit in parent.hits}


TEXT = "One two three. Four five six. Seven eight nine. Ten eleven twelve."


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (LocalWindow(0, gap=0), ["Four five", "Ten"]),
        (LocalWindow(6, gap=0), ["Four five six.", "nine. Ten"]),
        (LocalWindow(8, gap=0), ["three. Four five six.", "nine. Ten eleven"]),
        (LocalWindow(6, gap=12), ["Four five six. Seven eight nine. Ten"]),
        (LocalWindow(15, gap=0, edges="sentence"), [TEXT]),
        (LocalWindow(14, gap=0, edges="sentence"), ["Four five six. Seven eight nine. Ten"]),
        (LocalWindow(10, gap=0, edges="sentence"), ["Four five six.", "Ten"]),
    ],
)
def test_windows_by_hand(window, expected):
    found = [Span(TEXT.index(words), TEXT.index(words) + len(words)) for words in ("Four five", "Ten")]
    assert [TEXT[start:end] for start, end in window.around(TEXT, found)] == expected


def test_chinese_windows_cut_between_characters_and_at_whole_sentences():
    text = "他说：“今天下雨了。”然后他走了。路上没有人。雨一直下到晚上。"
    found = [Span(text.index("走了"), text.index("走了") + 2)]
    assert [text[a:b] for a, b in LocalWindow(4).around(text, found)] == ["”然后他走了。路上没"[1:]]
    (sentence,) = LocalWindow(9, edges="sentence").around(text, found)
    assert text[sentence.start : sentence.end] == "然后他走了。路上没有人。"


@pytest.mark.parametrize("text", [text for text in HOSTILE.values() if len(text) > 3])
def test_no_window_cuts_a_character_that_a_reader_sees(text):
    cuts = [cut for cut in range(len(text) + 1) if snap(text, cut) == cut]
    for first, last in pairwise(cuts):
        for window in (LocalWindow(1, gap=0), LocalWindow(3, gap=0), LocalWindow(7, gap=0, edges="sentence")):
            (made,) = window.around(text, [Span(first, last)])
            assert made.start <= first
            assert made.end >= last
            assert [snap(text, cut) for cut in made] == list(made)


def test_siblings_come_from_the_same_parent_only(shelves):
    shelf = shelves["en"]
    retriever = ParentChildRetriever(shelf.index, window=LocalWindow(0, siblings=9, gap=1), children=2)
    whole = {(p.doc_id, p.span) for p in ParentChildRetriever(shelf.index, children=2).retrieve("deep blue lake", 9)}
    assert {(p.doc_id, p.span) for p in retriever.retrieve("deep blue lake", 9)} == whole
    one = ParentChildRetriever(shelf.index, window=LocalWindow(0, siblings=1, gap=1), children=1)
    (passage,) = one.retrieve("gulls boats")
    leaves = hierarchy(shelf.documents[passage.doc_id]).leaves
    (hit,) = passage.hits
    around = [leaf for leaf in leaves if abs(leaf.position - hit.node.position) <= 1]
    around = [leaf for leaf in around if leaf.parent_id == hit.node.parent_id]
    assert passage.span == (around[0].start, around[-1].end)


def test_a_neighbour_in_another_parent_is_no_sibling_even_where_parents_overlap():
    text = "one two three four five"
    parents = tuple(
        Node(f"p{i}", "d", 1, a, b, text[a:b], "", "root", i) for i, (a, b) in enumerate([(0, 18), (8, 23)])
    )
    places = [(0, 3, "p0"), (4, 7, "p0"), (8, 13, "p1"), (14, 18, "p1")]
    leaves = tuple(Node(f"c{i}", "d", 2, a, b, text[a:b], "", name, i) for i, (a, b, name) in enumerate(places))
    root = Node("root", "d", 0, 0, len(text), text)
    shelf = Shelf(Hierarchy(Document("d", text), ((root,), parents, leaves)), [0.1, 0.9, 0.2, 0.3])
    (passage,) = ParentChildRetriever(shelf, children=1, window=LocalWindow(0, siblings=1, gap=2)).retrieve("any")
    assert passage.text == "one two"


@pytest.mark.parametrize("name", WINDOWED)
def test_no_text_comes_twice_even_where_parents_overlap(shelves, name):
    for shelf in shelves.values():
        for passages in CONFIGURATIONS[name](shelf.index).retrieve_batch(QUERIES, 30):
            for passage, other in pairwise(sorted(passages, key=lambda p: (p.doc_id, p.start))):
                assert passage.doc_id != other.doc_id or passage.end <= other.start


def test_where_k_cuts_a_parents_windows_the_best_hits_stay(tmp_path):
    text = "pear apple " + "plum plum " * 15 + "apple apple " + "plum plum " * 15
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(hierarchy(Document("d", text), sizes=[999, 2]))
    retriever = ParentChildRetriever(index, children=2, window=LocalWindow(0, gap=0))
    both = retriever.retrieve("apple", 5)
    assert [passage.text for passage in both] == ["pear apple", "apple apple"]
    (one,) = retriever.retrieve("apple", 1)
    assert one == both[1]
    assert one.text == "apple apple"


# Reranking, and how many children are searched.


def test_children_are_reranked_before_their_parents_are_scored(tmp_path):
    """By vectors the first section wins; the reranker reads the word that only the second one has."""
    document = Document("d", "dog dog dog cat | dog barn rare hill red")
    spans = [(0, 15), (18, 40)]
    sections = tuple(
        Node(f"s{i}", "d", 1, a, b, document.text[a:b], f"Part {i}", "r", i) for i, (a, b) in enumerate(spans)
    )
    leaves = tuple(Node(f"l{i}", "d", 2, a, b, document.text[a:b], "", f"s{i}", i) for i, (a, b) in enumerate(spans))
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(Hierarchy(document, ((Node("r", "d", 0, 0, 40, document.text),), sections, leaves)))
    plain = ParentChildRetriever(index).retrieve("dog rare")
    assert plain[0].context == "Part 0"
    reranked = ParentChildRetriever(index, reranker=SharedWords()).retrieve("dog rare")
    assert [passage.context for passage in reranked] == ["Part 1", "Part 0"]
    # Places between the worst (0) and the best (1).
    assert [passage.score for passage in reranked] == pytest.approx([1, 0])
    assert [passage.hits[0].score for passage in reranked] == [-3.0, -4.0]


def test_a_reranker_is_not_asked_about_nothing(shelves):
    @dataclass(frozen=True)
    class Strict:
        def score(self, query, texts):
            assert texts
            return np.zeros(len(texts))

    retriever = ParentChildRetriever(shelves["en"].index, reranker=Strict())
    assert retriever.retrieve_batch(["", "  "]) == [[], []]
    scores = {passage.score for passage in retriever.retrieve("the running dog", 3)}
    assert scores == {1.0}  # All equal: each child counts 1.


def test_how_many_children_are_searched(shelves, monkeypatch):
    asked = []
    search = Index.search_batch

    def spy(self, queries, k, **options):
        asked.append(k)
        return search(self, queries, k, **options)

    monkeypatch.setattr(Index, "search_batch", spy)
    for k in (1, 5, 20):
        ParentChildRetriever(shelves["en"].index).retrieve("dog", k)
        ParentChildRetriever(shelves["en"].index, children_per_passage=6).retrieve("dog", k)
    assert asked == [30, 30, 30, 30, 30, 120]


def test_large_contexts_fill_where_the_children_grow(tmp_path):
    words = " ".join(f"dog number {number} sleeps." for number in range(3000))
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(build_hierarchy(Document("d", words), [FixedSizeChunker(60), FixedSizeChunker(12)]))
    for window in (None, LocalWindow(20)):
        make = partial(ParentChildRetriever, index, children=10, window=window)
        for each, full in ((0, False), (4, True)):
            (contexts,) = retrieve_contexts(make(children_per_passage=each), ["dog sleeps"], [4000])
            used = sum(count_tokens(passage.text) for passage in contexts[4000])
            assert (3990 <= used <= 4000) == full


def test_the_number_of_table_queries_is_constant(shelves, monkeypatch):
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    queries = ["lake gulls boats", "barn roof", "hill home"]
    for window, expected in ((None, 2), (LocalWindow(), 2), (LocalWindow(0, siblings=2), 3)):
        for k in (1, 6):
            run[0] = 0
            retriever = ParentChildRetriever(shelves["en"].index, children=4, window=window, reranker=SharedWords())
            found = retriever.retrieve_batch(queries, k)
            assert all(found)
            assert run[0] == expected
    run[0] = 0
    assert ParentChildRetriever(shelves["derived parents"].index, children=4).retrieve("lake gulls boats")
    assert run[0] == 3


# Any chunker over any chunker, and nodes that are derived.


CHUNKERS = [FixedSizeChunker(300, 60, measure=len), StructureChunker(120), SentenceChunker(max_sentences=3)]


@pytest.mark.parametrize("above", CHUNKERS, ids=lambda chunker: type(chunker).__name__)
@pytest.mark.parametrize(
    "below", [FixedSizeChunker(15, 4), SentenceChunker(max_sentences=1)], ids=["fixed", "sentence"]
)
def test_any_chunker_over_any_chunker(tmp_path, above, below):
    document = Document("d", "\n\n".join(f"# Part {name}\n\n{text}" for name, text in ZOO.items()), "markdown")
    made = build_hierarchy(document, [above, below])
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(made)
    parents = {node.span: node.context for node in made.levels[1]}
    passages = ParentChildRetriever(index).retrieve("the running dog", 9)
    assert passages
    for passage in passages:
        assert passage.context == parents[passage.span]
        assert {hit.node.parent_id for hit in passage.hits} <= {node.node_id for node in made.levels[1]}


def test_a_derived_child_leads_to_the_text_that_it_was_made_from(shelves):
    shelf = shelves["derived children"]
    leaves = {leaf.span for document in shelf.documents.values() for leaf in hierarchy(document).leaves}
    for passage in ParentChildRetriever(shelf.index).retrieve("RUNNING DOG", 4):
        assert passage.span in leaves
        assert all(hit.node.derived and hit.node.text == passage.text.upper() + "." for hit in passage.hits)


def test_a_derived_parent_gives_the_places_that_were_hit(shelves):
    shelf = shelves["derived parents"]
    passages = ParentChildRetriever(shelf.index, children=4).retrieve("the running dog", 9)
    assert all(passage.context == "Summary" for passage in passages)
    assert "so much for that" not in {passage.text for passage in passages}
    assert {passage.span for passage in passages} == {hit.node.span for passage in passages for hit in passage.hits}


# The faults of published versions.


@pytest.fixture
def shop(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add([hierarchy(name, text) for name, text in ZOO.items()])
    return index


def test_adding_again_doubles_nothing(shop):
    retriever = ParentChildRetriever(shop)
    before, count = retriever.retrieve("the running dog", 9), shop.count()
    for _ in range(2):
        shop.add([hierarchy(name, text) for name, text in ZOO.items()])
    assert shop.count() == count
    assert retriever.retrieve("the running dog", 9) == before
    for passage in before:
        siblings = shop.children(shop.parents([passage.hits[0].node]))
        assert len({node.span for node in siblings}) == len(siblings)


def test_a_changed_document_leaves_no_old_child_behind(shop):
    new = "Parrots talk. A parrot spoke over the hill and the parrots were flying home."
    shop.add(hierarchy("dogs", new))
    for passage in ParentChildRetriever(shop).retrieve("dogs running before the rain", 9):
        assert passage.doc_id != "dogs" or passage.text in new
    assert {node.doc_id for node in shop.parents([h.node for h in shop.search("parrots", 1)])} == {"dogs"}


def test_deleting_leaves_no_orphans(shop):
    retriever = ParentChildRetriever(shop)
    assert "dogs" in {passage.doc_id for passage in retriever.retrieve("dogs running", 9)}
    shop.delete(["dogs"])
    assert "dogs" not in {passage.doc_id for passage in retriever.retrieve("dogs running", 9)}
    assert {hit.doc_id for hit in shop.search("dogs running", 99)} == {"cats", "fish"}
    assert shop.count() == sum(len(list(hierarchy(name, ZOO[name]))) for name in ("cats", "fish"))
    shop.delete(["cats", "fish"])
    assert (shop.count(), retriever.retrieve("dog")) == (0, [])


@pytest.mark.parametrize("rule", RULES)
def test_three_children_of_one_parent_are_one_result(shop, rule):
    hits = shop.search("the running dog", 6)
    assert len({hit.node.parent_id for hit in hits}) < len(hits)
    passages = ParentChildRetriever(shop, children=6, score=rule).retrieve("the running dog", 6)
    assert len(passages) == len({hit.node.parent_id for hit in hits})
    assert sum(len(passage.hits) for passage in passages) == len(hits)


def test_equal_documents_do_not_share_their_parents(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add([hierarchy(name, ZOO["dogs"]) for name in ("a", "b", "a:1:0")])
    passages = ParentChildRetriever(index).retrieve("dogs running", 9)
    assert {passage.doc_id for passage in passages} == {"a", "b", "a:1:0"}
    for passage in passages:
        assert {hit.doc_id for hit in passage.hits} == {passage.doc_id}
        assert len(passage.hits) <= 3


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("window", [None, LocalWindow()])
def test_no_heading_is_invented(tmp_path, language, window):
    """Each part of a passage's heading path stands in its document as a heading, in front of the passage's end."""
    document = next(d for d in load_corpus(language) if d.kind == "markdown")
    index = Index.create(tmp_path / "index", WordHashEmbedder(), language=language)
    index.add(build_hierarchy(document, [StructureChunker(600, 200), StructureChunker(200, 80)]))
    headings = [(match.start(), match[1].strip()) for match in re.finditer(r"^#{1,6} +(.+?) *#*$", document.text, re.M)]
    seen = set()
    for passage in ParentChildRetriever(index, window=window).retrieve("price customers 系统 the", 9):
        known = {title for start, title in headings if start < passage.end}
        for title in filter(None, passage.context.split(" › ")):
            assert title in known
            seen.add(title)
    assert len(seen) > 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "max"}, "score is 'max'; give one of weighted, density, reciprocal_rank"),
        ({"children_per_passage": -1}, "children_per_passage is -1; give 0 or more"),
        ({"constant": -1}, "constant is -1; give 0 or more"),
    ],
)
def test_impossible_parameters_are_refused_when_made(shelves, options, message):
    with pytest.raises(ValueError, match=message):
        ParentChildRetriever(shelves["en"].index, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"characters": -1}, "characters is -1; give 0 or more"),
        ({"siblings": -2}, "siblings is -2; give 0 or more"),
        ({"gap": -3}, "gap is -3; give 0 or more"),
        ({"edges": "line"}, "edges is 'line'; give one of word, sentence"),
    ],
)
def test_impossible_windows_are_refused_when_made(options, message):
    with pytest.raises(ValueError, match=message):
        LocalWindow(**options)


def test_a_reranker_that_breaks_its_promise_is_named(shelves):
    broken = SimpleNamespace(score=lambda query, texts: np.full(len(texts), np.nan))
    with pytest.raises(ValueError, match="return a finite one for each"):
        ParentChildRetriever(shelves["en"].index, reranker=broken).retrieve("dog")


def test_old_calls_mean_what_they_meant(shelves):
    """The first fields in the order that they always had, and their defaults."""
    index = shelves["en"].index
    assert ParentChildRetriever(index, 2, 30, 0.7, 0, "vector") == ParentChildRetriever(index, child_level=2)
    found = ParentChildRetriever(index).retrieve("the running dog")
    assert all(isinstance(passage, Passage) for passage in found)
    assert found == ParentChildRetriever(index, score="weighted", window=None, reranker=None).retrieve(
        "the running dog"
    )
