"""The rule for evidence: adjusted p-values, what so many questions can show, and the words for a difference."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons import Evidence, Question, Result, Row, detectable, holm, score_verdicts, verdict, verdicts

P = st.floats(0, 1)


def slow_holm(p_values):
    """Each p-value times the number of those that are not smaller, at most 1, and never below a smaller one's."""
    return [
        max(
            min(1.0, q * sum(r >= q if i == j else r >= q and (r > q or j >= i) for j, r in enumerate(p_values)))
            for i, q in enumerate(p_values)
            if q <= p
        )
        for p in p_values
    ]


@given(st.lists(P, min_size=1, max_size=8))
def test_holm_is_between_the_plain_value_and_bonferronis(p_values):
    adjusted = holm(p_values)
    for plain, found in zip(p_values, adjusted, strict=True):
        assert plain <= found <= min(1.0, plain * len(p_values)) + 1e-12
    assert [adjusted[i] for i in np.argsort(p_values, kind="stable")] == sorted(adjusted)


@given(st.lists(P, min_size=1, max_size=8, unique=True))
def test_holm_is_its_definition(p_values):
    assert holm(p_values) == pytest.approx(slow_holm(p_values))


def test_holm_agrees_with_the_example_of_the_paper():
    assert holm([0.01, 0.02, 0.022, 0.09]) == pytest.approx([0.04, 0.06, 0.06, 0.09])


@pytest.mark.parametrize("p_values", [[0.5, 1.2], [-0.1], ["0.5"], [float("nan")], 0.5])
def test_holm_refuses_what_is_no_p_value(p_values):
    with pytest.raises(ValueError, match="p_values"):
        holm(p_values)


def test_a_difference_as_large_as_the_detectable_one_is_shown_four_times_in_five():
    rng = np.random.default_rng(3)
    spread, questions = 0.3, 120
    least = statistics.fmean(detectable(rng.normal(0, spread, questions).tolist()) for _ in range(200))
    shown = 0
    for _ in range(2000):
        sample = rng.normal(least, spread, questions)
        shown += sample.mean() - 1.96 * sample.std(ddof=1) / questions**0.5 > 0
    assert shown / 2000 == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("differences", [[], [0.1], [0.1, float("nan")], "12"])
def test_a_spread_needs_two_numbers(differences):
    with pytest.raises(ValueError, match="differences"):
        detectable(differences)


@pytest.mark.parametrize(
    ("low", "high", "p", "words"),
    [
        (0.01, 0.05, 0.01, "ahead"),
        (-0.05, -0.01, 0.049, "behind"),
        (0.01, 0.05, 0.05, "no difference shown (+0.01 to +0.05)"),
        (-0.01, 0.05, 0.01, "no difference shown (-0.01 to +0.05)"),
    ],
)
def test_a_verdict_needs_both_the_interval_and_the_test(low, high, p, words):
    assert verdict(low, high, p) == words


def test_a_verdict_on_an_impossible_interval_is_refused():
    with pytest.raises(ValueError, match=r"high is 0\.1"):
        verdict(0.2, 0.1, 0.5)


def result(scores):
    """Scores at the budgets 10 and 20, of questions with the names q0, q1, …"""
    rows = []
    for number, pair in enumerate(scores):
        question = Question(f"q{number}", "?", "single", None, (Evidence("d", 0, 1),))
        for budget, value in zip((10, 20), pair, strict=True):
            rows.append(Row(question, budget, (), {"recall": value, "context_tokens": budget}))
    return Result(tuple(rows))


def test_methods_are_compared_by_their_mean_over_the_budgets():
    rng = np.random.default_rng(0)
    base = rng.uniform(0.2, 0.6, (60, 2))
    found = verdicts(
        {
            "base": result(base),
            "better": result(base + 0.3),
            "worse": result(base - rng.uniform(0.1, 0.2, (60, 2))),
            "same": result(base + rng.normal(0, 0.1, (60, 2))),
            "early": result(base + np.array([0.1, -0.1])),
        }
    )
    words = {record["method"]: record["verdict"] for record in found.records()}
    assert (words["better"], words["worse"]) == ("ahead", "behind")
    assert words["same"].startswith("no difference shown (")
    assert words["early"].startswith("no difference shown (")
    assert found.records()[0]["recall"] == pytest.approx(base.mean())
    assert found.records()[1]["difference"] == pytest.approx(0.3)
    assert "mean over 10 and 20 tokens; against base" in found.caption
    assert "60 questions show " in found.caption
    early = verdicts({"base": result(base), "early": result(base + np.array([0.1, -0.1]))}, budgets=[10]).records()[1]
    assert early["verdict"] == "ahead"


def test_other_questions_and_one_method_are_refused():
    one = result([(0.1, 0.2), (0.3, 0.4)])
    with pytest.raises(ValueError, match="results has 1 methods"):
        verdicts({"one": one})
    with pytest.raises(ValueError, match=r"differ in the questions \['q2'\]"):
        verdicts({"one": one, "two": result([(0.1, 0.2)] * 3)})


def test_scores_that_are_there_already_give_the_table_of_the_results():
    old = {f"q{n}": n % 5 / 10 for n in range(30)}
    new = {name: score + (0.1 if name[-1] in "123" else 0.0) for name, score in old.items()}
    table = score_verdicts({"old": old, "new": new}, "recall", "on thirty questions")
    first, second = table.records()
    assert first["recall"] == pytest.approx(statistics.fmean(old.values()))
    assert second["difference"] == pytest.approx(statistics.fmean(new[q] - old[q] for q in old))
    assert second["verdict"] == "ahead"
    assert table.caption.startswith(
        "recall, on thirty questions; against old; p adjusted after Holm; 30 questions show"
    )


@pytest.mark.parametrize(
    ("scores", "said"), [({"a": {"q": 1.0}}, "1 methods"), ({"a": {"q": 1.0}, "b": {"r": 1.0}}, "'q', 'r'")]
)
def test_scores_that_cannot_be_compared_are_refused(scores, said):
    with pytest.raises(ValueError, match=said):
        score_verdicts(scores, "recall")
