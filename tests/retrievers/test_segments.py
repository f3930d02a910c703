"""Segments: against every run that there is, tried one by one, and against what a retriever promises."""

from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierrag_lessons import check_retriever
from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.contracts.shelf import QUERIES, make_shelf
from hierrag_lessons.model import Document, Hierarchy, Node, Retriever, Span
from hierrag_lessons.retrievers import FlatRetriever, SegmentRetriever
from hierrag_lessons.retrievers.segments import find_runs
from hierrag_lessons.store import Index
from tests.fakes import WordChunker, WordHashEmbedder, hierarchy

MODES = ("vector", "text", "hybrid")


def characters(document):
    return build_hierarchy(document, [WordChunker(n, pattern=r"\S") for n in (60, 20, 7)])


@pytest.fixture(scope="module")
def shelf():
    return make_shelf(build_hierarchy=hierarchy)


@pytest.mark.parametrize("mode", MODES)
def test_every_promise(mode):
    check_retriever(partial(SegmentRetriever, mode=mode), build_hierarchy=hierarchy)


def test_every_promise_with_wide_segments_on_several_levels():
    make = partial(SegmentRetriever, penalty=0.1, longest=4, candidates=6)
    check_retriever(make, build_hierarchy=hierarchy, levels=[0, 1, 2])


@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_every_promise_in_a_chinese_index(mode):
    check_retriever(partial(SegmentRetriever, mode=mode, penalty=0.25), language="zh", build_hierarchy=characters)


# The runs


def every_run_tried(values, penalty, longest):
    """The definition: of all runs of positions that are free, the one worth most; again, until no value is left.

    Values and penalty are multiples of 1/64, so that sums are exact.
    """
    worth_of, runs = dict(values), []
    free = set(range(min(worth_of), max(worth_of) + 1)) if worth_of else set()
    left = set(worth_of)
    while left:
        best = None
        for start in sorted(free):
            for length in range(1, longest + 1):
                run = range(start, start + length)
                if not free.issuperset(run):
                    break
                if left.isdisjoint(run):
                    continue
                worth = sum(worth_of.get(position, 0) - penalty for position in run)
                key = (-worth, length, start)
                if best is None or key < best[0]:
                    best = (key, run)
        run = best[1]
        runs.append(sorted(left.intersection(run)))
        free.difference_update(run)
        left.difference_update(run)
    return runs


sixty_fourths = st.integers(0, 64).map(lambda n: n / 64)


@settings(max_examples=400)
@given(
    st.dictionaries(st.integers(0, 14), sixty_fourths, max_size=9),
    st.integers(1, 64).map(lambda n: n / 64),
    st.integers(1, 8),
)
def test_runs_are_those_of_trying_every_one(found, penalty, longest):
    values = sorted(found.items())
    runs = find_runs(values, penalty, longest)
    assert [[position for position, _ in values[first : last + 1]] for first, last in runs] == every_run_tried(
        values, penalty, longest
    )


@given(st.dictionaries(st.integers(0, 40), sixty_fourths, max_size=20), sixty_fourths, st.integers(1, 9))
def test_each_value_is_in_one_run_and_no_run_is_too_long(found, penalty, longest):
    values = sorted(found.items())
    runs = find_runs(values, penalty, longest)
    assert sorted(i for first, last in runs for i in range(first, last + 1)) == list(range(len(values)))
    assert all(values[last][0] - values[first][0] < longest for first, last in runs)


def test_a_gap_is_filled_where_both_sides_are_worth_more_than_it_costs():
    for penalty, expected in ((0.25, [(0, 1)]), (0.4, [(0, 0), (1, 1)])):
        assert sorted(find_runs([(0, 1.0), (2, 0.75)], penalty, 9)) == expected
    assert find_runs([(0, 1.0), (2, 0.75)], 0.25, 2) == [(0, 0), (1, 1)]  # three positions are one too many
    assert find_runs([], 0.5, 3) == []


# The retriever


@pytest.fixture
def dogs(tmp_path):
    """Nine leaves of one word or two; their parents' border lies in the middle of the best run."""
    words = ["ant", "dog", "bee", "dog", "dog elk", "fox", "gnu", "dog hen", "ibis"]
    text, spans = " ".join(words), []
    for word in words:
        start = spans[-1].end + 1 if spans else 0
        spans.append(Span(start, start + len(word)))
    sections = [Span(0, spans[2].end), Span(spans[3].start, len(text))]
    levels = (
        (Node("r", "d", 0, 0, len(text), text),),
        tuple(Node(f"s{i}", "d", 1, *span, text[slice(*span)], "", "r", i) for i, span in enumerate(sections)),
        tuple(
            Node(f"l{i}", "d", 2, *span, text[slice(*span)], f"leaf {i}", f"s{int(i > 2)}", i)
            for i, span in enumerate(spans)
        ),
    )
    index = Index.create(tmp_path / "index", WordHashEmbedder(dim=65536))
    index.add(Hierarchy(Document("d", text), levels))
    return index


def test_a_worked_example(dogs):
    """Scaled scores of 1, 0, 1, 0.87 in a row: at a penalty of 0.3 worth 0.7 - 0.3 + 0.7 + 0.57, at 0.6 parted."""
    wide = SegmentRetriever(dogs, penalty=0.3).retrieve("dog", 9)
    assert [(p.text, [hit.node.text for hit in p.hits if hit.score]) for p in wide][:2] == [
        ("dog bee dog dog elk", ["dog", "dog", "dog elk"]),
        ("dog hen", ["dog hen"]),
    ]
    assert (wide[0].score, wide[0].context) == (pytest.approx(3**-0.5), "leaf 1")
    narrow = SegmentRetriever(dogs, penalty=0.6).retrieve("dog", 9)
    assert [p.text for p in narrow][:3] == ["dog", "dog dog elk", "dog hen"]
    short = SegmentRetriever(dogs, penalty=0.3, longest=2).retrieve("dog", 9)
    assert [p.text for p in short][:3] == ["dog", "dog dog elk", "dog hen"]


def test_the_highest_penalty_leaves_hits_alone(shelf):
    for query in QUERIES[:3]:
        alone = SegmentRetriever(shelf.index, penalty=1).retrieve(query, 7)
        flat = FlatRetriever(shelf.index).retrieve(query, 7)
        assert [(p.doc_id, p.span, p.text, p.score) for p in alone] == [
            (p.doc_id, p.span, p.text, p.score) for p in flat
        ]


def test_segments_of_one_level_do_not_overlap_and_hold_every_hit_once(shelf):
    for query in QUERIES:
        for penalty in (0.0, 0.2, 0.5):
            passages = SegmentRetriever(shelf.index, penalty=penalty, candidates=12).retrieve(query, 12)
            found = [hit.node.node_id for p in passages for hit in p.hits]
            assert sorted(found) == sorted(hit.node.node_id for hit in shelf.index.search(query, 12))
            places = sorted((p.doc_id, p.start, p.end) for p in passages)
            assert all(a[0] != b[0] or a[2] <= b[1] for a, b in pairwise(places))


def test_a_derived_node_is_returned_as_what_it_stands_for(tmp_path):
    text = "Dogs bark. Cats purr. Fish swim."
    root = Node("r", "doc", 0, 0, 32, text)
    spans = [Span(0, 10), Span(11, 21), Span(22, 32)]
    said = tuple(
        Node(f"p{i}", "doc", 1, *span, words, "", "r", i, {}, (span,))
        for i, (span, words) in enumerate(zip(spans, ["A dog barks", "A cat purrs", "A fish swims"], strict=True))
    )
    index = Index.create(tmp_path / "index", WordHashEmbedder(dim=4096))
    index.add(Hierarchy(Document("doc", text), ((root,), said), frozenset({1})))
    passages = SegmentRetriever(index, penalty=0).retrieve("dog cat", 3)
    assert sorted(p.text for p in passages)[:2] == ["Cats purr.", "Dogs bark."]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": 1.5}, "penalty is 1.5; give"),
        ({"penalty": -0.1}, "penalty is -0.1; give"),
        ({"longest": 0}, "longest is 0; give 1 or more"),
        ({"candidates": 0}, "candidates is 0; give 1 or more"),
        ({"mode": "dense"}, "mode is 'dense'"),
        ({"level": 1}, "level 1 is not searchable"),
    ],
)
def test_impossible_parameters_are_refused_when_made(shelf, options, message):
    with pytest.raises(ValueError, match=message):
        SegmentRetriever(shelf.index, **options)


def test_it_is_a_retriever(shelf):
    retriever: Retriever = SegmentRetriever(shelf.index)
    assert len(retriever.retrieve("the running dog", k=2)) == 2
