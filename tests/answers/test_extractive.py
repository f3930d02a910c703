"""Extracts: every statement is a span of the document, no answer is too long, and the same comes twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.answers import Answer, ExtractiveAnswerer, LeadAnswerer, Quote, Statement, answer_sentences
from hierrag_lessons.model import Document, Hit, Node, Passage
from hierrag_lessons.text import count_tokens
from tests.texts import texts

CATS = "Cats sleep all day. Dogs run on the beach. Fish swim in the lake. Nobody has seen a fish run."


def passage(text, start, end, score=1.0, doc_id="d"):
    return Passage(doc_id, start, end, text[start:end], score=score)


@st.composite
def contexts(draw):
    text = draw(texts.filter(lambda text: len(text) > 4))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6, unique=True)))
    scores = draw(st.lists(st.floats(-5, 5), min_size=len(cuts), max_size=len(cuts)))
    found = [passage(text, a, b, score) for a, b, score in zip(cuts, cuts[1:], scores, strict=False)]
    return Document("d", text), draw(st.permutations(found)), draw(st.text(max_size=30)), draw(st.integers(1, 40))


@given(contexts())
def test_statements_are_the_documents_own_words_and_fit(drawn):
    document, passages, question, most = drawn
    for answerer in (LeadAnswerer(most), ExtractiveAnswerer(most), ExtractiveAnswerer(most, language="zh")):
        answer = answerer.answer(question, passages)
        assert answer.tokens <= most
        assert answer.refused == (not answer.statements)
        assert answer == answerer.answer(question, passages)
        for statement in answer.statements:
            [quote] = statement.quotes
            assert statement.text == quote.text == document.text[quote.start : quote.end]
            assert any(p.start <= quote.start and quote.end <= p.end for p in passages)


@given(contexts())
def test_no_sentence_is_taken_twice(drawn):
    _, passages, question, most = drawn
    statements = ExtractiveAnswerer(most).answer(question, passages).statements
    assert len(set(statements)) == len(statements)


def test_the_sentence_with_the_rare_word_is_taken():
    assert ExtractiveAnswerer(12).answer("Who runs on a beach?", [passage(CATS, 0, len(CATS))]).plain == (
        "Dogs run on the beach."
    )


def test_the_retrievers_score_counts_and_can_be_ignored():
    low, high = passage(CATS, 0, 42, 0.1), passage(CATS, 43, 94, 0.9)
    context = [low, high]
    assert ExtractiveAnswerer(9, trust=0).answer("When do cats sleep?", context).plain == "Cats sleep all day."
    assert "fish" in ExtractiveAnswerer(12, trust=9).answer("When do cats sleep?", context).plain.lower()


def test_the_score_of_a_sentence_is_that_of_the_hit_that_it_lies_in():
    def hit(start, end, score):
        return Hit(Node(f"d:{start}", "d", 1, start, end, CATS[start:end]), score)

    whole = Passage("d", 0, len(CATS), CATS, score=0.9, hits=(hit(43, 65, 0.9), hit(0, 19, 0.2)))
    assert ExtractiveAnswerer(9).answer("?", [whole]).plain == "Fish swim in the lake."


def test_a_word_that_was_said_counts_less_with_coverage():
    text = "Dogs run fast. Dogs run slow. Cats nap. Birds fly. Fish swim."
    context, question = [passage(text, 0, len(text))], "Dogs, do they run? And cats?"
    most = count_tokens("Dogs run fast. Dogs run slow.")
    assert ExtractiveAnswerer(most, coverage=0).answer(question, context).plain == "Dogs run fast. Dogs run slow."
    assert "Cats nap." in ExtractiveAnswerer(most, coverage=1).answer(question, context).plain


def test_a_word_that_was_said_twice_counts_as_one_that_was_said_once():
    text = "Dogs run. Dogs eat. Dogs nap. Cats run. Cats eat. Cats nap. Cats purr. Cats hide."
    answerer = ExtractiveAnswerer(count_tokens("Dogs run. Dogs eat. Dogs nap. Cats run."), trust=0, coverage=0.5)
    # The third on dogs is worth half of the first, as the second was, and more than a second on cats.
    assert answerer.answer("Dogs and cats?", [passage(text, 0, len(text))]).plain == (
        "Dogs run. Dogs eat. Dogs nap. Cats run."
    )


def test_lead_takes_what_was_packed_first_and_stops_at_what_does_not_fit():
    first = count_tokens("Cats sleep all day.")
    context = [passage(CATS, 0, len(CATS))]
    assert LeadAnswerer(first).answer("fish?", context).plain == "Cats sleep all day."
    assert LeadAnswerer(1).answer("fish?", context).refused


def test_headings_and_rules_are_no_sentences():
    text = "# Pets\n\nDogs run.\n\n---\n\n## More"
    assert [quote.text for quote in answer_sentences([passage(text, 0, len(text))])] == ["Dogs run."]


def test_an_empty_context_is_refused():
    answer = ExtractiveAnswerer().answer("Who?", [])
    assert answer.refused
    assert answer.text
    assert (answer.plain, answer.tokens) == ("", 0)


def test_markers_number_the_sources():
    one, two = Quote("d", 0, 4, "Cats"), Quote("e", 0, 4, "Dogs")
    answer = Answer("?", (Statement("A.", (one, two)), Statement("B."), Statement("C.", (two,))))
    assert answer.text == "A. [1] [2] B. C. [2]"
    assert answer.sources == (one, two)


def test_nothing_invisible_reaches_the_reader_of_an_answer():
    quote = Quote("d", 0, 4, "a\x00b\r\nc\u202ed")
    answer = Answer("?", (Statement(quote.text, (quote,)),))
    assert answer.text == "a<U+0000>b\nc<U+202E>d [1]"
    assert answer.plain == quote.text, "what is measured is the document's text"
    assert Answer("?", refused=True, reason="no\x1b[2J").text == "no<U+001B>[2J"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"max_tokens": 0}, "max_tokens is 0; give 1 or more"),
        ({"trust": -1}, "trust is -1"),
        ({"coverage": 2}, "coverage is 2"),
        ({"language": "de"}, "language is 'de'"),
    ],
)
def test_impossible_parameters_are_refused(values, said):
    with pytest.raises(ValueError, match=said):
        ExtractiveAnswerer(**values)
