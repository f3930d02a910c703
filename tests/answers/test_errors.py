"""Each kind of error, and where it comes from."""

from hierrag_lessons.answers import Answer, ExtractiveAnswerer, Quote, Statement, diagnose
from hierrag_lessons.evaluation import Evidence, Question
from hierrag_lessons.model import Passage

TEXT = "The pilot keeps readings for 45 days. Quietline keeps them for 30 days. The sky is blue."
FIRST, SECOND, SKY = Quote("d", 0, 37, TEXT[:37]), Quote("d", 38, 71, TEXT[38:71]), Quote("d", 72, 88, TEXT[72:])
ASKED = Question(
    "q", "How much longer?", "single_fact", "15 days", (Evidence("d", 0, 71),), key_facts=("45 days", "30 days")
)
WHOLE = [Passage("d", 0, len(TEXT), TEXT)]
HALF = [Passage("d", 0, 37, TEXT[:37])]
ELSEWHERE = [Passage("d", 72, 88, TEXT[72:])]


def quoting(*quotes):
    return Answer("?", tuple(Statement(quote.text, (quote,)) for quote in quotes))


def kinds(*found):
    return [(one.kind, one.cause) for one in found]


def test_what_is_missing_is_the_retrievers_or_the_answerers_fault():
    assert kinds(
        diagnose(ASKED, WHOLE, quoting(FIRST, SECOND)),
        diagnose(ASKED, WHOLE, quoting(FIRST)),
        diagnose(ASKED, HALF, quoting(FIRST)),
        diagnose(ASKED, HALF, quoting(Quote("d", 0, 9, TEXT[:9]))),
    ) == [("right", ""), ("incomplete", "answerer"), ("incomplete", "retrieval"), ("incomplete", "both")]


def test_quotes_beside_the_evidence_are_from_the_wrong_place():
    assert kinds(diagnose(ASKED, WHOLE, quoting(SKY)), diagnose(ASKED, ELSEWHERE, quoting(SKY))) == [
        ("wrong place", "answerer"),
        ("wrong place", "retrieval"),
    ]


def test_an_unsupported_statement_is_invented_wherever_it_quotes_from():
    invented = Answer("?", (Statement(FIRST.text, (FIRST,)), Statement("By 15 days.", (FIRST, SECOND))))
    found = diagnose(ASKED, WHOLE, invented)
    assert (found.kind, found.unsupported, found.answer_facts, found.context_facts) == ("invented", (1,), 0.5, 1.0)


def test_a_judge_can_find_it_supported():
    class Kind:
        def judge(self, statement, source):
            return "supported"

    written = Answer("?", (Statement("45 days against 30 days: 15 days.", (FIRST, SECOND)),))
    assert diagnose(ASKED, WHOLE, written, Kind()).kind == "right"


def test_refusals_are_right_where_there_is_no_answer():
    refused, unanswerable = Answer("?", refused=True), Question("u", "Why?", "unanswerable", None, ())
    assert kinds(
        diagnose(unanswerable, WHOLE, refused),
        diagnose(unanswerable, WHOLE, quoting(SKY)),
        diagnose(ASKED, WHOLE, refused),
        diagnose(ASKED, ELSEWHERE, refused),
    ) == [
        ("right", ""),
        ("answered wrongly", "answerer"),
        ("refused wrongly", "answerer"),
        ("refused wrongly", "retrieval"),
    ]


def test_a_question_without_key_facts_is_never_incomplete():
    plain = Question("p", "How long?", "single_fact", None, (Evidence("d", 0, 71),))
    found = diagnose(plain, WHOLE, ExtractiveAnswerer().answer("How long?", WHOLE))
    assert (found.kind, found.context_facts) == ("right", None)
