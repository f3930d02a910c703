"""The record of the bake-off: it is of the chunkers and the questions that there are."""

from statistics import fmean

import pytest

from benchmarks.bakeoff import METRICS, kind_of, methods
from benchmarks.results import read
from hierrag_lessons.evaluation import course_questions
from hierrag_lessons.evaluation.course import BUDGETS

LANGUAGES = ("en", "zh")


@pytest.fixture(scope="module")
def record():
    return read("bakeoff")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_has_all_chunkers_and_all_questions(record, language):
    entry = record["languages"][language]
    asked = {question.id: kind_of(question) for question in course_questions(language)[1] if question.answerable}
    assert list(entry["methods"]) == list(methods())
    assert entry["questions"] == len(asked)
    assert entry["kinds"] == asked
    for measured in (*entry["methods"].values(), entry["headings_counted"]):
        assert all(measured[f"{metric}_by_question"].keys() == asked.keys() for metric in METRICS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_means_over_questions_and_over_budgets_agree(record, language):
    assert record["budgets"] == list(BUDGETS)
    for measured in record["languages"][language]["methods"].values():
        for metric in METRICS:
            assert list(measured[metric]) == [str(budget) for budget in BUDGETS]
            by_question = fmean(measured[f"{metric}_by_question"].values())
            assert by_question == pytest.approx(fmean(measured[metric].values()), abs=0.0002)


@pytest.mark.parametrize("language", LANGUAGES)
def test_headings_are_paid_from_the_budget(record, language):
    counted = record["languages"][language]["headings_counted"]
    assert 0.05 < counted["share"] < 0.3
    paid = [round(budget * (1 - counted["share"])) for budget in BUDGETS]
    assert [int(budget) for budget in counted["recall"]] == pytest.approx(paid, abs=1)
