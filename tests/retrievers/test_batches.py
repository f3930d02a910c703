"""What all retrievers share: how they refuse requests and parameters, and how they search on until there is enough."""

import math
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from hierrag_lessons.agents import FixedPolicy, RetrievalTools, ToolRetriever
from hierrag_lessons.contracts.shelf import make_shelf
from hierrag_lessons.model import Hit, Node
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    CoarseToFineRetriever,
    DiverseRetriever,
    FlatRetriever,
    FourLevelRetriever,
    HybridRetriever,
    IndexLevel,
    LevelConfig,
    LocalWindow,
    MultiLevelRetriever,
    ParentChildRetriever,
    RerankingRetriever,
    SegmentRetriever,
    SentenceWindowRetriever,
    SummaryTreeRetriever,
    expand,
    grow_hits,
)
from hierrag_lessons.retrievers.batches import BatchRetriever, search_until
from tests.fakes import WordHashEmbedder, hierarchy

NAN = float("nan")


class Lengths:
    """A reranker: the shorter, the better."""

    def score(self, query, texts):
        return np.array([-float(len(text)) for text in texts])


# What makes each of them from an index, and the options that it is made with.
MAKERS = {
    "flat": FlatRetriever,
    "sentence window": SentenceWindowRetriever,
    "parent-child": ParentChildRetriever,
    "auto-merging": AutoMergingRetriever,
    "segments": SegmentRetriever,
    "summary tree": SummaryTreeRetriever,
    "four levels": FourLevelRetriever,
    "hybrid": HybridRetriever,
    "reranking": lambda index, **options: RerankingRetriever(
        **{"retriever": FlatRetriever(index), "reranker": Lengths()} | options
    ),
    "diverse": lambda index, **options: DiverseRetriever(
        **{"retriever": FlatRetriever(index), "embedder": WordHashEmbedder()} | options
    ),
    "coarse to fine": lambda index, **options: CoarseToFineRetriever(
        **{"levels": [LevelConfig("leaf", IndexLevel(index, 2), 9)]} | options
    ),
    "tools": lambda index, **options: ToolRetriever(**{"agent": FixedPolicy(RetrievalTools(index))} | options),
    "a level": IndexLevel,
    "a level's configuration": lambda index, **options: LevelConfig(
        **{"name": "leaf", "retriever": IndexLevel(index, 2), "top_k": 9} | options
    ),
    "a window": lambda index, **options: LocalWindow(**options),
}
RETRIEVERS = {name: make for name, make in MAKERS.items() if not name.startswith("a ")}


@pytest.fixture(scope="module")
def shelf():
    return make_shelf(build_hierarchy=hierarchy, levels=[0, 1, 2])


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda it: it.retrieve("cat", "2"), "k is '2'; give a whole number, 1 or more"),
        (lambda it: it.retrieve("cat", 2.5), "k is 2.5; give a whole number"),
        (lambda it: it.retrieve("cat", NAN), "k is nan; give a whole number"),
        (lambda it: it.retrieve("cat", True), "k is True; give a whole number"),
        (lambda it: it.retrieve("cat", None), "k is None; give a whole number"),
        (lambda it: it.retrieve("cat", 0), "k is 0; give 1 or more"),
        (lambda it: it.retrieve(["cat"]), r"query is \['cat'\]; give a text"),
        (lambda it: it.retrieve(None), "query is None; give a text"),
        (lambda it: it.retrieve(b"cat"), "query is b'cat'; give a text"),
        (lambda it: it.retrieve_batch("cat"), "queries is 'cat'; give a list of texts"),
        (lambda it: it.retrieve_batch(None), "queries is None; give a list of texts"),
        (lambda it: it.retrieve_batch(["cat", None]), "queries holds None; give a list of texts"),
        (lambda it: it.retrieve_batch(["cat"], 2.5), "k is 2.5; give a whole number"),
        (lambda it: it.retrieve_batch([], -1), "k is -1; give 1 or more"),
        (lambda it: it.retrieve("cat", where="cats"), "where is 'cats'; give a mapping"),
        (
            lambda it: it.retrieve("cat", where={"colour": "red"}),
            "where has the field 'colour'; it can be one of doc_id",
        ),
        (lambda it: it.retrieve_batch(["cat", ""], 5, {"year": "2020"}), r"where\['year'\] has '2020'; give a int"),
    ],
)
@pytest.mark.parametrize("make", RETRIEVERS.values(), ids=RETRIEVERS)
def test_an_impossible_request_is_refused_with_a_sentence(shelf, make, ask, said):
    with pytest.raises(ValueError, match=said):
        ask(make(shelf.index))


@pytest.mark.parametrize("make", RETRIEVERS.values(), ids=RETRIEVERS)
def test_retrieve_is_written_once(shelf, make):
    retriever = make(shelf.index)
    assert type(retriever).retrieve is BatchRetriever.retrieve
    assert retriever.retrieve("the running dog", 3) == retriever.retrieve_batch(["the running dog"], 3)[0]


def parameters():
    """Every parameter of every retriever that is a number, a word or an object, with values that it cannot have."""
    for name, make in MAKERS.items():
        made = getattr(make, "__code__", None)
        kind = make if made is None else next(c for c in KINDS if c.__name__ in made.co_names)
        assert is_dataclass(kind)
        for field in fields(kind):
            hint = str(field.type)
            if hint.startswith("int"):
                wrong = ["7", 2.5, NAN, True, [1]]
            elif hint.startswith("float"):
                wrong = ["0.5", NAN, math.inf, True, [0.5]]
            elif hint in WORDS:
                wrong = ["nonsense", 3, None, ["max"], True]
            elif field.name in ("index", "retriever", "reranker", "embedder", "window", "agent"):
                wrong = ["text", 3, FlatRetriever]
            elif field.name in ("levels", "searches", "above", "where", "name", "constrain_by"):
                wrong = [3, True]
            else:
                wrong = []
            for value in wrong:
                yield pytest.param(make, field.name, value, id=f"{name}, {field.name}={value!r:.20}")


WORDS = {"Mode", "Fusion", "ParentScore", "MergeScore", "Expand", "SummaryText", "TreeSearch", "FilterKey", "Edges"}
KINDS = [
    RerankingRetriever,
    DiverseRetriever,
    CoarseToFineRetriever,
    ToolRetriever,
    LevelConfig,
    LocalWindow,
]


@pytest.mark.parametrize(("make", "name", "value"), list(parameters()))
def test_an_impossible_parameter_is_refused_when_made(shelf, make, name, value):
    given = {"index": shelf.index, name: value}
    with pytest.raises(ValueError, match=rf"{name}\b.* (is|holds|has) .*; (give|a whole)"):
        make(given.pop("index"), **given)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda index: expand(index, "cat"), "found is 'cat'; give a list of passages or hits"),
        (lambda index: expand(index, [Node("n", "d", 0, 0, 1, "x")]), "found is .*; give a list of passages or hits"),
        (lambda index: expand(index, None), "found is None; give a list"),
        (lambda index: expand(index, [], top="1"), "top is '1'; give a whole number"),
        (lambda index: expand("index", []), "index is 'index'; give an object with the method snapshot"),
        (lambda index: grow_hits(index, [], 1.5), "before is 1.5; give a whole number"),
        (lambda index: grow_hits(index, [], after=True), "after is True; give a whole number"),
        (lambda index: grow_hits(index, ["cat"]), "hits holds 'cat'; give a list of Hit"),
    ],
)
def test_functions_refuse_in_the_same_way(shelf, call, said):
    with pytest.raises(ValueError, match=said):
        call(shelf.index)


# --- searching on -----------------------------------------------------------------------------------------------------


def hits_of(number):
    return [Hit(Node(str(i), "d", 1, i, i + 1, "x"), 1.0) for i in range(number)]


def searched(numbers, k, first, share):
    """Search where each query has so many hits, and so many of them lead to one passage; the limits asked for."""
    asked = []

    def search(queries, limit):
        asked.append((tuple(queries), limit))
        return [hits_of(min(limit, numbers[query])) for query in queries]

    def lead(queries, ranked):
        return [list(range(math.ceil(len(hits) / share)))[:k] for hits in ranked]

    return search_until(search, lead, list(numbers), k, first), asked


def test_a_search_ends_when_there_are_enough():
    found, asked = searched({"a": 100, "b": 100}, k=5, first=10, share=2)
    assert found == [[0, 1, 2, 3, 4]] * 2
    assert asked == [(("a", "b"), 10)]


def test_only_queries_with_too_few_passages_are_asked_again_for_four_times_as_many():
    found, asked = searched({"many": 1000, "few": 7, "none": 0, "twelve": 12}, k=5, first=10, share=4)
    assert [len(results) for results in found] == [5, 2, 0, 3]
    assert asked == [(("many", "few", "none", "twelve"), 10), (("many", "twelve"), 40)]


def test_a_search_ends_where_there_are_no_more_hits():
    found, asked = searched({"a": 39}, k=5, first=10, share=50)
    assert found == [[0]]
    assert asked == [(("a",), 10), (("a",), 40)]
    assert searched({}, k=5, first=10, share=1) == ([], [])


def test_the_options_of_a_partial_are_checked_too(shelf):
    with pytest.raises(ValueError, match="leaves is 0; give 1 or more"):
        partial(AutoMergingRetriever, leaves=0)(shelf.index)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda index: FourLevelRetriever(index, levels=np.array(1)), r"levels is array\(1\); give one or more of"),
        (lambda index: FourLevelRetriever(index, levels=[[1]]), r"levels is \[\[1\]\]; give one or more of"),
        (
            lambda index: AutoMergingRetriever(index, threshold=np.float32(0.5)),
            r"threshold is .*; give a finite number",
        ),
        (
            lambda index: MultiLevelRetriever(index, lift=Fraction(1, 3)),
            r"lift is Fraction\(1, 3\); give a finite number",
        ),
        (lambda index: MultiLevelRetriever(index, coverage=10**400), r"coverage is 1000.*; give a number of at most"),
    ],
)
def test_numbers_that_break_the_arithmetic_are_refused_when_made(shelf, make, said):
    with pytest.raises(ValueError, match=said):
        make(shelf.index)


def test_a_threshold_can_be_a_fraction(shelf):
    assert AutoMergingRetriever(shelf.index, threshold=Fraction(1, 2)).retrieve("the running dog") == (
        AutoMergingRetriever(shelf.index, threshold=0.5).retrieve("the running dog")
    )
