from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lancedb.query import AsyncQuery, AsyncQueryBase, AsyncVectorQuery

from hierrag_lessons import check_retriever
from hierrag_lessons.chunkers import (
    DialogueChunker,
    FixedSizeChunker,
    SentenceChunker,
    StructureChunker,
    build_hierarchy,
)
from hierrag_lessons.contracts.shelf import QUERIES, make_shelf
from hierrag_lessons.model import Document, Hierarchy, Hit, Node, Passage, Retriever, Span, sort_key
from hierrag_lessons.reading import read_dialogue
from hierrag_lessons.retrievers import FlatRetriever, SentenceWindowRetriever, grow_hits
from hierrag_lessons.retrievers.sentence_window import _join, _Window
from hierrag_lessons.store import Index
from hierrag_lessons.store.lookup import read_rows
from tests.fakes import WordHashEmbedder, hierarchy

MAKERS = {
    "hits alone": partial(SentenceWindowRetriever, before=0, after=0),
    "one behind": partial(SentenceWindowRetriever, before=0, after=1),
    "wide": partial(SentenceWindowRetriever, before=9, after=9, mode="text"),
    "within the parent": partial(SentenceWindowRetriever, level=2, within=1),
    "within the document": partial(SentenceWindowRetriever, within=0),
    "within the block": partial(SentenceWindowRetriever, within="block"),
    "within the section": partial(SentenceWindowRetriever, within="section", mode="hybrid"),
}
LAYERED = {
    "sections": partial(SentenceWindowRetriever, level=1, before=1, after=1),
    "all levels": SentenceWindowRetriever,
    "all levels within sections": partial(SentenceWindowRetriever, within=1),
}
ONE_SENTENCE = SentenceChunker(max_sentences=1)


@pytest.fixture(scope="module")
def shelf():
    return make_shelf(build_hierarchy=hierarchy)


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "within the block"])
def test_every_promise(name):
    check_retriever(MAKERS[name], build_hierarchy=hierarchy)


@pytest.mark.parametrize("name", ["sections", "all levels within sections"])
def test_every_promise_with_several_searchable_levels(name):
    check_retriever(LAYERED[name])


def test_every_promise_with_the_document_itself_searchable():
    check_retriever(LAYERED["all levels"], build_hierarchy=hierarchy, levels=[0, 1, 2])


def test_every_promise_in_a_chinese_index():
    check_retriever(MAKERS["within the block"], language="zh", build_hierarchy=hierarchy)


def make_index(folder, *hierarchies, levels=None, language="en"):
    index = Index.create(folder / "index", WordHashEmbedder(), language=language)
    index.add(list(hierarchies), levels=levels)
    return index


def sentences(doc_id, text, **fields):
    return build_hierarchy(Document(doc_id, text, **fields), [ONE_SENTENCE])


def talk(folder, *turns, language="en"):
    """A dialogue from lines ``Speaker: text``."""
    (folder / "talk.txt").write_text("\n".join(turns), encoding="utf-8")
    (document,) = read_dialogue(folder / "talk.txt", language=language)
    return document


def numbered(n, marked=(), word="apple"):
    """``n`` sentences; those at the ``marked`` positions hold the word."""
    return " ".join(f"Line {i} has {word if i in marked else 'nothing'}." for i in range(n))


def assert_disjoint(passages):
    for passage in passages:
        others = [p for p in passages if p is not passage and p.doc_id == passage.doc_id]
        assert all(p.end <= passage.start or passage.end <= p.start for p in others)


# --- the rule, against a slow version ---------------------------------------------------------------------------------


def expected_passages(trees, hits, before, after, within, k):
    """The passages from positions alone: which nodes are shown, and which runs of neighbours they make."""

    def ancestor(tree, node):
        while node.level > within:
            node = tree.parent(node)
        return node.node_id

    shown, found = {}, []
    for hit in hits:
        tree = trees[hit.doc_id]
        level, home = tree.levels[hit.node.level], ancestor(tree, hit.node)
        near = range(hit.node.position - before, hit.node.position + after + 1)
        new = {(hit.doc_id, home, n.position) for n in level if n.position in near and ancestor(tree, n) == home}
        shown[hit.node.node_id] = (hit, new)
        runs, places = [], sorted(set().union(*(places for _, places in shown.values())))
        for doc_id, home, position in places:
            if not runs or runs[-1][-1] != (doc_id, home, position - 1):
                runs.append([])
            runs[-1].append((doc_id, home, position))
        found = []
        for run in runs:
            own = sorted((h for h, places in shown.values() if places <= set(run)), key=sort_key)
            doc_id, (first, last) = run[0][0], (trees[run[0][0]].leaves[place[2]] for place in (run[0], run[-1]))
            text = trees[doc_id].document.text[first.start : last.end]
            best, score = own[0].node, own[0].score
            found.append(Passage(doc_id, first.start, last.end, text, best.context, score, tuple(own), best.fields))
        if len(found) == k:
            break
    return sorted(found, key=sort_key)


@settings(max_examples=60, deadline=None)
@given(
    before=st.integers(0, 4),
    after=st.integers(0, 4),
    within=st.sampled_from([None, 0, 1]),
    k=st.integers(1, 12),
    query=st.sampled_from(QUERIES),
    mode=st.sampled_from(["vector", "text", "hybrid"]),
)
def test_windows_are_runs_of_neighbours(shelf, before, after, within, k, query, mode):
    trees = {doc_id: hierarchy(document) for doc_id, document in shelf.documents.items()}
    hits = shelf.index.search(query, 10_000, mode=mode)
    found = SentenceWindowRetriever(shelf.index, None, before, after, within, mode).retrieve(query, k)
    assert found == expected_passages(trees, hits, before, after, within or 0, k)


@given(
    spans=st.lists(st.tuples(st.integers(0, 40), st.integers(1, 8), st.integers(0, 3)), max_size=12),
    k=st.integers(1, 6),
)
def test_what_meets_is_joined_and_nothing_else(spans, k):
    """Any windows, of overlapping chunks too: the groups are the connected ones, until there are k."""
    hits = [Hit(Node(f"n{i}", "doc", 1, a, a + n, "x" * n), 1 - i / 100) for i, (a, n, _) in enumerate(spans)]
    windows = {f"n{i}": [_Window("doc", a, a + n, a + n + more)] for i, (a, n, more) in enumerate(spans)}
    best = []
    for count in range(1, len(spans) + 1):
        groups = [{i} for i in range(count)]
        for i in range(count):
            for j in range(i):
                (a, n, more), (b, m, extra) = spans[i], spans[j]
                if a < b + m + extra and b < a + n + more:
                    one, two = (next(group for group in groups if x in group) for x in (i, j))
                    if one is not two:
                        groups.remove(two)
                        one |= two
        best = groups
        if len(groups) == k:
            break
    found = _join(hits, windows, k)
    assert sorted((w.start, w.end, sorted(h.node.node_id for h in w.hits)) for w in found) == sorted(
        (min(spans[i][0] for i in g), max(sum(spans[i][:2]) for i in g), sorted(f"n{i}" for i in g)) for g in best
    )


def test_the_score_is_that_of_the_best_hit(tmp_path):
    text = "Pear. Apple pear. Plum. Date. Date. Apple. Apple pear date. Date."
    index = make_index(tmp_path, sentences("doc", text))
    one, two = SentenceWindowRetriever(index, before=1, after=1).retrieve("apple", 2)
    assert (one.text, one.score) == ("Date. Apple. Apple pear date.", pytest.approx(1))
    assert (two.text, two.score) == ("Pear. Apple pear. Plum.", pytest.approx(0.5**0.5))
    for passage in (one, two):
        assert passage.score == passage.hits[0].score
    everything = SentenceWindowRetriever(index, before=1, after=1, mode="text").retrieve("apple", 9)
    assert [len(passage.hits) for passage in everything] == [2, 1]


def test_the_context_is_that_of_the_best_hit(tmp_path):
    document = Document("doc", "# Fruit\n\nPear here.\n\n# Trees\n\nApple tree. Elm tree.", "markdown")
    index = make_index(tmp_path, build_hierarchy(document, [StructureChunker(10, 0)]))
    (passage,) = SentenceWindowRetriever(index, before=2, after=2, mode="text").retrieve("elm")
    assert (passage.text, passage.context) == (document.text, "Trees")


# --- what goes wrong elsewhere ----------------------------------------------------------------------------------------


def test_four_adjacent_hits_return_each_sentence_once(tmp_path):
    """Four windows of ±3 are 28 sentences, 10 of them different."""
    text = numbered(30, range(12, 16))
    index = make_index(tmp_path, sentences("doc", text))
    single = [index.neighbours(hit.node, 3, 3) for hit in index.search("apple", mode="text")]
    assert (sum(map(len, single)), len({n.node_id for window in single for n in window})) == (28, 10)
    (passage,) = SentenceWindowRetriever(index, before=3, after=3, mode="text").retrieve("apple", 4)
    assert passage.text == text[text.index("Line 9 ") : text.index(" Line 19 ")]
    assert [hit.node.position for hit in passage.hits] == [12, 13, 14, 15]


def test_windows_that_touch_are_one_passage_and_a_gap_of_one_sentence_parts_them(tmp_path):
    for name, marked, passages in (("touch", (5, 8), 1), ("gap", (5, 9), 2)):
        (tmp_path / name).mkdir()
        index = make_index(tmp_path / name, sentences("doc", numbered(20, marked)))
        found = SentenceWindowRetriever(index, before=1, after=1, mode="text").retrieve("apple")
        assert len(found) == passages
        assert sum(len(passage.text) for passage in found) >= 6 * len("Line 1 has apple.")


def test_windows_cost_no_storage(tmp_path):
    """Stored with each sentence, windows of ±50 would be 101 times the text. Here all of it is stored twice."""
    text = numbered(400, [7])
    index = make_index(tmp_path, sentences("doc", text))
    rows = read_rows(index._table(), None, ["text", "search_text", "metadata"])
    assert sum(len(row[name] or "") for row in rows for name in ("text", "search_text")) <= 2 * len(text)
    assert {row["metadata"] for row in rows} == {"{}"}
    for size in (0, 3, 50):
        (passage,) = SentenceWindowRetriever(index, before=size, after=size, mode="text").retrieve("apple")
        assert passage.text.count("Line") == min(7, size) + 1 + size


def test_chinese_sentences_have_windows(tmp_path):
    text = "她开了门。他说：“今天下雨了。”然后走了。天晴了！苹果熟了吗？熟了。大家都来吃。吃完了。"
    index = make_index(tmp_path, sentences("雨", text, language="zh"), language="zh")
    (passage,) = SentenceWindowRetriever(index, before=2, after=2, mode="text").retrieve("苹果", 1)
    assert passage.text == "然后走了。天晴了！苹果熟了吗？熟了。大家都来吃。"
    (passage,) = SentenceWindowRetriever(index, before=1, after=0, mode="vector").retrieve("下雨", 1)
    assert passage.text == "她开了门。他说：“今天下雨了。”"


def test_a_window_ends_where_its_document_ends(tmp_path):
    documents = {name: numbered(3, [0, 2]) for name in "abc"}
    index = make_index(tmp_path, *(sentences(name, text) for name, text in documents.items()))
    found = SentenceWindowRetriever(index, before=5, after=5, mode="text").retrieve("apple")
    assert {passage.doc_id: passage.text for passage in found} == documents


def test_defect_16_windows_are_of_sentences_and_cross_the_parents_border(tmp_path):
    """The published window is one of leaves, ends at the parent, and neighbouring hits repeat each other's text."""
    text = numbered(12, [5, 6])
    by_three = SentenceChunker(max_sentences=3)
    index = make_index(tmp_path, build_hierarchy(Document("doc", text), [by_three, ONE_SENTENCE]))
    hits = index.search("apple", mode="text")
    assert hits[0].node.parent_id != hits[1].node.parent_id
    (passage,) = SentenceWindowRetriever(index, before=1, after=1, mode="text").retrieve("apple")
    assert passage.text == text[text.index("Line 4 ") : text.index(" Line 8 ")]


# --- borders ----------------------------------------------------------------------------------------------------------

PAGE = """# One

Pear a. Pear b.

Plum a. Apple b. Plum c.

# Two

Date a. Date b.
"""


@pytest.mark.parametrize(
    ("within", "text"),
    [
        ("block", "Plum a. Apple b. Plum c."),
        ("section", "# One\n\nPear a. Pear b.\n\nPlum a. Apple b. Plum c."),
        (None, PAGE.rstrip()),
        (0, PAGE.rstrip()),
        (1, "# One\n\nPear a. Pear b.\n\nPlum a. Apple b. Plum c."),
        (2, "Plum a. Apple b. Plum c."),
    ],
)
def test_windows_stop_at_blocks_sections_and_levels(tmp_path, within, text):
    document = Document("doc", PAGE, "markdown")
    tree = build_hierarchy(document, [StructureChunker(1000, 0), DialogueChunker(1000, 1, 0), ONE_SENTENCE])
    index = make_index(tmp_path, tree)
    (passage,) = SentenceWindowRetriever(index, 3, 9, 9, within, "text").retrieve("apple")
    assert passage.text == text


@pytest.mark.parametrize(("within", "passages"), [(None, 1), ("section", 1), ("block", 2), (1, 2)])
def test_windows_on_two_sides_of_a_border_stay_apart(tmp_path, within, passages):
    """Two hits that touch are still in two turns."""
    document = talk(tmp_path, "甲：苹果。", "乙：苹果。", language="zh")
    tree = build_hierarchy(document, [DialogueChunker(400, 1, 0), ONE_SENTENCE])
    index = make_index(tmp_path, tree, language="zh")
    found = SentenceWindowRetriever(index, 2, 3, 3, within, "text").retrieve("苹果")
    assert len(found) == passages


def test_turns_are_borders_without_being_a_level(tmp_path):
    document = talk(
        tmp_path, "Ann: I left. Apple pie burnt. I cried.", "Bob: Why? Was it late?", "Ann: No. Not at all."
    )
    index = make_index(tmp_path, build_hierarchy(document, [ONE_SENTENCE]))
    for query, turn in (("apple", 0), ("late", 1)):
        (passage,) = SentenceWindowRetriever(index, None, 4, 4, "block", "text").retrieve(query, 1)
        recorded = document.metadata["turns"][turn]
        assert passage.text == document.text[recorded["start"] : recorded["end"]].rstrip()


def test_a_chunk_across_two_blocks_may_grow_in_both(tmp_path):
    text = "One two three.\n\nFour apple six.\n\nSeven eight nine.\n\nTen eleven twelve."
    index = make_index(tmp_path, build_hierarchy(Document("doc", text), [FixedSizeChunker(27, 0, len)]))
    (passage,) = SentenceWindowRetriever(index, None, 3, 3, "block", "text").retrieve("apple")
    assert passage.text == text[: text.index("\n\nSeven")]


# --- other levels -----------------------------------------------------------------------------------------------------


def test_hits_of_any_level_grow_by_their_neighbours(tmp_path):
    text = numbered(24, [0, 14])
    tree = build_hierarchy(Document("doc", text), [SentenceChunker(max_sentences=3), ONE_SENTENCE])
    index = make_index(tmp_path, tree, levels=[1, 2])
    chunks = index.search("apple", 2, mode="text", level=1)
    assert [p.text.count("Line") for p in grow_hits(index, chunks)] == [6, 9]
    assert [p.text.count("Line") for p in grow_hits(index, chunks[::-1], 0, 0)] == [3, 3]
    assert [p.text.count("Line") for p in grow_hits(index, chunks, 1, 2)] == [21]  # they touch: one passage
    assert [
        p.text.count("Line") for p in grow_hits(index, index.search("apple", 2, mode="text", level=2), 4, 4, 1)
    ] == [3] * 2
    mixed = grow_hits(index, index.search("apple", 4, mode="text"), 1, 1)
    assert [p.text.count("Line") for p in mixed] == [6, 9]
    assert_disjoint(mixed)
    assert grow_hits(index, []) == []


def test_chunks_that_overlap_are_no_obstacle(tmp_path):
    text = numbered(40, [3, 20])
    index = make_index(tmp_path, build_hierarchy(Document("doc", text), [SentenceChunker(60, 2, max_sentences=4)]))
    found = SentenceWindowRetriever(index, before=1, after=1, mode="text").retrieve("apple", 9)
    assert len(found) == 2
    assert_disjoint(found)
    assert [passage.text.count("apple") for passage in found] == [1, 1]


def test_turns_grow_by_turns(tmp_path):
    turns = [f"{'AB'[i % 2]}: Turn {i}. {'Apple' if i == 3 else 'Pear'}." for i in range(8)]
    document = talk(tmp_path, *turns)
    index = make_index(tmp_path, build_hierarchy(document, [DialogueChunker(400, 1, 0)]))
    (passage,) = SentenceWindowRetriever(index, before=1, after=2, mode="text").retrieve("apple")
    assert passage.text.split("\n") == turns[2:6]


def test_a_derived_node_returns_its_sources(tmp_path):
    text = numbered(12, [])
    tree = sentences("doc", text)
    first, third = tree.leaves[1].span, tree.leaves[3].span
    spot = Node(
        "p", "doc", 2, first.start, third.end, "Apple summary.", "", tree.leaves[1].node_id, 0, {}, (first, third)
    )
    index = make_index(tmp_path, Hierarchy(tree.document, (*tree.levels, (spot,))), levels=[1, 2])
    found = SentenceWindowRetriever(index, mode="text").retrieve("apple")
    assert [passage.span for passage in found] == [first, third]
    assert [passage.hits[0].node for passage in found] == [spot, spot]
    (only,) = grow_hits(index, [Hit(spot, 0.4), *(Hit(leaf, 0.5) for leaf in tree.leaves[1:3])], 0, 0)
    assert (only.span, only.score, len(only.hits)) == (Span(first.start, third.end), 0.5, 3)
    assert [p.span for p in SentenceWindowRetriever(index, mode="text").retrieve("apple", 1)] == [first]


# --- cost and parameters ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("within", "more"), [(None, 0), (0, 2), (1, 1)])
def test_the_number_of_table_queries_is_constant(tmp_path, monkeypatch, within, more):
    tree = build_hierarchy(Document("doc", numbered(90, range(0, 90, 9))), [SentenceChunker(60), ONE_SENTENCE])
    index = make_index(tmp_path, tree, sentences("other", numbered(30, range(0, 30, 9))), levels=None)
    run, to_batches = [], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run.append(type(self))
        return await to_batches(self, **options)

    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    retriever = SentenceWindowRetriever(index, None, 2, 2, within)
    for queries in (["apple"], ["apple", "line apple", "has apple"] * 4):
        for k in (1, 4):
            run.clear()
            assert all(retriever.retrieve_batch(queries, k))
            assert run.count(AsyncQuery) == 2 + more  # neighbours and texts; parents
            assert run.count(AsyncVectorQuery) <= 2  # hits, and once more for ties at the last place


def test_more_hits_are_asked_for_until_there_are_k_passages(tmp_path):
    """The best forty hits are neighbours, one passage; the next one stands elsewhere."""
    text = " ".join(["Apple."] * 40 + ["Pear."] * 20 + ["Apple pear date."])
    index = make_index(tmp_path, sentences("doc", text))
    found = SentenceWindowRetriever(index, before=1, after=1).retrieve("apple", 2)
    assert [len(passage.hits) for passage in found] == [40, 1]


def test_more_passages_hold_more_text(shelf):
    """The passages of a larger k hold all the text of a smaller one."""
    for query in QUERIES:
        covered = set()
        for k in (1, 2, 4, 8, 16, 32):
            found = SentenceWindowRetriever(shelf.index, before=1, after=1).retrieve(query, k)
            now = {(p.doc_id, x) for p in found for x in range(p.start, p.end)}
            assert covered <= now
            covered = now


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (partial(SentenceWindowRetriever, before=-1), "before is -1; give 0 or more"),
        (partial(SentenceWindowRetriever, after=-2), "after is -2; give 0 or more"),
        (
            partial(SentenceWindowRetriever, within="turn"),
            "within is 'turn'; give a whole number, 0 or more, or None for the document, or 'block' or 'section'",
        ),
        (partial(SentenceWindowRetriever, within=-1), "within is -1"),
        (partial(SentenceWindowRetriever, level=2, within=2), "within is level 2; give one above the level 2"),
        (partial(SentenceWindowRetriever, level=1), "level 1 is not searchable; this index has 2"),
        (partial(SentenceWindowRetriever, mode="dense"), "mode is 'dense'; give one of vector, text, hybrid"),
    ],
)
def test_impossible_parameters_are_refused_when_made(shelf, make, message):
    with pytest.raises(ValueError, match=message):
        make(shelf.index)


def test_growing_refuses_impossible_parameters(shelf):
    with pytest.raises(ValueError, match="after is -1; give 0 or more"):
        grow_hits(shelf.index, [], 1, -1)
    with pytest.raises(ValueError, match="within is 'page'"):
        grow_hits(shelf.index, [], within="page")


def test_it_is_a_retriever(shelf):
    retriever: Retriever = SentenceWindowRetriever(shelf.index, before=0, after=0)
    hits = {h.node.node_id for p in FlatRetriever(shelf.index).retrieve("the running dog", 3) for h in p.hits}
    found = {h.node.node_id for p in retriever.retrieve("the running dog", 3) for h in p.hits}
    assert hits <= found
