"""Rules on scores: what they are fitted on, what they let through, and what is counted."""

import numpy as np
import pytest

from hierrag_lessons.answers import (
    ExtractiveAnswerer,
    RefusalFeatures,
    RefusalRule,
    RefusingAnswerer,
    cross_validated,
    fit_refusal,
    refusal_features,
)
from hierrag_lessons.model import Passage

RULE = RefusalRule(RefusalFeatures(1.0, 0.0, 0.0), 0.0, 0.6)


def sample(n=40, apart=2.0, seed=3):
    """Features of n questions of each kind, whose best scores lie so far apart."""
    rng = np.random.default_rng(seed)
    draw = []
    for place in range(2 * n):
        best, gap, covered = rng.normal(0, 1, 3)
        draw.append(RefusalFeatures(float(best) + apart * (place < n), float(gap), float(covered)))
    return draw, [place < n for place in range(2 * n)]


def test_features_see_scores_and_words_and_the_heading():
    context = [
        Passage("d", 0, 9, "Dogs run.", "Pets", 0.9),
        Passage("d", 9, 19, "Cats nap. ", score=0.5),
        Passage("d", 19, 23, "Hm. ", score=0.1),
    ]
    best, gap, covered = refusal_features("Which pets run in Paris?", context)
    assert (best, round(gap, 9), covered) == (0.9, 0.6, 2 / 3)
    assert refusal_features("Who?", []) == (0.0, 0.0, 0.0)
    assert refusal_features("", context).covered == 0.0


def test_the_order_of_the_passages_does_not_matter():
    context = [Passage("d", 0, 9, "Dogs run.", score=0.9), Passage("d", 9, 19, "Cats nap. ", score=0.5)]
    assert refusal_features("dogs?", context) == refusal_features("dogs?", context[::-1])


@pytest.mark.parametrize("wrongly", [0.0, 0.05, 0.25])
def test_no_more_of_the_answerable_are_refused_than_was_allowed(wrongly):
    features, answerable = sample()
    rule = fit_refusal(features, answerable, wrongly)
    refused = [rule.refuses(row) for row, good in zip(features, answerable, strict=True) if good]
    assert sum(refused) <= wrongly * len(refused)


def test_what_lies_apart_is_separated_and_what_does_not_is_not():
    features, answerable = sample(apart=6)
    refused = cross_validated(features, answerable)
    assert sum(refused[40:]) >= 38
    assert sum(refused[:40]) <= 6
    same, labels = sample(apart=0)
    assert sum(cross_validated(same, labels)[40:]) <= 12


def test_nobody_is_judged_by_a_rule_that_has_seen_it():
    """A question that lies far off on the wrong side is refused, although a rule that knew it would bend."""
    features, answerable = sample(n=6, apart=8)
    features[0] = RefusalFeatures(-30.0, 0.0, 0.0)
    assert cross_validated(features, answerable, wrongly=0)[0]
    assert not fit_refusal(features, answerable, wrongly=0).refuses(features[0])


def test_any_score_has_a_probability():
    assert RULE.probability(RefusalFeatures(0.0, 0.0, 0.0)) == 0.5
    assert [RULE.probability(RefusalFeatures(best, 0.0, 0.0)) for best in (-1e5, 1e5)] == [0.0, 1.0]


def test_the_same_seed_gives_the_same_parts():
    features, answerable = sample(apart=1)
    assert cross_validated(features, answerable, seed=1) == cross_validated(features, answerable, seed=1)
    assert fit_refusal(features, answerable) == fit_refusal(features, answerable)


def test_a_refusing_answerer_asks_only_where_it_may():
    answerer = RefusingAnswerer(ExtractiveAnswerer(), RULE)
    refused = answerer.answer("dogs?", [Passage("d", 0, 9, "Dogs run.", score=0.1)])
    assert (refused.refused, refused.statements, refused.by) == (True, (), "rule")
    assert "do not seem" in refused.text
    assert answerer.answer("dogs?", [Passage("d", 0, 9, "Dogs run.", score=0.9)]).plain == "Dogs run."


@pytest.mark.parametrize(
    ("answerable", "said"),
    [([True] * 80, "one value for all"), ([True], "features has 80 and answerable 1")],
)
def test_a_sample_that_teaches_nothing_is_refused(answerable, said):
    features, _ = sample()
    with pytest.raises(ValueError, match=said):
        fit_refusal(features, answerable)


def test_more_folds_than_questions_are_refused():
    features, answerable = sample(n=4)
    with pytest.raises(ValueError, match="folds is 5 and one class has 4 questions"):
        cross_validated(features, answerable)
