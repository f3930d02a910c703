"""The labelled statements, and the agreement of two who judge."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from hierrag_lessons.answers import ContainmentJudge, agreement, load_statements
from hierrag_lessons.model import Document
from hierrag_lessons.reading import DATA_DIR, load_corpus

LINES = (DATA_DIR / "answers" / "statements.jsonl").read_text(encoding="utf-8").splitlines()
FAULTS = {
    "supported": {""},
    "partly": {"invented addition", "condition dropped"},
    "not_supported": {"wrong number", "wrong subject", "wrong time", "negated", "other place"},
}
words = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=40)


@pytest.fixture(scope="module")
def statements():
    return load_statements()


def test_sixty_statements_of_all_labels_in_both_languages(statements):
    assert [statement.id for statement in statements] == [f"st-{place:02}" for place in range(1, 61)]
    assert Counter(statement.label for statement in statements) == {"supported": 26, "partly": 11, "not_supported": 23}
    assert Counter(statement.language for statement in statements) == {"en": 48, "zh": 12}
    assert all(statement.fault in FAULTS[statement.label] for statement in statements)


def test_each_quote_stands_where_it_says_and_nowhere_else(statements):
    texts = {document.doc_id: document.text for language in ("en", "zh") for document in load_corpus(language)}
    for statement, line in zip(statements, LINES, strict=True):
        quote = statement.quote
        assert texts[quote.doc_id][quote.start : quote.end] == quote.text == json.loads(line)["quote"]
        assert texts[quote.doc_id].count(quote.text) == 1


def test_words_mislead_on_purpose(statements):
    """The set holds what counting words gets wrong, in both directions."""
    found = Counter(
        (
            statement.label,
            ContainmentJudge(language=statement.language).judge(statement.statement, statement.quote.text),
        )
        for statement in statements
    )
    assert found["supported", "not_supported"] >= 5
    assert found["not_supported", "supported"] >= 5


def test_a_quote_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"statements.jsonl, line 1: .*en/transparency_act"):
        load_statements([Document("en/transparency_act", "Something else.")])


@given(words)
def test_kappa_is_that_of_scikit_learn(pairs):
    labels, verdicts = zip(*pairs, strict=True)
    found = agreement(labels, verdicts)
    if len({*labels, *verdicts}) > 1:
        assert found.kappa == pytest.approx(cohen_kappa_score(labels, verdicts), abs=1e-8)
    assert found.share_interval.low <= found.share <= found.share_interval.high
    assert sum(cell for row in found.table.rows for cell in row[1:]) == found.n == len(pairs)


def test_always_the_same_word_agrees_by_chance_alone():
    assert agreement(["a", "a"], ["a", "a"]).kappa == 0
    assert agreement(["a", "b"] * 9, ["a", "b"] * 9).kappa == 1


def test_the_interval_narrows_with_more_statements():
    few, many = (agreement(["a", "b", "b"] * n, ["a", "b", "a"] * n).kappa_interval for n in (5, 50))
    assert few.high - few.low > many.high - many.low > 0


def test_the_interval_of_kappa_holds_95_percent():
    labels, verdicts = ["a"] * 80 + ["b"] * 100, ["a"] * 56 + ["b"] * 104 + ["a"] * 20
    drawn = np.random.default_rng(1).integers(0, len(labels), (2000, len(labels)))
    kappas = [cohen_kappa_score(np.array(labels)[rows], np.array(verdicts)[rows]) for rows in drawn]
    interval = agreement(labels, verdicts).kappa_interval
    assert np.quantile(kappas, [0.025, 0.975]).tolist() == pytest.approx([interval.low, interval.high], abs=0.01)
    assert np.quantile(kappas, 0.95) < interval.high - 0.01


def test_labels_and_verdicts_are_as_many():
    with pytest.raises(ValueError, match="labels has 2 and verdicts 1"):
        agreement(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="labels has 0"):
        agreement([], [])
