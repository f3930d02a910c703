import json

import pytest

from hierrag_lessons.interview import load_code_reviews, load_design_cases, load_interview_questions

QUESTION = {
    "id": "search-001",
    "level": "junior",
    "topic": "search",
    "question": "What is BM25?",
    "rubric": [{"point": "words", "weight": 2}, {"point": "rare ones count more"}],
    "answer": "It counts words.",
    "follow_ups": ["And in Chinese?"],
    "wrong": {"says": "A model.", "because": "It is a formula."},
    "lesson": 2,
    "figure": None,
    "source": "forty:24",
}
CASE = {
    **{name: QUESTION[name] for name in ("id", "level", "topic", "rubric")},
    "title": "A desk",
    "situation": "Tickets.",
    "constraints": ["9 of them"],
    "asks": ["Choose."],
    "lessons": [3],
    "solution": ["So."],
    "strong": ["Asks."],
    "trap": "Buys.",
    "source": None,
    "arithmetic": [{"what": "bytes", "expression": "2 * 3", "value": 6, "unit": "B"}],
}
REVIEW = {
    **{name: QUESTION[name] for name in ("id", "level", "topic", "rubric", "lesson", "source")},
    "title": "One",
    "context": "It counts.",
    "code": "n = 1",
    "fault": "One.",
    "fix": "n = 2",
    "check": "assert n == 2",
}


def write(path, *lines):
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_a_question_is_read(tmp_path):
    (question,) = load_interview_questions(write(tmp_path / "a.jsonl", QUESTION))
    assert [point.weight for point in question.rubric] == [2, 1]
    assert (question.wrong, question.figure, question.source) == ("A model.", "", "forty:24")
    assert "A model." in question.expected
    assert "lesson 02" in question.expected


def test_a_folder_is_read_in_the_order_of_its_files(tmp_path):
    write(tmp_path / "b.jsonl", {**QUESTION, "id": "b"})
    write(tmp_path / "a.jsonl", {**QUESTION, "id": "a2"}, {**QUESTION, "id": "a1"})
    assert [question.id for question in load_interview_questions(tmp_path)] == ["a2", "a1", "b"]


def test_a_case_and_a_review_are_read(tmp_path):
    (case,) = load_design_cases(write(tmp_path / "c.jsonl", CASE))
    (review,) = load_code_reviews(write(tmp_path / "r.jsonl", REVIEW))
    assert case.prompt == "A desk. Tickets.\n- 9 of them\n1. Choose."
    assert "- bytes: 2 * 3 = 6 B" in case.expected
    assert review.prompt.endswith("n = 1")
    assert review.expected.startswith("One.\n\nn = 2")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"level": "principal"}, "level is 'principal'; give one of junior, senior, staff"),
        ({"rubric": []}, "rubric is empty; give at least one point"),
        ({"rubric": ["words"]}, "'rubric' must be a list of JSON objects"),
        ({"rubric": [{"point": "words", "weight": 0}]}, "weight is 0; give 1 or more"),
        ({"question": "  "}, "question is '  '; give a text that is not blank"),
        ({"wrong": {"says": "x"}}, "'because' is missing"),
        ({"follow_ups": "And?"}, "'follow_ups' is 'And\\?'; it must be list"),
        ({"follow_ups": [1]}, "'follow_ups' must be a list of texts"),
        ({"lesson": "2"}, "'lesson' is '2'; it must be int"),
        ({"id": "search-000"}, "id 'search-000' comes twice"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, change, said):
    path = write(tmp_path / "a.jsonl", {**QUESTION, "id": "search-000"}, {**QUESTION, **change})
    with pytest.raises(ValueError, match=rf"a\.jsonl, line 2: .*{said}"):
        load_interview_questions(path)


def test_damaged_json_is_named_with_its_line(tmp_path):
    with pytest.raises(ValueError, match="line 2: not valid JSON"):
        load_interview_questions(write(tmp_path / "a.jsonl", QUESTION, "{"))


def test_a_missing_file_says_where_the_course_keeps_its_own(tmp_path):
    with pytest.raises(FileNotFoundError, match="part of the course's repository"):
        load_design_cases(tmp_path / "none.jsonl")
