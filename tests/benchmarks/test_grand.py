"""The grand comparison's record: it is about the questions as they are, and its rows come out again."""

import statistics

import pytest

from benchmarks import grand_prompts
from benchmarks.grand import line_of
from benchmarks.grand_parts import SHELVES, groups_of, measure, questions_of
from benchmarks.grand_rows import GROUPS, Method, _CutAt, advised
from benchmarks.results import read
from hierrag_lessons import Document, Span, course_hierarchy, default_embedder, make_units, temporary_index
from hierrag_lessons.context import pack_prompt, render, retrieve_contexts
from hierrag_lessons.evaluation import recall
from hierrag_lessons.model import Passage
from hierrag_lessons.retrievers import MultiLevelRetriever
from hierrag_lessons.text import count_tokens
from tools.grand_pages import FINAL, final, scores

HALVES = ("dev", "test")


@pytest.fixture(scope="module")
def report():
    return read("grand")


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("shelf", SHELVES, ids=lambda shelf: f"{shelf.source}, {shelf.collection}")
def test_every_question_has_a_score_in_every_row(report, shelf, half):
    entry = report[half][f"{shelf.source}, {shelf.collection}"]
    asked = [question.id for question in questions_of(shelf, half)[1]]
    assert [question["id"] for question in entry["questions"]] == asked
    for name, row in entry["rows"].items():
        assert len(row["recall_by_question"].split()) == len(asked), name
        assert len(row["complete_by_question"]) == len(asked), name


def test_the_halves_share_no_question(report):
    ids = [
        {f"{shelf} {q['id']}" for shelf, entry in report[half].items() for q in entry["questions"]} for half in HALVES
    ]
    assert not ids[0] & ids[1]


def test_both_halves_have_the_same_rows(report):
    for shelf in report["dev"]:
        assert list(report["dev"][shelf]["rows"]) == list(report["test"][shelf]["rows"])


def test_a_row_comes_out_again(report):
    shelf = next(shelf for shelf in SHELVES if (shelf.source, shelf.collection) == ("zh", "core"))
    documents, questions = questions_of(shelf, "test")
    with temporary_index(map(make_units, map(course_hierarchy, documents)), embedder=default_embedder("zh")) as index:
        fresh = line_of(measure(Method(MultiLevelRetriever(index), index), questions), 1)
    kept = report["test"]["zh, core"]["rows"]["structure | every level"]
    for name in ("recall", "complete", "tokens", "vectors", "recall_by_question", "complete_by_question"):
        assert fresh[name] == (pytest.approx(kept[name], abs=1e-3) if isinstance(kept[name], list) else kept[name])


def test_the_final_table_has_each_method_on_all_test_questions(report):
    header, rows = final(report)
    questions = sum(len(entry["questions"]) for entry in report["test"].values())
    assert header[0].startswith(f"{questions} test questions")
    assert [row[0] for row in rows] == list(FINAL)
    assert len(scores(report["test"], FINAL["the same by vectors alone"], "recall")) == questions


def test_a_law_is_cut_where_its_articles_begin():
    text = "Preamble.\n\n### Article 1\n\n(1) One.\n\n(2) Two.\n\n### Article 2\n\nAll."
    document = Document("law", text, "markdown")
    chunks = _CutAt("### Article").chunk(document)
    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["Preamble.", "### Article 1", "### Article 2"]
    assert "".join(chunk.text for chunk in chunks) == text
    inner = _CutAt(r"\(\d+\)").chunk(document, Span(chunks[1].start, chunks[1].end))
    assert [text[chunk.start : chunk.start + 3] for chunk in inner] == ["###", "(1)", "(2)"]


def test_what_is_measured_is_named():
    assert advised("handbook", "en") is None
    for shelf in SHELVES:
        assert {*GROUPS, "structure", "recursive"} - {"second look"} <= set(groups_of(shelf))


@pytest.mark.parametrize("half", HALVES)
def test_whole_prompts_are_measured_for_every_question(half):
    prompts = read(grand_prompts.NAME)
    for shelf in SHELVES:
        asked, entry = questions_of(shelf, half)[1], prompts[half][f"{shelf.source}, {shelf.collection}"]
        assert set(entry) == set(grand_prompts.ROWS)
        for ways in entry.values():
            assert set(ways) == set(grand_prompts.WAYS)
            for budgets in ways.values():
                assert set(budgets) == set(map(str, prompts["budgets"]))
                for found in budgets.values():
                    assert len(found["recall"].split()) == len(found["complete"]) == len(asked)


def test_a_whole_prompt_comes_out_again():
    shelf = next(shelf for shelf in SHELVES if (shelf.source, shelf.collection) == ("zh", "core"))
    documents, questions = questions_of(shelf, "test")
    with temporary_index(map(make_units, map(course_hierarchy, documents)), embedder=default_embedder("zh")) as index:
        texts = [question.question for question in questions]
        contexts = retrieve_contexts(MultiLevelRetriever(index), texts, [1000])
    kept = read(grand_prompts.NAME)["test"]["zh, core"]["structure | every level"]
    for way, fill in grand_prompts.WAYS.items():
        pairs = [(fill(found[1000], 1000), q.evidence) for found, q in zip(contexts, questions, strict=True)]
        assert " ".join(str(round(1000 * recall(*pair))) for pair in pairs) == kept[way]["1000"]["recall"]


@pytest.mark.parametrize("row", grand_prompts.ROWS)
def test_by_text_a_prompt_holds_what_the_comparison_has(report, row):
    """A budget is filled by the same rankings in both programs."""
    for shelf, entry in read(grand_prompts.NAME)["test"].items():
        own = [int(value) / 1000 for value in entry[row]["passages' text"]["1000"]["recall"].split()]
        assert statistics.fmean(own) == pytest.approx(report["test"][shelf]["rows"][row]["recall"][1], abs=1e-3)


def test_a_heading_over_each_passage_fills_the_budget_and_keeps_to_it():
    text = "Fees are due in May. " * 40
    found = [
        Passage("rules", at, at + 20, text[at : at + 20], "Title I, Article 2", -float(at)) for at in range(0, 840, 21)
    ]
    own, shared = grand_prompts.under_own_headings(found, 200), pack_prompt(found, 200).passages
    size = count_tokens("\n\n".join(render([passage]).text for passage in own))
    assert 170 <= size <= 200
    assert 0 < len(own) < len(shared)


def test_every_row_of_the_largest_shelf_is_timed(report):
    timed = read("grand_times")["rows"]
    assert set(timed) == set(report["test"]["en, all"]["rows"])
    assert timed["structure | flat hybrid"]["over_flat_hybrid"] == 1
