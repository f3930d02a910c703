"""Multi-level scoring against its definition, written out slowly, and what becomes of scores on the way to passages."""

import math
from collections import Counter
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons import (
    CharNgramEmbedder,
    Document,
    Index,
    MultiLevelRetriever,
    RecursiveChunker,
    Stop,
    build_hierarchy,
    check_retriever,
    course_hierarchy,
    load_corpus,
    make_units,
    temporary_index,
    terms,
)
from hierrag_lessons.contracts.shelf import two_levels
from hierrag_lessons.retrievers.multi_level.selecting import FIRST, Scored, best_first, covering, join, lifted
from hierrag_lessons.text import tokens

QUERIES = {
    "en": ["What does Northmere spend on research?", "recall of terminal covers", "When is the next inspection due?"],
    "zh": ["差旅费的报销标准是什么？", "EG-220 的保修期", "第十二条"],
}


def with_units(document):
    return make_units(two_levels(document))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_promise(language):
    check_retriever(MultiLevelRetriever, language=language, build_hierarchy=with_units)


@pytest.mark.parametrize("parameters", [{"lift": 0, "coverage": 0}, {"lift": 1}, {"coverage": 2.0}], ids=str)
def test_every_promise_at_the_ends_of_the_dials(parameters):
    check_retriever(lambda index: MultiLevelRetriever(index, **parameters), build_hierarchy=with_units)


def test_every_promise_with_a_stop():
    make = partial(MultiLevelRetriever, stop=Stop(gap=0.3, share=0.5))
    check_retriever(make, build_hierarchy=with_units, finds_all=False)


@pytest.fixture(scope="module", params=["en", "zh"])
def shelf(request):
    documents = load_corpus(request.param)[:8]
    with temporary_index((make_units(course_hierarchy(d)) for d in documents), embedder=CharNgramEmbedder()) as index:
        yield request.param, index


def slow_scores(index, query):
    """The score of each unit by its id, as the docstring has it: one loop after another, no matrix."""
    units = index.units()
    nodes = units.nodes(range(len(units)))
    vector = index.embed([query])[0].astype(float)
    asked = terms(query, index.language)
    by_document = {}
    for place, node in enumerate(nodes):
        by_document.setdefault(node.doc_id, []).append(place)
    lines = index.lineages(nodes, 1)
    known = {term for node in nodes for term in terms(node.embedding_text, index.language)}
    asked = [term for term in asked if term in known]
    members = [{place: [place] for place in range(len(nodes))}, {}, {}, {}]
    for places in by_document.values():
        for i, place in enumerate(places):
            members[1][place] = places[max(0, i - 1) : i + 2]
            members[2][place] = places[max(0, i - 5) : i + 6]
    sections = {}
    for place, node in enumerate(nodes):  # the families of a unit: its leaf's, its section's, its part's
        sections.setdefault(lines[node.node_id][1].parent.node_id, []).append(place)
    for places in sections.values():
        members[3] |= dict.fromkeys(places, places)
    counts = [Counter(terms(node.embedding_text, index.language)) for node in nodes]
    total = dict.fromkeys(range(len(nodes)), 0.0)
    for level in members:
        groups = [tuple(group) for group in (sections if level is members[3] else level).values()]
        added = [sum((counts[place] for place in group), Counter()) for group in groups]
        mean = sum(bag.total() for bag in added) / len(groups)
        idf = {}
        for term in set(asked):
            having = sum(term in bag for bag in added)
            idf[term] = math.log(1 + (len(groups) - having + 0.5) / (having + 0.5))
        said = {}
        for group, bag in zip(groups, added, strict=True):
            norm = 0.6 * (0.25 + 0.75 * bag.total() / mean)
            words = sum(idf[term] * bag[term] / (bag[term] + norm) for term in asked) / sum(idf[t] for t in asked)
            summed = sum(math.sqrt(units.sizes[place]) * units.vectors[place].astype(float) for place in group)
            said[group] = words + 0.5 * float(summed @ vector) / (np.linalg.norm(summed) or 1)
        for place, places in level.items():
            total[place] += said[tuple(places)] / 4
    return {nodes[place].node_id: score for place, score in total.items()}


@pytest.mark.parametrize("number", range(3))
def test_scores_are_those_of_the_definition(shelf, number):
    language, index = shelf
    query = QUERIES[language][number]
    slow = slow_scores(index, query)
    traced = MultiLevelRetriever(index, lift=0, coverage=0).trace(query, k=60)
    assert len(traced.units) >= 60
    for unit in traced.units:
        assert unit.score == pytest.approx(slow[unit.node.node_id], abs=2e-5)
        assert unit.score == pytest.approx(
            sum(level.words + 0.5 * level.meaning for level in unit.levels.values()) / 4, abs=2e-5
        )
    best = sorted(slow.values(), reverse=True)[: len(traced.units)]
    assert [unit.score for unit in traced.units] == pytest.approx(best, abs=2e-5)


@pytest.fixture
def too_many(monkeypatch):
    """Every index has too many units for their vectors to be in memory."""
    monkeypatch.setattr("hierrag_lessons.store.units.MOST_IN_MEMORY", 0)


def test_candidates_that_are_all_units_are_scored_as_in_memory(shelf, too_many, monkeypatch):
    monkeypatch.setattr("hierrag_lessons.retrievers.multi_level.meaning.NEAREST", 2000)
    language, index = shelf
    exact, wheres = MultiLevelRetriever(index), (None, {"doc_id": index.doc_ids()[:3]})
    assert len(index.units()) < 2000
    with temporary_index(
        (make_units(course_hierarchy(d)) for d in load_corpus(language)[:8]), embedder=CharNgramEmbedder()
    ) as large:
        assert large.units().vectors is None
        for where in wheres:
            for query in QUERIES[language]:
                whole, found = exact.trace(query, 12, where), MultiLevelRetriever(large).trace(query, 12, where)
                assert [u.node for u in found.units] == [u.node for u in whole.units]
                assert [u.score for u in found.units] == pytest.approx([u.score for u in whole.units], abs=2e-6)
                for unit, other in zip(found.units, whole.units, strict=True):
                    for name, said in unit.levels.items():
                        assert said.words == pytest.approx(other.levels[name].words, abs=1e-6)
                        assert said.meaning == pytest.approx(other.levels[name].meaning, abs=1e-6)


@pytest.mark.parametrize("places", [slice(None), np.array([5, 0, 3]), np.array([], int)], ids=str)
def test_vectors_are_those_of_their_units_where_documents_were_added_out_of_order(too_many, places):
    embedder, documents = CharNgramEmbedder(), [with_units(d) for d in load_corpus("en")[:3]]
    with temporary_index([documents[2]], embedder=embedder) as index:
        index.add(documents[0])
        index.add(documents[1])
        units = index.units()
        assert units.row_ids.tolist() != sorted(units.row_ids)
        nodes = units.nodes(np.arange(len(units))[places])
        wanted = embedder.encode([node.embedding_text for node in nodes]).reshape(-1, embedder.dim)
        np.testing.assert_allclose(units.vectors_at(places), wanted, atol=1e-6)


def test_every_promise_with_candidates(too_many):
    check_retriever(MultiLevelRetriever, build_hierarchy=with_units)


def test_few_candidates_come_by_words_by_vector_and_from_the_best_sections(shelf, too_many, monkeypatch):
    language, _ = shelf
    monkeypatch.setattr("hierrag_lessons.retrievers.multi_level.meaning.NEAREST", 3)
    monkeypatch.setattr("hierrag_lessons.retrievers.multi_level.meaning.SECTIONS", 1)
    trees = [make_units(course_hierarchy(d)) for d in load_corpus(language)[:8]]
    with temporary_index(trees, embedder=CharNgramEmbedder()) as index:
        found = MultiLevelRetriever(index, coverage=0).trace(QUERIES[language][0], k=1000).units
        lines = index.lineages([unit.node for unit in found], 1)
        families = {}
        for unit in found:
            families.setdefault(lines[unit.node.node_id][1].parent.node_id, []).append(unit)
        [whole, *_] = sorted(families.values(), key=len, reverse=True)
        below = index.descendants([lines[whole[0].node.node_id][1].parent])
        deepest = max(node.level for nodes in below.values() for node in nodes)
        assert len(whole) == sum(node.level == deepest for nodes in below.values() for node in nodes)
        assert len(whole) < len(found) <= len(whole) + 6
        near = index.search(QUERIES[language][0], 3, level=deepest)
        assert {hit.node.node_id for hit in near} <= {unit.node.node_id for unit in found}


def test_the_levels_are_named_from_the_unit_up(shelf):
    _, index = shelf
    [unit, *_] = MultiLevelRetriever(index).trace("price", k=1).units or MultiLevelRetriever(index).trace("价", 1).units
    assert list(unit.levels) == ["unit", "neighbours", "surroundings", "section"]


def test_passages_are_runs_of_units_in_the_order_of_their_best(shelf):
    language, index = shelf
    found = MultiLevelRetriever(index).trace(QUERIES[language][0], k=30)
    taken = [unit.node for unit in found.units]
    assert len(found.passages) == 30
    assert sorted(hit.node.node_id for p in found.passages for hit in p.hits) == sorted(n.node_id for n in taken)
    for passage in found.passages:
        own = sorted((hit.node for hit in passage.hits), key=lambda node: node.start)
        assert all(one.end == other.start for one, other in pairwise(own))
        assert (passage.start, passage.text) == (own[0].start, "".join(node.text for node in own).rstrip())
        assert passage.score == max(hit.score for hit in passage.hits)


def test_more_passages_begin_with_the_fewer(shelf):
    language, index = shelf
    retriever = MultiLevelRetriever(index)
    many = retriever.retrieve(QUERIES[language][0], 200)
    assert len(many) == 200
    assert [retriever.retrieve(QUERIES[language][0], k) for k in (1, 7, 60)] == [many[:1], many[:7], many[:60]]


def test_at_a_lift_of_one_leaves_come_back_whole(shelf):
    language, index = shelf
    found = MultiLevelRetriever(index, lift=1, coverage=0).trace(QUERIES[language][0], k=400).units
    leaves = [unit.node.parent_id for unit in found]
    firsts = list(dict.fromkeys(leaves))
    assert leaves == [leaf for first in firsts for leaf in leaves if leaf == first]  # no leaf is left and come back to
    whole = index.children(index.nodes(firsts[:-1]))
    assert {node.node_id for node in whole} <= {unit.node.node_id for unit in found}


def test_an_opened_index_has_the_words_without_reading_the_texts_again(tmp_path, monkeypatch):
    documents = load_corpus("zh")[:3]
    made = Index.create(tmp_path / "index", CharNgramEmbedder(), language="zh")
    made.add(make_units(course_hierarchy(document)) for document in documents)
    before = MultiLevelRetriever(made).retrieve(QUERIES["zh"][0], 20)
    opened = Index.open(tmp_path / "index", CharNgramEmbedder())
    monkeypatch.setattr("hierrag_lessons.store.rows.terms", None)
    monkeypatch.setattr(tokens, "count_tokens", None)
    assert MultiLevelRetriever(opened).retrieve(QUERIES["zh"][0], 20) == before


def test_units_come_and_go_with_their_documents(tmp_path):
    def tree(doc_id, text):
        return make_units(build_hierarchy(Document(doc_id, text), [RecursiveChunker(50)]))

    index = Index.create(tmp_path / "index", CharNgramEmbedder())
    retriever = MultiLevelRetriever(index)
    assert retriever.retrieve("otters") == []
    index.add([tree("a", "Otters hold hands."), tree("b", "Dogs do not.")])
    assert [passage.text for passage in retriever.retrieve("otters", 1)] == ["Otters hold hands."]
    kept = index.snapshot()
    index.add(tree("a", "Otters sleep at sea."))
    assert [passage.text for passage in retriever.retrieve("otters", 1)] == ["Otters sleep at sea."]
    assert [passage.text for passage in MultiLevelRetriever(kept).retrieve("otters", 1)] == ["Otters hold hands."]
    index.delete(["a"])
    assert [passage.doc_id for passage in retriever.retrieve("otters", 5)] == ["b"]


def test_an_index_without_units_has_nothing_to_score():
    tree = build_hierarchy(Document("pets", "Otters hold hands."), [RecursiveChunker(50)])
    with temporary_index([tree], embedder=CharNgramEmbedder()) as index, pytest.raises(ValueError, match="make_units"):
        MultiLevelRetriever(index).retrieve("otters")


# --- from scores to passages ----------------------------------------------------------------------

SCORES = st.lists(st.floats(0, 1).map(lambda score: round(score, 2)), min_size=1, max_size=60)


@given(SCORES, st.integers(1, 70), st.data())
def test_the_best_are_those_of_a_full_sort(scores, most, data):
    leaves = np.array(data.draw(st.lists(st.integers(0, 5), min_size=len(scores), max_size=len(scores))))
    places = np.arange(len(scores)) * 2
    wanted = sorted(range(len(scores)), key=lambda i: (-scores[i], leaves[i], i))[:most]
    found = best_first(places, np.array(scores), leaves, most)
    assert found == [Scored(2 * i, scores[i]) for i in wanted]


@given(SCORES, st.floats(0, 1), st.data())
def test_a_lift_goes_from_the_scores_to_the_best_of_the_leaf(scores, lift, data):
    leaves = np.array(data.draw(st.lists(st.integers(0, 5), min_size=len(scores), max_size=len(scores))))
    best = [max(s for s, leaf in zip(scores, leaves, strict=True) if leaf == own) for own in leaves]
    raised = lifted(np.array(scores), leaves, lift)
    assert raised == pytest.approx([(1 - lift) * own + lift * top for own, top in zip(scores, best, strict=True)])


@given(SCORES, st.sampled_from([0.0, 0.25, 1.0]), st.data())
def test_covering_picks_as_a_loop_over_all_would(scores, weight, data):
    ranked = [Scored(place, score) for place, score in enumerate(sorted(scores, reverse=True))]
    has = st.lists(st.integers(0, len(scores) - 1), unique=True).map(sorted)
    words = [(np.array(found, int), 0.5) for found in data.draw(st.lists(has, max_size=3))]
    left, missing, wanted = list(ranked[:FIRST]), list(range(len(words))), []
    while left:
        values = [u.score + weight * sum(0.5 for w in missing if u.place in words[w][0]) for u in left]
        pick = max(range(len(left)), key=lambda i: (values[i], -i))
        wanted.append((left[pick].place, pytest.approx(values[pick])))
        missing = [w for w in missing if left[pick].place not in words[w][0]]
        del left[pick]
    found = covering(ranked, words, weight)
    assert [(unit.place, unit.score) for unit in found[:FIRST]] == wanted
    assert found[FIRST:] == ranked[FIRST:]
    assert all(one.score >= other.score - 1e-9 for one, other in pairwise(found))


@given(st.permutations(range(12)), st.integers(1, 12), st.lists(st.booleans(), min_size=12, max_size=12))
def test_joined_units_are_neighbours_in_text_and_rank(order, k, follows):
    ranked = [Scored(place, 1 - rank / 100) for rank, place in enumerate(order)]
    found = join(ranked, np.array(follows), k)
    assert len(found) <= k
    taken = [place for run in found for place in range(run.first, run.last + 1)]
    assert taken == order[: len(taken)]  # packed one after the other, they come in the order of the units
    assert all(follows[place] for run in found for place in range(run.first + 1, run.last + 1))
    assert [run.score for run in found] == sorted((run.score for run in found), reverse=True)
    assert found == join(ranked, np.array(follows), 12)[:k]


def test_a_stop_leaves_out_what_is_far_below_the_best(shelf):
    language, index = shelf
    query = QUERIES[language][0]
    everything = MultiLevelRetriever(index).trace(query, 200).units
    best = everything[0].taken_with
    for rule in (Stop(gap=0.2), Stop(share=0.7), Stop(gap=0.3, share=0.6)):
        found = MultiLevelRetriever(index, stop=rule).trace(query, 200).units
        assert found == tuple(unit for unit in everything if rule.allows(unit.taken_with, best))
        assert 0 < len(found) < len(everything)


@pytest.mark.parametrize("parameters", [{}, {"gap": -0.1}, {"share": 1.2}, {"gap": float("nan")}, {"share": "half"}])
def test_an_impossible_stop_is_refused(parameters):
    with pytest.raises(ValueError, match=r"gap|share"):
        Stop(**parameters)


@pytest.mark.parametrize("parameters", [{"lift": 1.5}, {"lift": None}, {"coverage": -1}, {"stop": 0.4}], ids=str)
def test_impossible_parameters_are_refused(shelf, parameters):
    with pytest.raises(ValueError, match=rf"^{next(iter(parameters))} is"):
        MultiLevelRetriever(shelf[1], **parameters)
