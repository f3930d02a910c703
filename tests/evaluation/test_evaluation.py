import re

import numpy as np
import pytest

from hierrag_lessons.context import pack
from hierrag_lessons.evaluation import (
    METRICS,
    Evidence,
    Question,
    bootstrap_interval,
    budget_curve,
    compare,
    evaluate,
    metrics,
    paired_difference,
    paired_test,
)
from hierrag_lessons.model import Passage, sort_key
from hierrag_lessons.text import count_tokens


class WordOverlap:
    """A real retriever without an index: paragraphs of ``size`` characters, scored by the words that they share."""

    def __init__(self, documents, size=400):
        self.passages = [
            Passage(document.doc_id, start, min(start + size, len(document.text)), document.text[start : start + size])
            for document in documents
            for start in range(0, len(document.text), size)
        ]
        self.words = [set(re.findall(r"\w+", passage.text.lower())) for passage in self.passages]

    def retrieve(self, query, k=5):
        asked = set(re.findall(r"\w+", query.lower()))
        scored = [
            Passage(p.doc_id, p.start, p.end, p.text, score=len(asked & words) / len(asked))
            for p, words in zip(self.passages, self.words, strict=True)
        ]
        return sorted(scored, key=sort_key)[:k]

    def retrieve_batch(self, queries, k=5):
        return [self.retrieve(query, k) for query in queries]


@pytest.fixture(scope="module")
def documents(reference):
    return [document for document in reference if 1000 < len(document.text) < 12000][:40]


@pytest.fixture(scope="module")
def questions(documents):
    rng = np.random.default_rng(0)
    made = []
    for i, document in enumerate(documents):
        start = int(rng.integers(0, len(document.text) - 400))
        words = re.findall(r"\S*\w\S*", document.text[start : start + 300])
        wanted = " ".join(words[3:-1][::4])  # not word for word
        kind, facts = ("process", ()) if i % 3 == 0 else ("single_fact", (words[5], words[9], "no such thing"))
        language = "zh" if i % 5 == 0 else "en"
        evidence = (Evidence(document.doc_id, start, start + 300),)
        made.append(Question(f"q{i}", wanted, kind, "", evidence, facts, language))
    made.append(Question("none", "who won the football match", "unanswerable", "", ()))
    return made


@pytest.fixture(scope="module")
def small(documents, questions):
    return evaluate(WordOverlap(documents, 400), questions, (200, 800))


@pytest.fixture(scope="module")
def large(documents, questions):
    return evaluate(WordOverlap(documents, 2000), questions, (200, 800))


def test_every_row_holds_the_measures_of_its_packed_context(documents, questions, small):
    assert [(row.question.id, row.budget) for row in small.rows] == [(q.id, b) for q in questions for b in (200, 800)]
    retriever = WordOverlap(documents, 400)
    for row in small.rows:
        everything = retriever.retrieve(row.question.question, k=10**6)
        packed = pack(everything, row.budget)
        assert list(row.passages) == packed
        expected = {"context_tokens": sum(count_tokens(p.text) for p in packed)}
        if row.question.type != "unanswerable":
            expected |= {
                "recall": metrics.recall(packed, row.question.evidence),
                "precision": metrics.precision(packed, row.question.evidence),
                "iou": metrics.iou(packed, row.question.evidence),
                "hit_rate": metrics.hit_rate(packed, row.question.evidence),
                "mrr": metrics.reciprocal_rank(packed, row.question.evidence),
                "ndcg": metrics.ndcg(packed, row.question.evidence),
                "document_coverage": metrics.document_coverage(packed, row.question.evidence),
                "complete": float(metrics.recall(packed, row.question.evidence) >= 0.95),
            }
        if row.question.key_facts:
            text = " ".join(p.text for p in packed)
            expected["completeness"] = metrics.completeness(text, row.question.key_facts)
        assert row.metrics == expected


def test_budgets_are_full_and_never_exceeded(small, large):
    for result in (small, large):
        for row in result.rows:
            assert 0.95 * row.budget <= row.metrics["context_tokens"] <= row.budget


def test_more_context_never_loses_recall(small, large):
    for result in (small, large):
        little, much = result.scores("recall", 200), result.scores("recall", 800)
        assert all(much[name] >= little[name] for name in little)
        assert result.mean("recall", 800) > result.mean("recall", 200)


def test_means_are_over_the_chosen_questions(questions, small):
    scores = small.scores("recall", 800)
    assert list(scores) == [q.id for q in questions if q.type != "unanswerable"]
    assert small.mean("recall", 800) == pytest.approx(np.mean(list(scores.values())))
    for kind in ("process", "single_fact"):
        for language in ("en", "zh"):
            ids = [q.id for q in questions if (q.type, q.language) == (kind, language)]
            assert small.mean("recall", 800, type=kind, language=language) == pytest.approx(
                np.mean([scores[name] for name in ids])
            )


def test_unanswerable_questions_are_reported_apart(questions, small):
    assert small.scores("recall", 800, type="unanswerable") == {}
    assert list(small.scores("context_tokens", 800, type="unanswerable")) == ["none"]
    assert "none" not in small.scores("context_tokens", 800)
    with pytest.raises(ValueError, match="no question of this type and language has this measure"):
        small.mean("recall", 800, type="unanswerable")
    last = small.table().records()[-1]
    assert (last["type"], last["questions"], last["recall"]) == ("unanswerable", 1, None)
    assert last["context_tokens"] == small.mean("context_tokens", 800, type="unanswerable")


def test_only_questions_with_key_facts_have_completeness(questions, small):
    assert list(small.scores("completeness", 200)) == [q.id for q in questions if q.key_facts]
    assert 0 < small.mean("completeness", 800) <= 2 / 3


def test_the_table_has_each_budget_and_type(questions, small):
    records = small.table(["recall", "completeness"]).records()
    assert [(r["budget"], r["type"]) for r in records] == [
        (budget, kind) for budget in (200, 800) for kind in ("all answerable", "process", "single_fact", "unanswerable")
    ]
    assert records[0]["questions"] == len(questions) - 1
    assert records[0]["recall"] == small.mean("recall", 200)
    assert records[1]["completeness"] is None
    assert records[2]["completeness"] == small.mean("completeness", 200)
    chinese = small.table(["recall"], language="zh").records()
    assert chinese[0]["questions"] == sum(q.language == "zh" and q.type != "unanswerable" for q in questions)
    assert repr(small) == f"Result({len(questions)} questions, budgets 200, 800)"


def test_compare_gives_means_intervals_and_paired_differences(small, large):
    table = compare({"small": small, "large": large}, "recall", 800)
    first, second = table.records()
    a, b = list(small.scores("recall", 800).values()), list(large.scores("recall", 800).values())
    assert first == {
        "method": "small",
        "questions": len(a),
        "context_tokens": small.mean("context_tokens", 800),
        "recall": small.mean("recall", 800),
        "low": bootstrap_interval(a).low,
        "high": bootstrap_interval(a).high,
        "difference": None,
        "difference low": None,
        "difference high": None,
        "p": None,
    }
    assert second["recall"] == large.mean("recall", 800)
    assert second["difference"] == large.mean("recall", 800) - small.mean("recall", 800)
    assert (second["difference low"], second["difference high"]) == paired_difference(b, a)
    assert second["p"] == paired_test(b, a)
    assert a != b  # otherwise the two lines above would say nothing
    assert "difference from small" in table.caption


def test_compare_pairs_by_question_and_not_by_order(documents, questions, small):
    backwards = evaluate(WordOverlap(documents, 400), questions[::-1], (800,))
    _, second = compare({"a": small, "b": backwards}, "recall", 800).records()
    assert (second["difference"], second["difference low"], second["difference high"], second["p"]) == (0, 0, 0, 1)


def test_compare_keeps_to_a_type_and_its_tokens(documents, questions, small):
    class OnlyTheBest(WordOverlap):  # never fills a budget, so that the tokens differ from question to question
        def retrieve(self, query, k=5):
            return super().retrieve(query, 1)

    best = evaluate(OnlyTheBest(documents), questions, (800,))
    record = compare({"a": small, "b": best}, "completeness", 800, language="en").records()[1]
    chosen = best.scores("completeness", 800, language="en")
    tokens = best.scores("context_tokens", 800)
    assert record["questions"] == len(chosen) < len(tokens)
    assert record["context_tokens"] == pytest.approx(np.mean([tokens[name] for name in chosen]))
    assert record["context_tokens"] != pytest.approx(best.mean("context_tokens", 800))


def test_the_budget_curve_holds_the_means_and_their_intervals(small, large):
    table = budget_curve({"small": small, "large": large}, "recall", type="single_fact")
    assert table.columns == ("method", "budget", "context_tokens", "recall", "low", "high")
    assert [(r["method"], r["budget"]) for r in table.records()] == [
        ("small", 200),
        ("small", 800),
        ("large", 200),
        ("large", 800),
    ]
    for record in table.records():
        result = {"small": small, "large": large}[record["method"]]
        assert record["recall"] == result.mean("recall", record["budget"], type="single_fact")
        assert record["context_tokens"] == result.mean("context_tokens", record["budget"], type="single_fact")
        assert record["low"] <= record["recall"] <= record["high"]


def test_a_scope_is_kept_to(documents, questions):
    doc_id = max(documents, key=lambda document: len(document.text)).doc_id
    question = Question("s", questions[3].question, "t", None, (Evidence(doc_id, 0, 5),), scope=doc_id)
    [row] = evaluate(WordOverlap(documents), [question], (300,)).rows
    assert {p.doc_id for p in row.passages} == {doc_id}
    assert row.metrics["context_tokens"] > 285


def test_the_same_evaluation_twice_is_the_same(documents, questions, small):
    assert evaluate(WordOverlap(documents, 400), iter(questions), [800, 200, 800], k=3) == small


def test_other_measures_of_size(documents, questions):
    result = evaluate(WordOverlap(documents), questions, (500,), measure=len)
    assert all(row.metrics["context_tokens"] == sum(len(p.text) for p in row.passages) <= 500 for row in result.rows)
    assert result.mean("context_tokens") > 495


def test_every_metric_can_be_compared(small, large):
    for metric in METRICS:
        assert len(compare({"a": small, "b": large}, metric, 200).rows) == 2


def test_bad_input_is_named(documents, questions, small, large):
    retriever = WordOverlap(documents)
    with pytest.raises(ValueError, match="questions: 0"):
        evaluate(retriever, [])
    with pytest.raises(ValueError, match=r"come twice: \['q0'\]"):
        evaluate(retriever, [questions[0], questions[0]])
    with pytest.raises(ValueError, match="k is 0"):
        evaluate(retriever, questions, k=0)
    with pytest.raises(ValueError, match=r"budgets\[0\] is 0; give 1 or more"):
        evaluate(retriever, questions, (0,))
    with pytest.raises(ValueError, match="metric is 'recal'; give one of recall, precision"):
        small.mean("recal", 200)
    with pytest.raises(ValueError, match="budget is None; give one of 200, 800"):
        small.mean("recall")
    with pytest.raises(ValueError, match="budget is 300; give one of 200, 800"):
        small.mean("recall", 300)
    with pytest.raises(ValueError, match="results is empty"):
        compare({}, "recall", 200)
    with pytest.raises(ValueError, match=r"have the budgets \[200, 800\]; name the one"):
        compare({"a": small}, "recall")
    with pytest.raises(ValueError, match="no question of this type"):
        compare({"a": small}, "recall", 200, type="dialogue")
    other = evaluate(retriever, questions[1:], (200,))
    with pytest.raises(ValueError, match=r"'a' and 'b' differ in the questions \['q0'\]"):
        compare({"a": small, "b": other}, "recall", 200)


def test_methods_at_different_budgets_are_not_compared_by_default(documents, questions):
    little, much = (evaluate(WordOverlap(documents), questions, (budget,)) for budget in (100, 200))
    with pytest.raises(ValueError, match=r"budgets \[100, 200\]"):
        compare({"little": little, "much": much})
