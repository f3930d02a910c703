"""What is recommended: never more than the questions can tell."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.evaluation import Evidence, Question, Result, Row
from hierrag_lessons.own_documents.choosing import WORTH
from hierrag_lessons.own_documents.leads import halves, lead
from hierrag_lessons.own_documents.recommending import recommend

EFFORTS = {"flat": 0, "large": 0, "window": 1, "tree": 3}


def made(*recalls):
    """A result in which question ``i`` has the ``i``-th recall."""
    evidence = (Evidence("d", 0, 4),)
    return Result(
        tuple(
            Row(Question(f"q{i}", "Why?", "a", None, evidence), 1000, (), {"recall": value})
            for i, value in enumerate(recalls)
        )
    )


def noisy(n, mean, seed=0, spread=0.2):
    lot = Random(seed)
    return made(*[min(1.0, max(0.0, lot.gauss(mean, spread))) for _ in range(n)])


def test_a_method_that_is_ahead_is_recommended():
    results = {"flat": made(*[0.2] * 60), "window": made(*[0.2] * 60), "tree": made(*[0.6, 0.8] * 30)}
    found = recommend(results, EFFORTS)
    assert (found.method, found.decided, found.more) == ("tree", True, 0)
    assert found.lead.difference == pytest.approx(0.5)
    assert found.lead.low <= 0.5 <= found.lead.high
    assert "+0.50" in found.text


def test_the_simpler_one_where_more_is_not_worth_it():
    flat, tree = [0.2, 0.3] * 30, [0.7] * 59 + [1.0]
    results = {"flat": made(*flat), "window": made(*[0.7] * 60), "tree": made(*tree)}
    found = recommend(results, EFFORTS)
    assert (found.method, found.best, found.decided) == ("window", "tree", True)
    assert "'tree' has 0.70, +0.01 (+0.00 to +0.02) more: less than the 0.05" in found.text


@pytest.mark.parametrize(("n", "more"), [(90, 0.01), (1000, 0.01), (1000, 0.03)])
def test_a_lead_that_is_shown_and_small_is_no_reason_for_an_effort(n, more):
    flat = [0.8, 0.9, 0.7] * (n // 3)
    results = {"flat": made(*flat), "tree": made(*[value + more * (i % 3) for i, value in enumerate(flat)])}
    found = recommend(results, EFFORTS)
    assert found.lead.shown
    assert (found.method, found.best, found.decided) == ("flat", "tree", True)
    assert "less is not worth an effort" in found.text


def test_the_yardstick_where_more_is_ruled_out():
    results = {"flat": made(*[0.9] * 80), "tree": made(*[0.9] * 79, 0.95)}
    found = recommend(results, EFFORTS)
    assert (found.method, found.decided) == ("flat", True)
    assert f"{WORTH:.2f} more is ruled out" in found.text


def test_forty_questions_cannot_rule_out_what_one_in_twenty_shows():
    results = {"flat": made(*[0.9] * 40), "tree": made(*[0.9] * 39, 0.95)}
    assert not recommend(results, EFFORTS).decided


def test_where_it_cannot_be_told_it_says_how_many_questions_would():
    results = {"flat": made(*[0, 1, 0, 1, 0, 1, 0, 0] * 5), "tree": made(*[1, 0, 0, 1, 1, 1, 0, 0] * 5)}
    found = recommend(results, EFFORTS)
    assert (found.method, found.decided) == ("flat", False)
    # One comparison: 1.96 + 0.84 standard errors, and a difference of 0.05 although 0.12 was found.
    needed = 40 * ((found.detectable / WORTH) ** 2 - 1)
    assert found.more == pytest.approx(needed, abs=12)
    assert f"Label about {found.more:,} more" in found.text


def test_more_methods_or_a_smaller_difference_ask_for_more_questions():
    flat, tree = made(0, 1, 0, 1, 0, 1, 0, 0), made(1, 0, 0, 1, 1, 1, 1, 0)
    small = made(0, 1, 0.3, 0.8, 0, 1, 0.2, 0)
    two = recommend({"flat": flat, "tree": tree}, EFFORTS)
    three = recommend({"flat": flat, "tree": tree, "window": flat}, EFFORTS)
    assert three.more > two.more
    assert "see a difference of 0.05" in two.text
    assert "see a difference of 0.04" in recommend({"flat": flat, "tree": small}, EFFORTS).text


def test_what_the_questions_cannot_judge_is_not_recommended():
    results = {"flat": made(*[0.2] * 40), "window": made(*[0.5] * 40), "tree": made(*[0.9] * 40)}
    assert recommend(results, EFFORTS, never=["tree"]).method == "window"
    with pytest.raises(ValueError, match="leave one or more"):
        recommend(results, EFFORTS, never=["tree", "window"])


@pytest.mark.parametrize(("efforts", "said"), [({"flat": 0}, "has none of"), ({"flat": 1, "tree": 3}, "give 0")])
def test_bad_efforts_are_refused(efforts, said):
    with pytest.raises(ValueError, match=said):
        recommend({"flat": made(0, 1), "tree": made(1, 0)}, efforts)


# --- one table of scores and verdicts ---------------------------------------------------------------------------------


TABLE = {
    "ahead of the rest": ({"flat": (0.2, 0.3), "tree": (0.8, 0.7)}, 60, "tree", True, "Take 'tree'"),
    "one is perfect, and that is no reason to call the questions easy": (
        {"flat": (0.5, 0.4), "window": (0.5, 0.4), "tree": (1.0,)},
        *(60, "tree", True, "Take 'tree'"),
    ),
    "one finds nothing, and that is no reason to call the questions hard": (
        {"flat": (0.0,), "tree": (0.8, 0.7)},
        *(60, "tree", True, "Take 'tree'"),
    ),
    "all are perfect": ({"flat": (1.0,), "tree": (1.0, 0.99)}, 60, "flat", False, "too easy"),
    "none finds anything": ({"flat": (0.0,), "tree": (0.0, 0.02)}, 60, "flat", False, "too hard"),
    "the best is surely less than 0.05 before a simpler one": (
        {"flat": (0.2, 0.3), "window": (0.70, 0.60), "tree": (0.73, 0.62)},
        *(60, "window", True, "less than the 0.05"),
    ),
    "by the mean it is less than 0.05 before a simpler one, by the interval it may be more": (
        {"flat": (0.2, 0.3), "window": (0.5, 0.8), "tree": (0.83, 0.53)},
        *(60, "tree", True, "Take 'tree'"),
    ),
    "the same on two halves": (
        {"flat": (0.2, 0.3, 0.1), "window": (0.5, 0.8, 0.6), "tree": (0.83, 0.53, 0.63)},
        *(200, "tree", True, "that chose nothing"),
    ),
    "on the half that chooses, 0.08 behind is not as good": (
        {"flat": (0.2, 0.3), "window": (0.60, 0.65), "tree": (0.68, 0.73)},
        *(200, "tree", True, "that chose nothing"),
    ),
    "on the half that chooses, 0.005 behind is as good": (
        {"flat": (0.2, 0.3), "window": (0.600, 0.650), "tree": (0.605, 0.655)},
        *(200, "window", True, "that chose nothing"),
    ),
    "a simpler one that is not ahead of the yardstick is no way out": (
        {"flat": (0.5, 0.4), "window": (0.5, 0.4), "tree": (0.8, 0.7)},
        *(200, "tree", True, "that chose nothing"),
    ),
    "far apart, and too few": ({"flat": (0.1, 0.2), "tree": (0.9, 0.8)}, 29, "flat", False, "are too few"),
    "just enough": ({"flat": (0.1, 0.2), "tree": (0.9, 0.8)}, 30, "tree", True, "Take 'tree'"),
    "as good as the yardstick": ({"flat": (0.5, 0.6), "tree": (0.51, 0.6)}, 80, "flat", True, "is ruled out"),
    "behind": ({"flat": (0.8, 0.7), "tree": (0.3, 0.2)}, 60, "flat", True, "is ruled out"),
    "nobody knows": ({"flat": (0.0, 1.0, 0.5), "tree": (1.0, 0.0, 0.6)}, 60, "flat", False, "Can't tell yet"),
    "nobody knows on two halves": (
        {"flat": (0.0, 1.0, 0.5), "tree": (1.0, 0.0, 0.6)},
        *(200, "flat", False, "it is not shown ahead"),
    ),
}


@pytest.mark.parametrize("case", TABLE)
def test_scores_and_what_is_said_of_them(case):
    scores, n, method, decided, said = TABLE[case]
    found = recommend({name: made(*(list(own) * n)[:n]) for name, own in scores.items()}, EFFORTS)
    assert (found.method, found.decided) == (method, decided), found.text
    assert said in found.text


# --- too few, too easy, too hard -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 10, 29])
@pytest.mark.parametrize(("flat", "tree"), [(1.0, 1.0), (0.0, 0.0), (0.0, 1.0), (0.5, 0.5)])
def test_a_handful_of_questions_decides_nothing(n, flat, tree):
    found = recommend({"flat": made(*[flat] * n), "tree": made(*[tree] * n)}, EFFORTS)
    assert (found.method, found.decided) == ("flat", False)
    assert "ruled out" not in found.text
    assert found.more >= 30 - n
    assert found.lead.high - found.lead.low > min(1, 3 / n) - 1e-9


@pytest.mark.parametrize(("recall", "said"), [(1.0, "too easy"), (0.99, "too easy"), (0.0, "too hard")])
@pytest.mark.parametrize("n", [2, 30, 200])
def test_questions_on_which_all_are_alike_tell_nothing(n, recall, said):
    found = recommend({"flat": made(*[recall] * n), "tree": made(*[recall] * n)}, EFFORTS)
    assert not found.decided
    assert said in found.text


def test_three_equal_questions_do_not_say_how_many_it_takes():
    found = recommend({"flat": made(0.5, 0.5, 0.5), "tree": made(0.5, 0.5, 0.5)}, EFFORTS)
    assert "Label about 30 more questions, then see again" in found.text
    assert "to see a difference" not in found.text


def test_a_zero_spread_is_not_certainty():
    zeros = {f"q{i}": 0.5 for i in range(30)}
    assert str(lead(zeros, zeros)) == "+0.00 (-0.10 to +0.10)"
    assert lead({"q1": 1.0, "q2": 1.0}, {"q1": 0.0, "q2": 0.0}).low == pytest.approx(-0.5)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=29))
def test_no_scores_of_fewer_than_thirty_decide(pairs):
    results = {"flat": made(*[a for a, _ in pairs]), "tree": made(*[b for _, b in pairs])}
    assert not recommend(results, EFFORTS).decided


# --- silver ----------------------------------------------------------------------------------------------------------


def test_silver_alone_is_a_first_look():
    results = {"flat": noisy(200, 0.5), "large": noisy(200, 0.6, 1), "tree": noisy(200, 0.8, 2)}
    found = recommend(results, EFFORTS, silver=True)
    assert found.text.startswith("First look, not a choice: on 200 silver questions 'tree'")
    assert "'large', the best of the flat hybrid ones" in found.text
    assert (found.method, found.best, found.decided) == ("large", "tree", False)
    assert "Take" not in found.text.split(". ")[0]


# --- two halves ------------------------------------------------------------------------------------------------------


def test_one_half_chooses_and_the_other_judges():
    results = {"flat": noisy(200, 0.5), "window": noisy(200, 0.5, 1), "tree": noisy(200, 0.7, 2)}
    found = recommend(results, EFFORTS)
    choose, judge = halves([f"q{i}" for i in range(200)])
    scores = {name: {row.question.id: row.metrics["recall"] for row in one.rows} for name, one in results.items()}
    assert (found.method, found.decided) == ("tree", True)
    for keys, told in ((choose, found.chosen_by), (judge, found.lead)):
        apart = lead({key: scores["tree"][key] for key in keys}, scores["flat"])
        assert told == apart
        assert f"{apart.difference:+.2f}" in found.text
    assert f"On {len(judge)} questions that chose nothing" in found.text


def test_a_winner_of_chance_is_not_recommended():
    for seed in range(10):
        results = {"flat": noisy(120, 0.5, seed)}
        results |= {f"m{i}": noisy(120, 0.5, 100 * seed + i + 1) for i in range(13)}
        found = recommend(results, dict.fromkeys(results, 0))
        assert found.chosen_by.difference > 0
        assert not found.decided or found.lead.shown


def test_a_question_stays_in_its_half():
    few, many = halves([f"q{i}" for i in range(50)]), halves([f"q{i}" for i in range(500)])
    for before, after in zip(few, many, strict=True):
        assert set(before) < set(after)
        assert 200 < len(after) < 300


# --- documents that fit ----------------------------------------------------------------------------------------------


def test_documents_that_fit_into_the_context_need_no_retrieval():
    results = {"flat": noisy(60, 0.3), "tree": noisy(60, 0.9, 1)}
    found = recommend(results, EFFORTS, tokens=900)
    assert not found.decided
    assert found.text.startswith(
        "Your documents have 900 tokens, and the largest context 1,000: put all of them into the prompt"
    )
    warned = recommend(results, EFFORTS, tokens=2500)
    assert warned.decided
    assert "a third or more of your documents" in warned.text
    assert "a third or more" not in recommend(results, EFFORTS, tokens=3001).text
