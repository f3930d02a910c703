import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.evaluation import Evidence, Question, load_questions
from hierrag_lessons.model import Document
from hierrag_lessons.reading import load_documents

TEXT = "Costs rose.\n\nRevenue grew by\n  4.2 %  in 2023.\u3000Costs rose.\r\nThe end."
DOCUMENTS = [Document("report", TEXT), Document("手册", "第一条　员工\n每年有十五天年假。", language="zh")]


@pytest.fixture
def load(tmp_path):
    def load(*lines: dict | str, documents=DOCUMENTS, **options):
        path = tmp_path / "questions.jsonl"
        content = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        path.write_text(content, encoding="utf-8")
        return load_questions(path, documents, **options)

    return load


def line(*evidence: dict, **fields) -> dict:
    return {
        "id": "q1",
        "question": "By how much?",
        "type": "single_fact",
        "answer": "4.2 %",
        "evidence": evidence,
    } | fields


def test_all_fields_are_read(load):
    fields = {"key_facts": ["4.2 %"], "language": "zh", "split": "test", "scope": "rep", "note": "not read"}
    assert load(line({"doc_id": "report", "quote": "The end."}, **fields)).questions == (
        Question(
            "q1",
            "By how much?",
            "single_fact",
            "4.2 %",
            (Evidence("report", TEXT.index("The end."), len(TEXT)),),
            ("4.2 %",),
            "zh",
            "test",
            "rep",
        ),
    )


def test_defaults(load):
    evidence = {"doc_id": "手册", "start": 0, "end": 3}
    [question] = load(line(evidence, type="whatever a data set calls it", answer=None))
    assert (question.answer, question.key_facts, question.split, question.scope) == (None, (), "dev", None)
    assert question.language == "zh"  # that of its document
    assert load(line(evidence, language="en"))[0].language == "en"
    assert load({"id": "q", "question": "?", "type": "unanswerable", "evidence": []})[0].language == "en"


@pytest.mark.parametrize(
    "quote",
    [
        "Revenue grew by\n  4.2 %  in 2023.",
        "Revenue grew by 4.2 % in 2023.",
        " Revenue\tgrew\n\nby 4.2\u3000% in 2023.\n",
    ],
)
def test_a_quote_is_found_whatever_its_white_space(load, quote):
    [question] = load(line({"doc_id": "report", "quote": quote}))
    [evidence] = question.evidence
    assert TEXT[evidence.start : evidence.end] == "Revenue grew by\n  4.2 %  in 2023."


@given(st.lists(st.text("ab.*(", min_size=1, max_size=4), min_size=3, max_size=12, unique=True), st.data())
def test_any_rewrapped_quote_is_found_where_it_stands(tmp_path_factory, words, data):
    spaces = st.sampled_from([" ", "\n", "\r\n", "\t  ", "\u3000"])
    text, places = "", []
    for i, word in enumerate(words):
        text += f"<{i}>" + word
        places.append(len(text))
        text += data.draw(spaces)
    first = data.draw(st.integers(0, len(words) - 2))
    last = data.draw(st.integers(first + 1, len(words) - 1))
    quote = "".join(f"<{i}>{words[i]}" + data.draw(spaces) for i in range(first, last + 1))
    path = tmp_path_factory.getbasetemp() / "rewrapped.jsonl"
    path.write_text(json.dumps(line({"doc_id": "d", "quote": quote})), encoding="utf-8")
    [question] = load_questions(path, [Document("d", text)])
    assert question.evidence == (Evidence("d", text.index(f"<{first}>"), places[last]),)


def test_start_and_end_choose_among_several_places_of_a_quote(load):
    second = TEXT.rindex("Costs")
    [question] = load(line({"doc_id": "report", "quote": "Costs  rose.", "start": second, "end": second + 11}))
    assert question.evidence == (Evidence("report", second, second + 11),)


NOT_LOCATED = [
    ({"doc_id": "report", "quote": "Revenue fell"}, "'report' has no 'Revenue fell'; copy the quote"),
    ({"doc_id": "report", "quote": "Costs rose."}, r"'Costs rose\.' 2 times \(0-11, 47-58\); lengthen"),
    ({"doc_id": "report", "quote": "costs rose"}, "'report' has no 'costs rose'"),
    ({"doc_id": "report", "quote": "Revenuegrew"}, "'report' has no 'Revenuegrew'"),
    ({"doc_id": "missing", "quote": "x"}, "no document 'missing' among the 2 given; add it"),
    ({"doc_id": "missing", "start": 0, "end": 1}, "no document 'missing'"),
    ({"doc_id": "report", "start": 0, "end": 999}, f"report:0-999 is no span inside 0-{len(TEXT)}"),
    ({"doc_id": "report", "start": 5, "end": 5}, "report:5-5 is no span"),
    ({"doc_id": "report", "start": -2, "end": 5}, "report:-2-5 is no span"),
    (
        {"doc_id": "report", "start": 0, "end": 5, "quote": "The end."},
        r"report:0-5 is 'Costs', but the quote is 'The end\.', which stands 60-68; make the two agree",
    ),
    ({"doc_id": "report", "start": 0, "end": 5, "quote": "else"}, "which stands nowhere"),
]


@pytest.mark.parametrize(("evidence", "message"), NOT_LOCATED)
def test_evidence_that_is_not_at_one_place_is_named_with_file_line_and_question(load, evidence, message):
    good = line({"doc_id": "report", "quote": "The end."}, id="q0")
    with pytest.raises(ValueError, match=rf"questions\.jsonl, line 2, question 'q1': .*{message}"):
        load(good, line(evidence))


@pytest.mark.parametrize(("evidence", "message"), NOT_LOCATED)
def test_such_questions_can_be_dropped_and_are_named(load, evidence, message):
    found = load(line({"doc_id": "report", "quote": "The end."}, id="q0"), line(evidence), missing="drop")
    assert [question.id for question in found] == ["q0"]
    assert list(found.dropped) == ["q1"]
    assert re.search(message, found.dropped["q1"])
    assert repr(found) == "QuestionSet(1 questions, 1 dropped: q1)"


def test_overlapping_places_of_a_quote_are_two(load):
    with pytest.raises(ValueError, match=r"2 times \(0-3, 2-5\)"):
        load(line({"doc_id": "d", "quote": "aba"}), documents=[Document("d", "ababa")])


GOOD = {"doc_id": "report", "quote": "The end."}


@pytest.mark.parametrize("missing", ["raise", "drop"])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ('{"id": "q1", ', "line 2: not valid JSON"),
        (line(GOOD, id="q0"), "line 2, question 'q0': line 1 has the same id"),
        (line(GOOD, id=None), "line 2: field 'id' is None; it must be str"),
        ({"id": "q1", "type": "summary", "evidence": [GOOD]}, "line 2, question 'q1': field 'question' is missing"),
        (line(GOOD, question="  "), "question is blank"),
        (line(GOOD, type=""), "type is blank"),
        (line(GOOD, answer=7), "field 'answer' is 7; it must be str or null"),
        (line(), "type 'single_fact' has no evidence"),
        (line(type="bench name"), "type 'bench name' has no evidence"),
        (line(GOOD, type="unanswerable"), "unanswerable question has evidence"),
        (line({"quote": "The end."}), "field 'doc_id' is missing"),
        (line({"doc_id": "report"}), "evidence in 'report' has no place"),
        (line({"doc_id": "report", "start": 3, "quote": "The end."}), "evidence in 'report' has no place"),
        (line({"doc_id": "report", "quote": " \n"}), "blank quote"),
        (line({"doc_id": "report", "start": "0", "end": 5}), "field 'start' is '0'; it must be int or null"),
        (line({"doc_id": "report", "start": False, "end": True}), "field 'start' is False; it must be int or null"),
        (line(GOOD, evidence={"doc_id": "report"}), "field 'evidence' is .*; it must be list"),
        (line("The end."), "'evidence' must be a list of JSON objects"),
        (line(GOOD, key_facts="4.2 %"), "field 'key_facts' is '4.2 %'; it must be list"),
        (line(GOOD, key_facts=[4.2]), r"field 'key_facts' is \[4.2\]; it must be a list of strings"),
        (line(GOOD, key_facts=["x", " "]), r"key_facts \('x', ' '\) has a blank one"),
        (line(GOOD, language="fr"), "language is 'fr'; give one of en, zh"),
        (line(GOOD, split=""), "split is blank"),
    ],
)
def test_damage_is_never_dropped(load, bad, message, missing):
    with pytest.raises(ValueError, match=rf"questions\.jsonl, .*{message}"):
        load(line(GOOD, id="q0"), bad, missing=missing)


def test_an_id_stays_taken_when_its_question_was_dropped(load):
    with pytest.raises(ValueError, match="line 1 has the same id"):
        load(line({"doc_id": "report", "quote": "not there"}), line(GOOD), missing="drop")


def test_documents_with_one_id_are_refused(load):
    with pytest.raises(ValueError, match="two documents have the id 'd'"):
        load(documents=[Document("d", "a"), Document("d", "b")])


def test_an_unknown_way_to_handle_missing_quotes_is_refused(load):
    with pytest.raises(ValueError, match="missing is 'ignore'"):
        load(missing="ignore")


def test_a_question_set_is_used_like_a_list(load):
    found = load(line(GOOD, id="a"), line(GOOD, id="b"), line(GOOD, id="c"))
    assert len(found) == 3
    assert [question.id for question in found] == ["a", "b", "c"]
    assert found[-1].id == "c"
    assert [question.id for question in found[:2]] == ["a", "b"]
    assert found.dropped == {}
    assert repr(found) == "QuestionSet(3 questions)"


def test_quotes_of_the_python_reference_survive_other_line_breaks(load, reference):
    documents = [document for document in reference if len(document.text) > 4000][:40]
    lines = []
    for i, document in enumerate(documents):
        words = document.text[1000:1600].split()[1:-1]  # whole words, all on one line
        lines.append(line({"doc_id": document.doc_id, "quote": " ".join(words)}, id=f"q{i}"))
    found = load(*lines, documents=reference)
    assert len(found) == len(documents)
    for question, document in zip(found, documents, strict=True):
        [evidence] = question.evidence
        assert 1000 <= evidence.start < evidence.end <= 1600
        assert evidence.doc_id == document.doc_id


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [(3, 3, "evidence d:3-3 is no span"), (5, 3, "evidence d:5-3 is no span"), (-1, 3, "start is -1; give 0 or more")],
)
def test_evidence_is_a_span(start, end, message):
    with pytest.raises(ValueError, match=message):
        Evidence("d", start, end)


@pytest.mark.skipif("HIERRAG_BENCH" not in os.environ, reason="HIERRAG_BENCH does not name the public data sets")
@pytest.mark.parametrize(
    ("name", "questions", "documents"),
    [("chroma_eval", 229, 3), ("locomo", 762, 128), ("qmsum", 237, 35), ("xquad-en", 1190, 48), ("xquad-zh", 1190, 48)],
)
def test_public_data_sets_are_read_by_the_same_loader(name, questions, documents):
    folder = Path(os.environ["HIERRAG_BENCH"]) / name
    texts = {document.doc_id: document for document in load_documents(folder / "documents.jsonl")}
    found = load_questions(folder / "questions.jsonl", texts.values())
    assert (len(found), len(texts), found.dropped) == (questions, documents, {})
    if name.startswith("xquad"):
        assert all(
            question.answer == texts[e.doc_id].text[e.start : e.end] for question in found for e in question.evidence
        )
    if name == "xquad-zh":
        assert {question.language for question in found} == {"zh"}
    if name == "locomo":
        assert all(e.doc_id.startswith(question.scope) for question in found for e in question.evidence)
