import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from hierrag_lessons.evaluation import (
    Evidence,
    completeness,
    document_coverage,
    hit_rate,
    iou,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)
from hierrag_lessons.model import Chunk, Passage

ON_SPANS = [recall, precision, iou, hit_rate, reciprocal_rank, ndcg, document_coverage]


def passage(start: int, end: int, doc_id: str = "a") -> Passage:
    return Passage(doc_id, start, end, "x" * (end - start))


def spans(minimum: int, **limits):
    bounds = st.tuples(st.integers(0, 30), st.integers(minimum, 12), st.sampled_from("ab"))
    return st.lists(bounds, **limits)


passages = spans(0, max_size=6).map(lambda items: [passage(start, start + n, doc) for start, n, doc in items])
evidence = spans(1, min_size=1, max_size=4).map(lambda items: [Evidence(doc, s, s + n) for s, n, doc in items])


def places(item) -> set[tuple[str, int]]:
    return {(item.doc_id, i) for i in range(item.start, item.end)}


def all_places(items) -> set[tuple[str, int]]:
    return set().union(*map(places, items))


@given(passages, evidence)
def test_recall_precision_and_iou_agree_with_sets_of_characters(passages, evidence):
    gold, got = all_places(evidence), all_places(passages)
    returned = sum(len(places(p)) for p in passages)
    assert recall(passages, evidence) == len(gold & got) / len(gold)
    assert precision(passages, evidence) == (len(gold & got) / returned if returned else 0)
    assert iou(passages, evidence) == len(gold & got) / (returned + len(gold - got))


@given(passages, evidence)
def test_hits_ranks_and_documents_agree_with_sets_of_characters(passages, evidence):
    gold = all_places(evidence)
    relevant = [bool(places(p) & gold) for p in passages]
    assert hit_rate(passages, evidence) == any(relevant)
    assert reciprocal_rank(passages, evidence) == (1 / (relevant.index(True) + 1) if any(relevant) else 0)
    documents = {item.doc_id for item in evidence}
    assert document_coverage(passages, evidence) == len(documents & {p.doc_id for p in passages}) / len(documents)


def runs(characters: set[tuple[str, int]]) -> list[int]:
    """Lengths of the unbroken runs in a set of characters."""
    starts = [(doc, i) for doc, i in characters if (doc, i - 1) not in characters]
    return [next(n for n in range(1, 100) if (doc, i + n) not in characters) for doc, i in starts]


@given(passages, evidence, st.none() | st.integers(1, 8))
def test_ndcg_agrees_with_scikit_learn(passages, evidence, k):
    missing, relevance = all_places(evidence), []
    for item in passages:
        relevance.append(len(places(item) & missing))
        missing -= places(item)
    missed = runs(missing)
    # What no passage shows is relevant too, but ranked far behind everything that was returned.
    filler = [0] * 20
    relevance += filler + missed
    last = len(passages) + len(filler)
    expected = ndcg_score([relevance], [-np.arange(len(relevance))], k=last if k is None else k)
    assert ndcg(passages, evidence, k) == pytest.approx(expected)


@given(passages, evidence)
def test_every_measure_lies_between_0_and_1_and_gold_alone_scores_1(passages, evidence):
    for measure in ON_SPANS:
        assert 0 <= measure(passages, evidence) <= 1
        assert measure([], evidence) == 0
    apart = [item for i, item in enumerate(evidence) if not places(item) & all_places(evidence[:i])]
    apart.sort(key=lambda item: item.start - item.end)
    for measure in ON_SPANS:
        assert measure(apart, apart) == 1


@given(passages, evidence)
def test_a_repeated_passage_costs_precision_and_nothing_else(passages, evidence):
    twice = passages + passages
    for measure in (recall, hit_rate, reciprocal_rank, ndcg, document_coverage):
        assert measure(twice, evidence) == pytest.approx(measure(passages, evidence))
    assert precision(twice, evidence) == pytest.approx(precision(passages, evidence) / 2)


def test_by_hand():
    gold = [Evidence("a", 10, 20), Evidence("b", 0, 10)]
    found = [passage(30, 40), passage(5, 15), passage(10, 25)]
    assert recall(found, gold) == 10 / 20
    assert precision(found, gold) == 10 / 35  # 10 to 15 is found once and paid for twice
    assert iou(found, gold) == 10 / (35 + 10)
    assert hit_rate(found, gold) == 1
    assert reciprocal_rank(found, gold) == 1 / 2
    assert document_coverage(found, gold) == 1 / 2
    # Gains 0, 5, 5; the ideal list is the missed 10, then 5, 5.
    ideal = 10 + 5 / math.log2(3) + 5 / 2
    assert ndcg(found, gold) == pytest.approx((5 / math.log2(3) + 5 / 2) / ideal)
    assert ndcg(found, gold, k=1) == 0
    assert ndcg(found, gold, k=2) == pytest.approx((5 / math.log2(3)) / (10 + 5 / math.log2(3)))


def test_evidence_that_overlaps_itself_is_not_counted_twice():
    assert recall([passage(0, 10)], [Evidence("a", 0, 10), Evidence("a", 5, 20)]) == 10 / 20


def test_spans_that_only_touch_do_not_overlap():
    assert hit_rate([passage(0, 10), passage(20, 30)], [Evidence("a", 10, 20)]) == 0


def test_chunks_can_be_measured_as_well():
    assert recall([Chunk("a", 0, 5, "12345")], [Evidence("a", 0, 10)]) == 0.5


@pytest.mark.parametrize("measure", ON_SPANS)
def test_without_evidence_nothing_can_be_measured(measure):
    with pytest.raises(ValueError, match="evidence is empty; leave unanswerable questions out"):
        measure([passage(0, 5)], [])


def test_ndcg_refuses_a_k_below_one():
    with pytest.raises(ValueError, match="k is 0"):
        ndcg([passage(0, 5)], [Evidence("a", 0, 5)], k=0)


@pytest.mark.parametrize(
    ("fact", "text", "found"),
    [
        ("4.2 %", "It grew by 4.2\n %.", True),
        ("Chief Executive", "the CHIEF   executive officer", True),
        ("straße", "in der STRASSE", True),
        ("café", "a cafe\u0301 there", True),
        ("15%", "涨幅为１５％。", True),
        ("１５％", "up 15% this year", True),
        ("30天", "提前 30 天申请", True),
        ("提前 30 天", "须提前30\n天申请", True),
        ("年假十五天", "每年有年假\n十五天。", True),
        ("in 30 days", "in30days", False),
        ("4.2", "about 14.2 million", False),
        ("4.2", "about 4.25 million", False),
        ("2 million", "about 4.2 million", False),
        ("200", "1,200 units", False),
        ("1", "1,200 units", False),
        ("1,200", "11,200 units", False),
        ("1,200", "1,200, then", True),
        ("3.14", "it is 3.14.", True),
        ("3", "Q3 revenue", False),
        ("Q3", "in Q3, revenue", True),
        ("$15", "US$15", True),
        ("$15", "$150", False),
        ("rate", "the corporate plan", False),
        ("rate", "the rates", True),
        ("day", "30 days", True),
        ("10.5", "1035", False),
        ("15天", "115天", False),
        ("a.b", "axb", False),
    ],
)
def test_what_counts_as_an_occurrence_of_a_key_fact(fact, text, found):
    assert completeness(text, [fact]) == found


def test_completeness_is_a_share():
    assert completeness("Revenue rose 4.2 % to $10 million.", ["4.2 %", "$10 million", "2023"]) == pytest.approx(2 / 3)
    assert completeness("", ["4.2 %"]) == 0


@given(st.text(max_size=20), st.text(max_size=20), st.text("ab1 中", min_size=1).filter(str.strip))
def test_a_fact_between_bars_is_always_found(before, after, fact):
    assert completeness(f"{before} | {fact} | {after}", [fact]) == 1


@pytest.mark.parametrize(("facts", "message"), [([], "key_facts is empty"), (["x", " \t"], "key fact .* is blank")])
def test_completeness_needs_key_facts(facts, message):
    with pytest.raises(ValueError, match=message):
        completeness("x", facts)
