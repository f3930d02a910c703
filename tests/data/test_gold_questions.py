"""All gold questions: found in the texts, balanced, in words of their own."""

import json
import re
from collections import Counter

import pytest

from hierrag_lessons.evaluation import completeness, load_questions
from hierrag_lessons.reading import DATA_DIR, load_corpus, read_python_reference
from tests.data.test_python_questions import content_words, stem, words
from tests.data.test_zh_handbook import bigrams
from tools.notebooks import lessons

FILES = sorted((DATA_DIR / "questions").glob("*.jsonl"))
RECORDS = {
    record["id"]: record for path in FILES for record in map(json.loads, path.read_text(encoding="utf-8").splitlines())
}
ANSWERABLE = [record for record in RECORDS.values() if record["type"] != "unanswerable"]
TYPES = {"single_fact", "summary", "enumeration", "process", "dialogue", "unanswerable"}


@pytest.fixture(scope="module")
def documents():
    return [*load_corpus("en"), *load_corpus("zh"), *read_python_reference()]


@pytest.fixture(scope="module")
def questions(documents):
    # On another Python some quotes of its reference read differently; those of the course's own texts never do.
    return [
        question
        for path in FILES
        for question in load_questions(path, documents, missing="drop" if path.stem == "python_reference" else "raise")
    ]


def test_numbers():
    assert len(RECORDS) >= 300
    assert sum(record["language"] == "zh" for record in RECORDS.values()) >= 80
    assert sum(record["type"] == "unanswerable" for record in RECORDS.values()) >= 20
    assert sum(len({e["doc_id"] for e in record["evidence"]}) > 1 for record in ANSWERABLE) >= 30
    types = Counter(record["type"] for record in RECORDS.values())
    assert set(types) == TYPES
    assert min(types.values()) >= 25


def test_every_record_is_read_once():
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES)
    assert lines == len(RECORDS)
    assert len({record["question"] for record in RECORDS.values()}) == lines


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_half_of_each_type_is_held_out(kind):
    splits = Counter(record["split"] for record in RECORDS.values() if record["type"] == kind)
    assert set(splits) == {"dev", "test"}
    assert abs(splits["dev"] - splits["test"]) <= 8, f"the type {kind} needs more questions in its smaller half"
    assert 0.4 <= splits["test"] / splits.total() <= 0.6


def test_evidence_is_located(questions, documents):
    texts = {document.doc_id: document.text for document in documents}
    for question in questions:
        record = RECORDS[question.id]
        assert len(question.evidence) == len(record["evidence"])
        for evidence, written in zip(question.evidence, record["evidence"], strict=True):
            found = texts[evidence.doc_id][evidence.start : evidence.end]
            assert found.split() == written["quote"].split()


@pytest.mark.parametrize("record", ANSWERABLE, ids=lambda record: record["id"])
def test_an_answerable_question_is_complete(record):
    assert record["answer"].strip()
    assert record["evidence"]
    quotes = "\n".join(evidence["quote"] for evidence in record["evidence"])
    assert record["key_facts"]
    missing = [fact for fact in record["key_facts"] if completeness(quotes, [fact]) < 1]
    assert missing == [], "key facts that do not stand in the quotes"


@pytest.mark.parametrize("record", ANSWERABLE, ids=lambda record: record["id"])
def test_a_question_has_words_of_its_own(record):
    quotes = "\n".join(evidence["quote"] for evidence in record["evidence"])
    if record["language"] == "zh":
        asked, shown = bigrams(record["question"]), bigrams(quotes)
        repeated = sum(n for pair, n in asked.items() if pair in shown)
        assert repeated <= 0.45 * asked.total(), "the question repeats its quotes; ask in other words"
    else:
        asked, shown = content_words(record["question"]), {stem(word) for word in words(quotes)}
        assert len(asked & shown) <= 0.5 * len(asked), "the question repeats its quotes; ask in other words"


def test_the_examples_of_what_is_hard_stand_in_the_texts(documents):
    texts = {document.doc_id: " ".join(document.text.split()) for document in documents}
    page = (DATA_DIR / "README.md").read_text(encoding="utf-8")
    section = page.split("## What makes the texts hard")[1].split("\n### ")[0]
    doc_id, looked_for = "", 0
    for name, quotation in re.findall(r"`((?:en|zh)/[^`]+)`|“([^”]+)”", section):
        doc_id = name or doc_id
        if quotation:
            assert " ".join(quotation.split()) in texts[doc_id], doc_id
            looked_for += 1
    assert looked_for >= 20


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.source.stem)
def test_lessons_keep_the_held_out_half_for_the_final_comparison(lesson):
    source = lesson.source.read_text(encoding="utf-8")
    if int(lesson.source.stem[:2]) < 24:
        assert not re.search(r"""["']test["']""", source)
        # Questions of the learner's own may be read from a file; those of the course come through its two loaders.
        assert not re.search(r"""JUDGED|questions/|\bDATA_DIR\b[^\n]*/ *["']questions""", source)
