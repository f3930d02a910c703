"""The record of the answers: it is of the questions and the answerers that there are."""

from statistics import fmean

import pytest

from benchmarks.answers import BUDGETS, CHOSEN_AT, WRONGLY, containment_agreement
from benchmarks.results import read
from hierrag_lessons.answers import ExtractiveAnswerer, LeadAnswerer, answered
from hierrag_lessons.chunkers import course_hierarchy, make_units
from hierrag_lessons.evaluation import course_questions, evaluate
from hierrag_lessons.retrievers import MultiLevelRetriever
from hierrag_lessons.store import temporary_index

LANGUAGES = ("en", "zh")
NEARLY = 0.002


@pytest.fixture(scope="module")
def record():
    return read("answers")


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_has_all_questions_and_budgets(record, language):
    entry, (_, asked) = record["languages"][language], course_questions(language)
    assert entry["questions"] == sum(question.answerable for question in asked)
    assert list(entry["answers"]) == [str(budget) for budget in BUDGETS]
    assert all(sum(kinds.values()) == len(asked) for kinds in entry["errors"].values())


def test_the_defaults_are_as_good_as_any_weights_that_were_tried(record):
    tried = record["languages"]["en"]["weights"]
    default = ExtractiveAnswerer()
    [own] = [one for one in tried if (one["trust"], one["coverage"]) == (default.trust, default.coverage)]
    assert own["answer_completeness"] >= tried[0]["answer_completeness"] - NEARLY
    measured = [one["extract"] for one in record["languages"]["en"]["answers"][str(CHOSEN_AT)].values()]
    assert own["answer_completeness"] == pytest.approx(fmean(measured), abs=1e-4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_extract_is_never_behind_the_lead(record, language):
    for methods in record["languages"][language]["answers"].values():
        assert all(one["verdict"] == "ahead" or one["verdict"].startswith("no difference") for one in methods.values())
        assert all(one["lead"] < one["extract"] < one["reachable"] <= one["context"] for one in methods.values())


def test_scores_refuse_other_subjects_and_not_near_misses(record):
    for kinds in record["languages"]["en"]["refusals"].values():
        share = {kind: found["refused"] / found["questions"] for kind, found in kinds.items()}
        assert share["answerable"] < 2 * WRONGLY
        assert share["near miss"] < 0.2 < 0.8 < share["other subject"]
        assert kinds["near miss"]["best_score"] > kinds["answerable"]["best_score"]


def test_the_agreement_of_counting_words_is_what_it_was(record):
    assert containment_agreement() == record["containment"]


@pytest.mark.slow
def test_a_cell_is_what_it_was(record):
    documents, questions = course_questions("zh")
    with temporary_index([make_units(course_hierarchy(document)) for document in documents]) as index:
        result = evaluate(MultiLevelRetriever(index), questions, [CHOSEN_AT])
    cell = record["languages"]["zh"]["answers"][str(CHOSEN_AT)]["every level"]
    for name, answerer in (("lead", LeadAnswerer()), ("extract", ExtractiveAnswerer(language="zh"))):
        assert answered(result, answerer).mean("answer_completeness") == pytest.approx(cell[name], abs=1e-4)
