"""The interview's questions, cases and reviews: complete, unlike each other, and true where they can be computed."""

import ast
import json
import re
from collections import Counter
from functools import cache
from itertools import combinations
from math import exp
from random import Random

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
CASES = records(FOLDER / "cases.jsonl")
QUESTIONS = {path.stem: records(path) for path in sorted((FOLDER / "questions").glob("*.jsonl"))}
ALL_QUESTIONS = [question for found in QUESTIONS.values() for question in found]


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
    with pytest.raises(AssertionError):
        run(review["code"], review["check"])
    run(review["fix"], review["check"])
    assert review["fix"] != review["code"]


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


def steps(case_id):
    """The values of a case's sums, by how each begins."""
    (found,) = (case for case in CASES if case["id"] == case_id)
    return {step["what"].split(" (")[0]: step["value"] for step in found["arithmetic"]}


def waiting(copies, at_work):
    """The share of questions that find all copies at work (Erlang C), by the recursion for lost calls."""
    lost = 1.0
    for number in range(1, copies + 1):
        lost = at_work * lost / (number + at_work * lost)
    return lost / (1 - at_work / copies * (1 - lost))


def test_who_waits_for_a_copy_is_what_the_law_of_queues_says():
    found = steps("case-01")
    assert found["who waits with 2 copies"] == pytest.approx(100 * waiting(2, 4 / 3), rel=0.001)
    assert found["with 3 copies"] == pytest.approx(100 * waiting(3, 4 / 3), rel=0.001)
    assert found["with 4 copies"] == pytest.approx(100 * waiting(4, 4 / 3), rel=0.001)
    left = found["what is left for waiting, of the 3 seconds"]
    for copies, what in ((2, "who waits longer than that"), (3, "longer than that"), (4, "longer than that")):
        longer = 100 * waiting(copies, 4 / 3) * exp(-(copies - 4 / 3) * left / 4)
        said = next(v for name, v in found.items() if name.startswith(f"{what} with {copies} copies"))
        assert said == pytest.approx(longer, rel=0.005)


def test_a_changed_leaf_makes_the_path_above_it_new():
    """The sums of the summary tree, by drawing a day's leaves."""
    found, lots = steps("case-09"), Random(0)

    def written(leaves):
        """The summaries of each layer that so many new leaves touch."""
        touched, counts = set(range(leaves)), []
        for clusters in (1_500_000, 150_000, 15_000, 1_500, 150, 15, 1):
            touched = {lots.randrange(clusters) for _ in touched}
            counts.append(len(touched))
        return counts

    night = written(150_000)
    lowest = found["lowest clusters that 150,000 new leaves fall into, by chance, out of 1.5 million"]
    assert night[0] == pytest.approx(lowest, rel=0.01)
    assert sum(night) == pytest.approx(
        found["with the 15,000, 1,500 and fewer above them, nearly all of which change"], rel=0.01
    )
    windows = [written(round(150_000 / 288)) for _ in range(288)]
    assert sum(map(sum, windows)) == pytest.approx(found["together, every five minutes"], rel=0.01)
    dollars = sum(1_240 * counts[0] + 840 * sum(counts[1:]) for counts in windows) / 1e6
    assert dollars == pytest.approx(found["their price a day, every five minutes"], rel=0.01)


def test_every_call_of_the_agent_sends_the_earlier_ones_again():
    found, prompt, sent, new = steps("case-12"), 800, 0, 800
    for call in range(6):
        sent += prompt
        prompt += 1_200
        new += 1_200 * (call < 5)
    assert (sent, new) == (found["agent: tokens sent over six calls"], found["agent: new among them"])
    price = (new + (sent - new) / 10 + (6 * 80 + 300) * 5) / 1e6
    assert price == pytest.approx(found["agent: price with a cache"], rel=0.001)


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


@cache
def shown(file):
    """What a reader sees of a file; of a notebook, its cells and what they print."""
    raw = (ROOT / file).read_text(encoding="utf-8")
    if not file.endswith(".ipynb"):
        return raw
    parts = []
    for cell in json.loads(raw)["cells"]:
        parts.append("".join(cell["source"]))
        for output in cell.get("outputs", []):
            parts.append("".join(output.get("text", "")))
            parts += ["".join(data) for kind, data in output.get("data", {}).items() if kind.startswith("text/")]
    return "\n".join(parts)


@cache
def headings(lesson):
    """The headings of a lesson that is there."""
    files = sorted((ROOT / "notebooks").glob(f"{lesson:02}_*.ipynb"))
    return set(re.findall(r"^#+ (.+)$", shown(f"notebooks/{files[0].name}"), re.MULTILINE)) if files else None


def words(text):
    return set(re.findall(r"[a-z0-9]+", text.lower()))


def test_there_are_questions_for_every_topic_and_level():
    assert set(QUESTIONS) == TOPICS
    assert len(ALL_QUESTIONS) >= 150
    assert all(len(found) >= 10 for found in QUESTIONS.values())
    levels = Counter(question["level"] for question in ALL_QUESTIONS)
    assert set(levels) == LEVELS
    assert min(levels.values()) >= 40


def test_the_forty_questions_of_a_strong_interviewer_are_there_once():
    found = Counter(question["source"] for question in ALL_QUESTIONS if (question["source"] or "").startswith("forty:"))
    assert found == Counter(f"forty:{number:02}" for number in range(1, 41))


def test_no_question_comes_twice():
    ids = [record["id"] for record in [*ALL_QUESTIONS, *CASES, *REVIEWS]]
    assert len(set(ids)) == len(ids)
    for one, other in combinations(ALL_QUESTIONS, 2):
        for field in ("question", "answer"):
            both = words(one[field]), words(other[field])
            shared = len(both[0] & both[1]) / len(both[0] | both[1])
            assert shared < 0.6, (one["id"], other["id"], field)


@pytest.mark.parametrize(("topic", "found"), QUESTIONS.items(), ids=list(QUESTIONS))
def test_ids_count_on(topic, found):
    assert [question["id"] for question in found] == [f"{topic}-{n:03}" for n in range(1, len(found) + 1)]
    assert {question["topic"] for question in found} == {topic}


FIELDS = [
    "id",
    "level",
    "topic",
    "question",
    "rubric",
    "answer",
    "follow_ups",
    "wrong",
    "lesson",
    "figure",
    "figures",
    "source",
]


@pytest.mark.parametrize("question", **by_id(ALL_QUESTIONS))
def test_a_question_is_complete(question):
    assert list(question) == FIELDS
    assert question["level"] in LEVELS
    assert question["question"].strip().endswith(("?", "."))
    assert 60 <= len(question["answer"].split()) <= 150
    check_rubric(question["rubric"], 3, 6)
    assert any(part["weight"] == 2 for part in question["rubric"])
    assert 1 <= len(question["follow_ups"]) <= 3
    assert set(question["wrong"]) == {"says", "because"}
    assert all(len(text.split()) >= 2 for text in question["wrong"].values())
    assert 0 <= question["lesson"] <= 26


@pytest.mark.parametrize("question", **by_id([question for question in ALL_QUESTIONS if question["figures"]]))
def test_the_figures_of_an_answer_stand_in_the_course(question):
    for figure in question["figures"]:
        assert figure["claim"]
        assert figure["needle"] in shown(figure["file"]), figure


@pytest.mark.parametrize("question", **by_id([question for question in ALL_QUESTIONS if question["figure"]]))
def test_what_carries_an_answer_is_there(question):
    place, _, heading = question["figure"].partition(", ")
    if place.startswith("lesson "):
        found = headings(int(place.removeprefix("lesson ")))
        assert found is None or heading in found, question["figure"]
    elif heading:
        assert f"## {heading}" in shown(place), question["figure"]
    else:
        assert (ROOT / place).exists(), question["figure"]
