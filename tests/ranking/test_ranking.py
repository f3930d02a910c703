"""Fusion and diversity, each against its definition written out slowly."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.model import Hit, Node
from hierrag_lessons.ranking import mmr, reciprocal_rank_fusion, rerank, z_score_fusion
from hierrag_lessons.ranking.diversity import marginal_relevances
from hierrag_lessons.ranking.fusion import min_max_scaling

scores = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))
rankings = st.lists(st.dictionaries(st.sampled_from("abcdef"), scores, max_size=6), max_size=4)


# --- reciprocal ranks -------------------------------------------------------------------------------------------------


def test_reciprocal_ranks_are_counted_from_1():
    scores = reciprocal_rank_fusion([["a", "b", "c"], ["c", "a"]])
    assert scores == {"a": 1 / 61 + 1 / 62, "b": 1 / 62, "c": 1 / 63 + 1 / 61}
    assert reciprocal_rank_fusion([["a"], []], constant=0) == {"a": 1.0}
    assert reciprocal_rank_fusion([]) == {}


@given(st.lists(st.permutations("abcde").map(lambda names: names[:3]), max_size=4), st.integers(0, 100))
def test_reciprocal_ranks_are_those_of_the_definition(ranked, constant):
    fused = reciprocal_rank_fusion(ranked, constant)
    assert list(fused) == list(dict.fromkeys(name for ranking in ranked for name in ranking))
    for name, score in fused.items():
        ranks = [ranking.index(name) + 1 for ranking in ranked if name in ranking]
        assert score == pytest.approx(sum(1 / (constant + rank) for rank in ranks))


# --- min-max scaling --------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-50, 50), min_size=1), st.integers(1, 9))
def test_min_max_scaling_keeps_the_shares_of_the_distances(values, factor):
    scaled = min_max_scaling(values)
    assert all(0 <= score <= 1 for score in scaled)
    if len(set(values)) == 1:
        assert set(scaled) == {1.0}
    else:
        assert (min(scaled), max(scaled)) == (0, 1)
        width = max(values) - min(values)
        assert [score * width for score in scaled] == pytest.approx([value - min(values) for value in values])
    assert min_max_scaling([factor * value - 3 for value in values]) == pytest.approx(scaled)
    assert min_max_scaling([]) == []


# --- z-scores ---------------------------------------------------------------------------------------------------------


def expected_z_scores(ranked, missing):
    """Fill up each ranking, standardise it with the standard library, add up id by id."""
    ids = {name for ranking in ranked for name in ranking}
    total = dict.fromkeys(ids, 0.0)
    for ranking, absent in zip(ranked, missing, strict=True):
        full = {name: ranking.get(name, absent) for name in ids}
        if len(set(full.values())) > 1:
            middle, spread = statistics.fmean(full.values()), statistics.pstdev(full.values())
            for name, score in full.items():
                total[name] += (score - middle) / spread
    return total


@given(rankings, st.data())
def test_z_scores_are_those_of_the_definition(ranked, data):
    missing = [min(ranking.values(), default=0.0) for ranking in ranked]
    if data.draw(st.booleans()):
        missing = [data.draw(scores) for _ in ranked]
        fused = z_score_fusion(ranked, missing)
    else:
        fused = z_score_fusion(ranked)
    values = [score for ranking in ranked for score in ranking.values()] + missing
    spreads = [abs(a - b) for a in values for b in values if a != b]
    # Numbers that hardly differ lose their digits in either computation.
    if min(spreads, default=1.0) > 1e-3 * max(1.0, *map(abs, values), 1.0):
        assert fused == pytest.approx(expected_z_scores(ranked, missing), abs=1e-6)
    assert all(math.isfinite(score) for score in fused.values())
    assert list(fused) == list(dict.fromkeys(name for ranking in ranked for name in ranking))


@given(rankings, st.floats(0.01, 100), st.floats(-100, 100))
def test_units_do_not_matter(ranked, factor, shift):
    small = [{name: round(score) % 7 for name, score in ranking.items()} for ranking in ranked]
    moved = [{name: score * factor + shift for name, score in ranking.items()} for ranking in small]
    assert z_score_fusion(moved) == pytest.approx(z_score_fusion(small), abs=1e-6)


def test_a_large_lead_counts_for_more_than_a_small_one():
    ranked = [{"a": 0.90, "b": 0.50, "c": 0.49}, {"b": 5.1, "a": 5.0, "c": 4.9}]
    fused = z_score_fusion(ranked)
    assert fused["a"] > fused["b"]
    ranks = reciprocal_rank_fusion([["a", "b", "c"], ["b", "a", "c"]])
    assert ranks["a"] == ranks["b"]


def test_equal_scores_tell_nothing_apart():
    assert z_score_fusion([{"a": 0.1, "b": 0.1, "c": 0.1}]) == {"a": 0, "b": 0, "c": 0}
    with_other = z_score_fusion([{"a": 0.3, "b": 0.1}, {"a": 7.0, "b": 7.0}])
    assert with_other == z_score_fusion([{"a": 0.3, "b": 0.1}])
    # 0.1 + 0.2 three times: their computed mean is not one of them, and a deviation of 1e-17 would blow it up.
    assert set(z_score_fusion([dict.fromkeys("abc", 0.1 + 0.2)]).values()) == {0.0}


def test_one_hit_alone():
    assert z_score_fusion([{"a": 3.0}]) == {"a": 0.0}
    # Its lowest score is its only one, so by default it cannot be told from what is missing …
    assert z_score_fusion([{"a": 0.2, "b": 0.8}, {"a": 3.0}]) == pytest.approx({"a": -1.0, "b": 1.0})
    # … but where the missing are known to have none, it stands out.
    fused = z_score_fusion([{"a": 0.2, "b": 0.8, "c": 0.5}, {"a": 3.0}], missing=[0.2, 0.0])
    assert fused["a"] == pytest.approx(-math.sqrt(1.5) + math.sqrt(2))
    assert fused["c"] == pytest.approx(-math.sqrt(0.5))


def test_what_is_missing_counts_as_the_lowest():
    fused = z_score_fusion([{"a": 3.0, "b": 2.0, "c": 1.0}, {"d": 1.0, "a": 0.0}])
    full = z_score_fusion([{"a": 3.0, "b": 2.0, "c": 1.0, "d": 1.0}, {"d": 1.0, "a": 0.0, "b": 0.0, "c": 0.0}])
    assert fused == pytest.approx(full)


def test_no_ranking_and_empty_rankings():
    assert z_score_fusion([]) == {}
    assert z_score_fusion([{}, {}]) == {}
    assert z_score_fusion([{}, {"a": 1.0, "b": 2.0}]) == pytest.approx({"a": -1.0, "b": 1.0})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_scores_that_are_no_numbers_are_refused(bad):
    with pytest.raises(ValueError, match="NaN or infinite"):
        z_score_fusion([{"a": bad, "b": 1.0}])
    with pytest.raises(ValueError, match="NaN or infinite"):
        z_score_fusion([{"a": 1.0}, {"b": 1.0}], missing=[bad, 0.0])


def test_missing_needs_a_value_for_each_ranking():
    with pytest.raises(ValueError, match="missing has 1 values for 2 rankings"):
        z_score_fusion([{"a": 1.0}, {"b": 1.0}], missing=[0.0])


# --- maximal marginal relevance ---------------------------------------------------------------------------------------


def expected_mmr(relevance, similarity, k, balance):
    chosen: list[tuple[int, float]] = []
    while len(chosen) < min(k, len(relevance)):
        best = None
        for place in range(len(relevance)):
            if place in [taken for taken, _ in chosen]:
                continue
            nearest = max([0.0, *(float(similarity[place][taken]) for taken, _ in chosen)])
            value = balance * relevance[place] - (1 - balance) * nearest
            if best is None or value > best[1]:
                best = (place, value)
        chosen.append(best)
    return chosen


def unit_vectors(draw, n, dim=3):
    # Whole numbers make many equal vectors, so that ties are not rare.
    rows = [draw(st.lists(st.integers(-2, 2), min_size=dim, max_size=dim).filter(any)) for _ in range(n)]
    array = np.array(rows, dtype=np.float64).reshape(n, dim)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


@given(st.data(), st.integers(0, 8), st.integers(1, 9), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_mmr_is_that_of_the_definition(data, n, k, balance):
    vectors = unit_vectors(data.draw, n)
    relevance = [data.draw(st.integers(-4, 4)) / 4 for _ in range(n)]
    found = marginal_relevances(relevance, vectors, k, balance)
    expected = expected_mmr(relevance, (vectors @ vectors.T).round(12), k, balance)
    # Sums of roots differ in the last digit, so values are compared, and places where no tie decides.
    assert [value for _, value in found] == pytest.approx([value for _, value in expected])
    assert mmr(relevance, vectors, k, balance) == [place for place, _ in found]
    assert len({place for place, _ in found}) == min(k, n)
    values = [value for _, value in found]
    assert values == sorted(values, reverse=True)


def test_a_worked_example():
    """The second text repeats the first; the third is less relevant and new."""
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.8]])
    assert mmr([0.9, 0.89, 0.7], vectors, 3, balance=0.5) == [0, 2, 1]
    assert mmr([0.9, 0.89, 0.7], vectors, 3, balance=1.0) == [0, 1, 2]
    assert mmr([0.9, 0.89, 0.7], vectors, 2, balance=0.5) == [0, 2]
    values = [value for _, value in marginal_relevances([0.9, 0.89, 0.7], vectors, 3, 0.5)]
    assert values == pytest.approx([0.45, 0.5 * 0.7 - 0.5 * 0.6, 0.5 * 0.89 - 0.5 * 1.0])


def test_equal_texts_are_taken_in_their_order():
    vectors = np.tile([1.0, 0.0], (4, 1))
    assert mmr([0.5] * 4, vectors, 4, 0.5) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5], np.ones((1, 1)), 0), "k is 0"),
        (([0.5], np.ones((1, 1)), 1, -0.1), "balance is -0.1"),
        (([0.5], np.ones((1, 1)), 1, 1.5), "balance is 1.5"),
        (([0.5], np.ones((1, 1)), 1, math.nan), "balance is nan"),
        (([0.5, 0.1], np.ones((1, 1)), 1), r"relevance has the shape \(2,\) for 1 vectors"),
        (([math.nan], np.ones((1, 1)), 1), "give a finite value each"),
    ],
)
def test_impossible_choices_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        mmr(*arguments)


def test_nothing_to_choose_from():
    assert mmr([], np.empty((0, 3)), 2) == []


# --- reranking --------------------------------------------------------------------------------------------------------


class LengthReranker:
    """The shorter the better."""

    def score(self, query, texts):
        return np.array([-float(len(text)) for text in texts])


def hit(node_id, text, score, start=0):
    return Hit(Node(node_id, "d", 1, start, start + len(text), text), score)


def test_rerank_gives_new_scores_and_settles_ties():
    hits = [hit("a", "long text", 0.9), hit("b", "hi", 0.8, 50), hit("c", "ho", 0.7, 20)]
    assert [(h.node.node_id, h.score) for h in rerank("q", hits, LengthReranker())] == [
        ("c", -2.0),
        ("b", -2.0),
        ("a", -9.0),
    ]
    assert rerank("q", [], LengthReranker()) == []


@pytest.mark.parametrize("scores", [[1.0], [1.0, math.nan], [[1.0, 2.0]], [1.0, math.inf]])
def test_a_reranker_that_returns_nonsense_is_refused(scores):
    class Nonsense:
        def score(self, query, texts):
            return np.array(scores)

    with pytest.raises(ValueError, match="for 2 texts; return a finite one for each"):
        rerank("q", [hit("a", "a", 1.0), hit("b", "b", 1.0)], Nonsense())


def test_mmr_takes_only_finite_vectors():
    with pytest.raises(ValueError, match="vectors hold NaN or infinite numbers"):
        mmr([0.5, 0.4], [[1.0, 0.0], [math.nan, 0.0]], 2)
    assert mmr([0.5, 0.4], [[1.0, 0.0], [0.0, 1.0]], 2) == [0, 1]
