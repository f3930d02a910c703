"""Methods compared on one's own documents: complete, resumable, and honest where it cannot be told."""

import json

import pytest

from hierrag_lessons.evaluation import Evidence, Question
from hierrag_lessons.model import Document
from hierrag_lessons.own_documents import compare as module
from hierrag_lessons.own_documents.compare import compare_methods
from hierrag_lessons.own_documents.methods import YARDSTICK, own_methods
from hierrag_lessons.text import count_tokens
from tests.own_documents.sample import EMBEDDER, TOPICS, documents, questions

DOCUMENTS = documents(TOPICS[:3])
OTHERS = documents(TOPICS[3:])
QUESTIONS = questions(DOCUMENTS)


@pytest.fixture(scope="module")
def comparison():
    return compare_methods(DOCUMENTS, QUESTIONS, budget=1000, embedder=EMBEDDER)


@pytest.fixture
def few(monkeypatch):
    """Three methods in place of all."""
    names = (YARDSTICK, "words alone, structure 200", "every level")
    monkeypatch.setattr(module, "own_methods", lambda: {name: own_methods()[name] for name in names})


@pytest.mark.usefixtures("few")
def test_another_document_another_mark(tmp_path):
    for made in (DOCUMENTS, OTHERS):
        compare_methods(made, questions(made), budget=1000, embedder=EMBEDDER, keep=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_every_method_is_measured_on_every_question_at_every_budget(comparison):
    assert list(comparison.measured) == list(own_methods())
    assert next(iter(comparison.measured)) == YARDSTICK
    assert comparison.budgets == (250, 500, 1000)
    for one in comparison.measured.values():
        assert {(row.question.id, row.budget) for row in one.result.rows} == {
            (question.id, budget) for question in QUESTIONS for budget in comparison.budgets
        }
        assert one.vectors > 0
        assert one.storage_bytes > 0
        assert all(0 <= row.metrics["recall"] <= 1 for row in one.result.rows)
        assert all(row.metrics["context_tokens"] <= row.budget for row in one.result.rows)
        texts = {document.doc_id: document.text for document in DOCUMENTS}
        for row in one.result.rows:
            assert all(texts[p.doc_id][p.start : p.end] == p.text for p in row.passages)
            assert bool(row.passages) == (row.budget == 1000)


def test_vectors_of_sections_are_an_effort_between_merging_and_units(comparison):
    methods, measured = own_methods(), comparison.measured
    names = ("parent-child 600/200", "auto-merging, over one half", "leaf and section", "every level")
    assert [methods[name].effort for name in names] == [1, 2, 3, 4]
    # Its sections have vectors on top of the leaves that parents are found by.
    assert measured["leaf and section"].vectors > measured["parent-child 600/200"].vectors
    assert measured["leaf and section"].storage_bytes > measured["parent-child 600/200"].storage_bytes


def test_the_method_recommended_is_one_of_them(comparison):
    assert comparison.recommendation.method in own_methods()
    assert comparison.recommendation.text in repr(comparison)


def scores(result):
    return [(row.question.id, row.budget, dict(row.metrics), row.passages) for row in result.rows]


def test_a_run_that_was_interrupted_goes_on_and_finds_the_same(comparison, tmp_path):
    def stop(line):
        if "structure 800" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare_methods(DOCUMENTS, QUESTIONS, budget=1000, embedder=EMBEDDER, keep=tmp_path, progress=stop)
    (folder,) = tmp_path.iterdir()
    done = sorted(file.name for file in folder.iterdir())
    assert len(done) == 8  # everything before it, and the two that share the first index
    assert all(name.endswith(".json") for name in done)
    lines = []
    again = compare_methods(DOCUMENTS, QUESTIONS, budget=1000, embedder=EMBEDDER, keep=tmp_path, progress=lines.append)
    assert sum("kept" in line for line in lines) == 8
    assert {name: scores(one.result) for name, one in again.measured.items()} == {
        name: scores(one.result) for name, one in comparison.measured.items()
    }
    assert again.recommendation == comparison.recommendation
    assert again.recall == comparison.recall


@pytest.mark.usefixtures("few")
def test_a_finished_run_is_not_measured_again(tmp_path, monkeypatch):
    first = compare_methods(DOCUMENTS, QUESTIONS, budget=1000, embedder=EMBEDDER, keep=tmp_path)
    monkeypatch.setattr(module, "measure_group", None)
    assert (
        compare_methods(DOCUMENTS, QUESTIONS, budget=1000, embedder=EMBEDDER, keep=tmp_path).measured == first.measured
    )


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("damage", ["", "{", '{"name": "x"}', "[]"])
def test_a_damaged_file_is_measured_again(tmp_path, damage, comparison):
    compare_methods(DOCUMENTS, QUESTIONS, budget=1000, embedder=EMBEDDER, keep=tmp_path)
    (file,) = tmp_path.rglob("every_level.json")
    file.write_text(damage, encoding="utf-8")
    again = compare_methods(DOCUMENTS, QUESTIONS, budget=1000, embedder=EMBEDDER, keep=tmp_path)
    assert scores(again.results["every level"]) == scores(comparison.results["every level"])
    assert json.loads(file.read_text(encoding="utf-8"))["name"] == "every level"


@pytest.mark.usefixtures("few")
def test_what_is_left_out_is_said():
    odd = Question("no", "What is the moon made of?", "unanswerable", None, ())
    chinese = Document("电梯.md", "# 电梯\n\n电梯每两周检查一次。", "markdown", "zh")
    found = compare_methods([*DOCUMENTS, chinese], [*QUESTIONS, odd], budget=1000, embedder=EMBEDDER)
    assert len(found.left_out) == 2
    assert "1 unanswerable" in found.left_out[0]
    assert "1 documents" in found.left_out[1]
    assert len(found.asked) == len(QUESTIONS)


@pytest.mark.usefixtures("few")
def test_two_languages_are_measured_together():
    text = "# 电梯\n\n" + "".join(f"{n}号楼的电梯每{n}周检查一次。" for n in range(2, 9))
    chinese = Document("电梯.md", text, "markdown", "zh")
    start = text.index("5号楼")
    evidence = (Evidence("电梯.md", start, start + 14),)
    asked = Question("zh-1", "5号楼的电梯多久检查一次？", "single_fact", None, evidence, language="zh")
    found = compare_methods([*DOCUMENTS, chinese], [*QUESTIONS, asked], budget=1000, embedder=EMBEDDER)
    assert sorted(found.embedders) == ["en", "zh"]
    assert found.results["every level"].scores("recall", 1000)["zh-1"] == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "has 0 with an answer"),
        (QUESTIONS[:1], "has 1 with an answer"),
        ([QUESTIONS[0]] * 2, "come twice"),
        ([Question("x", "Why?", "a", None, (Evidence("nowhere.md", 0, 4),))] * 1, "not among the documents"),
    ],
)
def test_bad_questions_are_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        compare_methods(DOCUMENTS, asked)


def test_a_tiny_budget_is_refused():
    with pytest.raises(ValueError, match="budget is 249; give 250 or more"):
        compare_methods(DOCUMENTS, QUESTIONS, budget=249)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("budget", "budgets"), [(250, (250,)), (600, (300, 600)), (2000, (250, 500, 1000, 2000))])
def test_no_context_is_smaller_than_anybody_sends(budget, budgets):
    assert compare_methods(DOCUMENTS, QUESTIONS, budget=budget, embedder=EMBEDDER).budgets == budgets


def test_what_a_prompt_has_is_more_than_the_text(comparison):
    for one in comparison.measured.values():
        texts = [row.metrics["context_tokens"] for row in one.result.rows if row.budget == 1000]
        assert one.prompt_tokens > sum(texts) / len(texts)


def test_documents_that_fit_are_said_to_fit_first(comparison):
    assert comparison.tokens == sum(count_tokens(document.text) for document in DOCUMENTS)
    found = compare_methods(DOCUMENTS, QUESTIONS, budget=2 * comparison.tokens, embedder=EMBEDDER)
    assert "you need no retrieval" in found.recommendation.text[:200]
