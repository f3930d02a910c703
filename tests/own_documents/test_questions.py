import json

import pytest

from hierrag_lessons.model import Document
from hierrag_lessons.own_documents.questions import read_questions

LEASE = (
    "# Lease\n\nThe tenant may leave\nwith three months' notice. The rent is due on the third day.\n\n"
    "The end. The end.\n"
)
DOCUMENTS = [Document("lease.md", LEASE, "markdown"), Document("a/手册.md", "员工每年有十五天年假。", "markdown", "zh")]
NOTICE = {"doc": "lease.md", "quote": "leave with three months' notice"}


@pytest.fixture
def read(tmp_path):
    def read(*lines, name="questions.jsonl"):
        path = tmp_path / name
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")
        return read_questions(path, DOCUMENTS)

    return read


def test_a_line_needs_a_question_and_a_quote(read):
    [question] = read({"question": "How much notice?", "evidence": [NOTICE]})
    [piece] = question.evidence
    assert LEASE[piece.start : piece.end] == "leave\nwith three months' notice"
    assert (question.id, question.type, question.language, question.answer) == ("q0001", "question", "en", None)


def test_everything_that_a_line_may_have(read):
    other = {"doc": "a\\手册.md", "quote": "年假"}
    fields = {"id": "n1", "type": "single_fact", "answer": "three months", "key_facts": ["three"]}
    piece = {**NOTICE, "alternatives": [other]}
    [question] = read(
        "", {"question": "?", "evidence": [piece, {"doc_id": "lease.md", "start": 0, "end": 7}], **fields}
    )
    assert (question.id, question.type, question.key_facts) == ("n1", "single_fact", ("three",))
    assert question.evidence[0].alternatives[0].doc_id == "a/手册.md"
    assert question.evidence[1].span == (0, 7)


def test_a_question_without_an_answer_says_so(read):
    [question] = read({"question": "Who is the landlord?", "type": "unanswerable"})
    assert not question.answerable


def test_a_table_of_a_spreadsheet(read):
    questions = read(
        "\ufeffQuestion,Doc,Quote,Type",
        "How much notice?,lease.md,three months' notice,",
        ",,,",
        '"年假,几天?",a/手册.md,"十五天',
        '",single_fact',
        "How much notice?,lease.md,due on the third day,",
        "Who is the landlord?,,,unanswerable",
        name="questions.csv",
    )
    assert [(q.id, q.question, q.type, len(q.evidence)) for q in questions] == [
        ("q0002", "How much notice?", "question", 2),
        ("q0004", "年假,几天?", "single_fact", 1),
        ("q0007", "Who is the landlord?", "unanswerable", 0),
    ]
    assert questions[1].language == "zh"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"question": "?", "evidence": [{"doc": "lease.md", "quote": "nowhere"}]}, "copy the quote from the document"),
        ({"question": "?", "evidence": [{"doc": "lease.md", "quote": "The end."}]}, "2 times .*lengthen the quote"),
        ({"question": "?", "evidence": [{"doc": "leas.md", "quote": "x"}]}, "did you mean 'lease.md'"),
        ({"question": "?", "evidence": [{"doc": "zzz", "quote": "x"}]}, "among the 2 that were read"),
        ({"question": "?", "evidence": [{"doc": "lease.md"}]}, "has no place; give"),
        ({"question": "?", "evidence": [{"quote": "The end."}]}, 'add "doc"'),
        ({"question": "?", "evidence": ["The end."]}, '"quote": "the words"'),
        ({"question": "?", "evidence": "The end."}, "field 'evidence' is 'The end.'; it must be list"),
        ({"question": "?"}, '"type": "unanswerable"'),
        ({"question": " ", "evidence": [NOTICE]}, "the question is blank"),
        ({"evidence": [NOTICE]}, "field 'question' is missing"),
        ({"question": "?", "evidence": [{**NOTICE, "alternatives": [{"doc": "no"}]}]}, "no document 'no'"),
    ],
)
def test_a_fault_is_named_with_its_line_and_what_to_do(read, line, said):
    good = {"question": "How much notice?", "evidence": [NOTICE]}
    with pytest.raises(ValueError, match=rf"questions.jsonl has a fault:\nline 2: .*{said}"):
        read(good, line)


def test_of_several_places_one_can_be_chosen(read):
    piece = {"doc": "lease.md", "quote": "The end."}
    found = read(*({"question": f"Q{n}?", "evidence": [{**piece, "occurrence": n}]} for n in (1, 2)))
    first = LEASE.index("The end.")
    assert [question.evidence[0].start for question in found] == [first, first + len("The end. ")]
    with pytest.raises(ValueError, match=r"2 times .*say which one counts: occurrence, from 1 to 2"):
        read({"question": "Q?", "evidence": [piece]})
    for wrong, said in ((0, "give 1 to 2"), (3, "give 1 to 2"), ("2", "must be int"), (True, "must be int")):
        with pytest.raises(ValueError, match=said):
            read({"question": "Q?", "evidence": [{**piece, "occurrence": wrong}]})


def test_the_place_can_be_a_column(tmp_path):
    file = tmp_path / "gold.csv"
    file.write_text("question,doc,quote,occurrence\nSmoking?,d.md,No.,2\nGuests?,d.md,Yes.,\n", encoding="utf-8")
    documents = [Document("d.md", "Pets? No. Smoking? No. Guests? Yes.")]
    assert [question.evidence[0].start for question in read_questions(file, documents)] == [19, 31]
    file.write_text("question,doc,quote,occurrence\nSmoking?,d.md,No.,second\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2: field 'occurrence' is 'second'"):
        read_questions(file, documents)


def test_what_is_bad_can_be_left_out(tmp_path):
    file, faults = tmp_path / "gold.csv", []
    documents = [Document("d.md", "Pets? No. Smoking? No. Guests? Yes.")]
    file.write_text("question,doc,quote\nSmoking?,d.md,No.\nGuests?,d.md,Yes.\n", encoding="utf-8")
    found = read_questions(file, documents, bad=faults.append)
    assert [question.question for question in found] == ["Guests?"]
    assert len(faults) == 1
    assert faults[0].startswith("line 2: 'd.md' has 'No.' 2 times")
    file.write_text("question,doc,quote\nSmoking?,d.md,No.\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"has a fault:\nline 2"):
        read_questions(file, documents, bad=faults.append)


def test_all_faults_are_named_at_once(read):
    with pytest.raises(ValueError, match=r"has 12 faults:\nline 1: (.|\n)*\nand 2 more$"):
        read(*[{"question": " "}] * 12)


def test_an_id_comes_once(read):
    line = {"id": "a", "question": "How much notice?", "evidence": [NOTICE]}
    with pytest.raises(ValueError, match="line 2: line 1 has the id 'a' as well"):
        read(line, line)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("q.jsonl", "", "q.jsonl has no question; write"),
        ("q.jsonl", "{", "q.jsonl, line 1: not valid JSON"),
        ("q.txt", "x", "q.txt is neither .jsonl nor .csv"),
        ("q.csv", "", "q.csv has no column question, doc, quote; write the line question,doc,quote"),
        ("q.csv", "question;doc;quote", "separate by commas"),
        ("q.csv", "question,doc,quote\n\na,b", "q.csv, line 3: 2 cells for 3 columns"),
        ("q.csv", 'question,doc,quote\na,b,"c', "q.csv, line 2: "),
    ],
)
def test_what_is_no_file_of_questions(tmp_path, name, content, said):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        read_questions(tmp_path / name, DOCUMENTS)


def test_documents_have_one_id_each(tmp_path):
    with pytest.raises(ValueError, match=r"two documents have the id 'lease.md'"):
        read_questions(tmp_path / "q.jsonl", [DOCUMENTS[0], Document("lease.md", "x")])
