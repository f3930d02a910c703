"""The questions with complete evidence: found in the texts, in users' words, and dev and test kept apart."""

import json
from collections import defaultdict
from typing import get_args

import pytest

from benchmarks.questions import leaking, questions_on
from hierrag_lessons.chunkers import course_hierarchy
from hierrag_lessons.evaluation import Source, completeness, course_questions, geometry
from hierrag_lessons.evaluation.course import JUDGED
from tests.data.test_python_questions import IS_CHECKED
from tools.annotate_questions import clusters
from tools.notebooks import ROOT

SOURCES = get_args(Source)
RECORDS = [
    {**json.loads(line), "file": path.stem}
    for path in sorted(JUDGED.glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module", params=SOURCES)
def source(request):
    if request.param == "python" and not IS_CHECKED:
        pytest.skip("the questions on the reference were made with other editions of it")
    documents, questions = questions_on(request.param)
    return request.param, documents, questions


def test_every_record_is_loaded(source):
    name, _, questions = source
    assert {question.id for question in questions} == {r["id"] for r in RECORDS if r["file"].startswith(f"{name}_")}


def test_splits_share_no_evidence(source):
    _, _, questions = source
    assert leaking(questions) == []


def test_a_cluster_stays_in_one_split(source):
    _, _, questions = source
    assert {question.id: question.cluster for question in questions} == clusters(questions)
    splits = defaultdict(set)
    for question in questions:
        splits[question.cluster].add(question.split)
    assert all(len(found) == 1 for found in splits.values())


def test_geometry_is_what_the_hierarchy_says(source):
    _, documents, questions = source
    trees = {document.doc_id: course_hierarchy(document) for document in documents}
    for question in questions:
        assert question.geometry == (geometry(question.evidence, trees) if question.answerable else None), question.id
        assert (question.tier is not None) == question.answerable


def test_partners_ask_for_the_same():
    by_id = {record["id"]: record for record in RECORDS}
    pairs = [record for record in RECORDS if record.get("partner")]
    assert len(pairs) >= 700
    for record in pairs:
        partner = by_id[record["partner"]]
        assert partner["partner"] == record["id"]
        assert partner["wording"] != record["wording"]
        for field in ("evidence", "answer", "key_facts", "type", "split", "collection"):
            assert partner[field] == record[field]


def test_answers_are_complete(source):
    _, documents, questions = source
    texts = {document.doc_id: document.text for document in documents}
    for question in questions:
        if question.answerable:
            shown = "\n".join(texts[piece.doc_id][piece.start : piece.end] for piece in question.evidence)
            assert question.answer
            assert question.key_facts
            assert completeness(shown, question.key_facts) == 1, question.id


def test_archive_questions_are_asked_on_everything():
    for record in RECORDS:
        archived = any("/archive/" in piece["doc_id"] for piece in record["evidence"])
        assert not archived or record["collection"] == "all", record["id"]


def test_the_loader_hands_out_what_was_asked_for():
    documents, questions = course_questions("zh", "dev", wording="avoiding")
    assert questions
    assert all((q.split, q.wording, q.collection) == ("dev", "avoiding", "core") for q in questions)
    assert not any("/archive/" in document.doc_id for document in documents)
    documents, questions = course_questions("zh", "test", collection="all")
    assert all((q.split, q.collection) == ("test", "all") for q in questions)
    assert any("/archive/" in document.doc_id for document in documents)
    with pytest.raises(ValueError, match="source is 'fr'"):
        course_questions("fr")


def test_no_lesson_but_the_last_comparison_opens_the_test_questions():
    for source in sorted((ROOT / "notebooks" / "src").glob("*.py")):
        text = source.read_text(encoding="utf-8")
        assert source.name.startswith("24") or not ("course_questions(" in text and '"test"' in text), source.name
