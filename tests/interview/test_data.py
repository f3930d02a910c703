"""The interview's questions, cases and reviews: complete, unlike each other, and true where they can be computed."""

import ast
import json

import pytest

from tools.notebooks import ROOT

FOLDER = ROOT / "data" / "interview"
TOPICS = {
    "foundations",
    "search",
    "evaluation",
    "chunking",
    "hierarchy",
    "levels",
    "ranking",
    "queries",
    "agents",
    "answers",
    "production",
}
LEVELS = {"junior", "senior", "staff"}


def records(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


REVIEWS = records(FOLDER / "reviews.jsonl")


def by_id(found):
    return {"argvalues": found, "ids": [record["id"] for record in found]}


def check_rubric(rubric, fewest, most):
    assert fewest <= len(rubric) <= most
    assert all(set(part) == {"point", "weight"} and part["weight"] in (1, 2) for part in rubric)
    points = [part["point"] for part in rubric]
    assert len(set(points)) == len(points)
    assert all(len(point.split()) >= 3 for point in points)


def run(code, check):
    space = {}
    exec(code, space)
    exec(check, space)


def test_there_are_thirty_reviews_and_all_known_defects():
    assert len(REVIEWS) >= 30
    assert len({review["id"] for review in REVIEWS}) == len(REVIEWS)
    assert {review["source"] for review in REVIEWS} >= {f"seed:{number:02d}" for number in range(1, 21)}


@pytest.mark.parametrize("review", **by_id(REVIEWS))
def test_a_review_fails_as_it_stands_and_passes_when_mended(review):
    assert review["level"] in LEVELS
    assert review["topic"] in TOPICS
    assert 0 <= review["lesson"] <= 26
    assert all(review[field].strip() for field in ("title", "context", "fault"))
    check_rubric(review["rubric"], 2, 4)
    for code in (review["code"], review["fix"], review["check"]):
        ast.parse(code)
        imported = {a.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Import) for a in node.names}
        assert not imported & {"os", "socket", "urllib", "requests", "subprocess"}
    with pytest.raises(Exception):  # noqa: B017, PT011 - each is broken in its own way
        run(review["code"], review["check"])
    run(review["fix"], review["check"])


CASES = records(FOLDER / "cases.jsonl")
OPERATIONS = (ast.Expression, ast.BinOp, ast.Constant, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def compute(expression):
    tree = ast.parse(expression, mode="eval")
    assert all(isinstance(node, OPERATIONS) for node in ast.walk(tree)), expression
    return eval(compile(tree, "case", "eval"))


@pytest.mark.parametrize("case", **by_id(CASES))
def test_the_arithmetic_of_a_case_can_be_done_again(case):
    assert len(case["arithmetic"]) >= 5
    for step in case["arithmetic"]:
        assert compute(step["expression"]) == pytest.approx(step["value"], rel=0.01), step
        assert step["what"]
        assert step["unit"]


@pytest.mark.parametrize("case", **by_id(CASES))
def test_a_case_is_complete(case):
    assert case["level"] in LEVELS
    assert case["topic"] in TOPICS
    assert len(case["constraints"]) >= 3
    assert any(character.isdigit() for line in case["constraints"] for character in line)
    assert len(case["asks"]) >= 3
    assert len(case["solution"]) >= 3
    assert len(case["strong"]) >= 3
    assert case["trap"]
    assert case["lessons"]
    assert all(0 <= lesson <= 26 for lesson in case["lessons"])
    check_rubric(case["rubric"], 4, 8)


def test_there_are_twelve_cases():
    assert len(CASES) == 12
    assert len({case["id"] for case in CASES} | {case["title"] for case in CASES}) == 24
