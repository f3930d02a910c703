"""The questions with complete evidence: found in the texts, in users' words, and dev and test kept apart."""

import json
import statistics
from collections import Counter, defaultdict
from typing import get_args

import pytest

from benchmarks.questions import leaking, questions_on, word_overlap
from hierrag_lessons.chunkers import course_hierarchy
from hierrag_lessons.evaluation import Source, completeness, course_questions, geometry
from hierrag_lessons.evaluation.course import JUDGED
from hierrag_lessons.reading import python_reference_checksum
from hierrag_lessons.reading.python_reference import COURSE_EDITION
from tools.annotate_questions import clusters
from tools.notebooks import ROOT

SOURCES = get_args(Source)
RECORDS = [
    {**json.loads(line), "file": path.stem}
    for path in sorted(JUDGED.glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]
USERS = [record for record in RECORDS if record["wording"] == "user"]
LEAST = {"en": 650, "zh": 350, "python": 200}
"""Questions in users' words."""

TOLERANCE = 0.05
SHARES = {"leaf": 0.40, "section": 0.30, "part": 0.15, "document": 0.10, "documents": 0.05}
"""Where the evidence of the test questions lies."""


@pytest.fixture(scope="module", params=SOURCES)
def source(request):
    if request.param == "python" and python_reference_checksum() != COURSE_EDITION:
        pytest.skip("the questions were placed in another edition of the reference than this Python's")
    documents, questions = questions_on(request.param)
    return request.param, documents, questions


def users(source, **fields):
    found = [record for record in USERS if record["file"].startswith(f"{source}_")]
    return [record for record in found if all(record[name] == value for name, value in fields.items())]


def test_there_are_enough():
    assert len(USERS) >= 1198
    for source, least in LEAST.items():
        assert len(users(source)) >= least
        dev = len(users(source, split="dev"))
        assert 0.3 <= dev / len(users(source)) <= 0.4
    assert len({record["id"] for record in RECORDS}) == len(RECORDS)
    assert len({(record["question"], record["collection"]) for record in RECORDS}) == len(RECORDS)


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


def test_the_test_questions_lie_where_they_should(source):
    name, _, _ = source
    found = Counter(record["geometry"] for record in users(name, split="test") if record["geometry"])
    for where, share in SHARES.items():
        if name == "python" and where == "documents":
            continue  # the reference's documents are its topics, which belong together
        assert abs(found[where] / found.total() - share) <= TOLERANCE, where


def test_the_words_are_those_of_users(source):
    name, documents, questions = source
    shares = word_overlap(documents, [question for question in questions if question.wording == "user"])
    assert 0.45 <= statistics.fmean(shares) <= 0.75
    for record in users(name):
        long = len(record["question"]) > 45 if name == "zh" else len(record["question"].split()) > 20
        assert not long, record["id"]


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


def test_what_makes_questions_hard_is_there():
    made = [record for record in USERS if "flags" in record]
    flags = Counter(flag for record in made for flag in record["flags"])
    assert flags["table"] >= 0.15 * len(made)
    assert flags["version"] >= 100
    assert flags["place"] >= 0.05 * len(made)
    assert flags["who"] >= 0.04 * len(made)
    unanswerable = sum(record["type"] == "unanswerable" for record in USERS)
    assert unanswerable >= 0.08 * len(USERS)
    assert sum(record["collection"] == "all" for record in USERS) >= 400


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
    assert questions
    assert any("/archive/" in document.doc_id for document in documents)
    with pytest.raises(ValueError, match="source is 'fr'"):
        course_questions("fr")


def test_no_lesson_but_the_last_comparison_opens_the_test_questions():
    for source in sorted((ROOT / "notebooks" / "src").glob("*.py")):
        text = source.read_text(encoding="utf-8")
        assert source.name.startswith("24") or not ("course_questions(" in text and '"test"' in text), source.name
