from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.evaluation import evaluate
from hierrag_lessons.model import Document
from hierrag_lessons.own_documents.page_ends import page_ends
from hierrag_lessons.own_documents.silver import SILVER, silver_questions
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.retrievers import FlatRetriever
from hierrag_lessons.store import temporary_index
from hierrag_lessons.text import terms
from tests.fakes import WordHashEmbedder, hierarchy

RULE = "The tenant may leave with three months' notice in writing."
LEASE = f"# The tenant's lease\n\n{RULE} The landlord keeps the boiler in order. Pets need written consent."


@pytest.fixture(scope="module", params=["en", "zh"])
def made(request):
    documents = load_corpus(request.param)
    return documents, silver_questions(documents, 120)


def text_of(piece, documents):
    [text] = [document.text for document in documents if document.doc_id == piece.doc_id]
    return text[piece.start : piece.end]


def test_they_are_named_as_silver_and_ask_for_a_passage_in_some_of_its_words(made):
    documents, questions = made
    assert len(questions) == 120
    assert {question.type for question in questions} == {SILVER}
    assert len({question.id for question in questions}) == 120
    for question in questions:
        [piece] = question.evidence
        passage = text_of(piece, documents)
        assert passage == passage.strip()
        held = terms(passage, question.language)
        asked = question.question.split()
        assert 3 <= len(asked) <= 7
        elsewhere = [word for word in asked if not set(terms(word, question.language)) <= set(held)]
        assert len(elsewhere) <= 1  # one word of the document beside those of the passage
        assert not any(word.isdecimal() for word in asked)
        assert question.question.lower() not in " ".join(passage.lower().split())


def test_they_are_spread_over_the_documents(made):
    documents, questions = made
    asked = Counter(question.evidence[0].doc_id for question in questions)
    assert len(asked) >= 0.9 * len(documents)
    assert max(asked.values()) <= 2 + 120 // len(documents) * 2


def test_some_ask_for_a_sentence_and_some_for_a_paragraph(made):
    documents, questions = made
    lengths = [len(text_of(question.evidence[0], documents)) for question in questions]
    assert max(lengths) > 3 * sorted(lengths)[len(lengths) // 2]


def test_they_are_the_same_in_every_run_and_in_every_order_of_the_documents():
    documents = load_corpus("en")
    first = silver_questions(documents, 30, seed=5)
    assert first == silver_questions(documents[::-1], 30, seed=5)
    assert first != silver_questions(documents, 30, seed=6)


def test_more_questions_begin_with_the_same_ones():
    documents = load_corpus("zh")
    assert silver_questions(documents, 60)[:20] == silver_questions(documents, 20)


def test_the_same_text_elsewhere_will_do_as_well():
    documents = [Document(name, f"{RULE} {own}") for name, own in (("a", "Cats."), ("b", "Dogs."))]
    questions = silver_questions(documents)
    assert [question.evidence[0].doc_id for question in questions] == ["a", "b"]
    assert [text_of(other, documents) for q in questions for other in q.evidence[0].alternatives] == [RULE, RULE]


def test_boilerplate_headings_and_code_are_not_asked_for():
    boilerplate = [Document(str(number), RULE) for number in range(6)]
    assert silver_questions(boilerplate) == []
    code = "```\nThe landlord keeps the boiler and all radiators in order\n```"
    document = Document("a", f"# The landlord keeps the boiler and all radiators in order\n\n{code}", "markdown")
    assert silver_questions([document]) == []


def test_what_belongs_to_the_page_is_not_asked_for():
    head, foot = "Supply contract of Norrland and Hartmann, draft of the board", "file:///tmp/p.html   {}/3"
    bodies = [
        "The supplier delivers four chambers to the works in Umea before winter. Each chamber is tested twice by hand.",
        "The buyer pays a third of the price when the contract is signed. The rest follows after every acceptance.",
        "Seals and pump oil are never part of the warranty of this supplier. Defects are reported within ten days.",
    ]
    pages = [f"{head}\n{body}\n{foot.format(number)}" for number, body in enumerate(bodies, 1)]
    starts = [0, len(pages[0]) + 2, len(pages[0]) + len(pages[1]) + 4]
    contract = Document("contract.pdf", "\n\n".join(pages), "text", metadata={"pages": starts})
    ends = {contract.text[start:end] for start, end in page_ends(contract)}
    assert ends == {head, *(foot.format(number) for number in (1, 2, 3))}
    asked = silver_questions([contract], 20)
    assert asked
    for question in asked:
        for piece in question.evidence:
            passage = text_of(piece, [contract])
            assert head not in passage
            assert "file://" not in passage


def test_a_page_without_empty_lines_is_no_paragraph_to_ask_for():
    other = "Pets need the written consent of the landlord before they move in. "
    whole = Document("a", f"{RULE} {LEASE.partition('. ')[2]} {other} The third rule of the lease is about the boiler.")
    sentences = silver_questions([whole], 30)
    assert sentences
    assert all(q.evidence[0].end - q.evidence[0].start <= len(whole.text) / 3 for q in sentences)


def test_another_form_of_a_word_is_taken_where_there_is_one():
    other = Document("b", "Tenants leaving write noticing month three.")
    questions = silver_questions([Document("a", RULE), other], 1)
    assert set(questions[0].question.split()) & {"tenants", "leaving", "write", "noticing", "month"}


def test_a_search_can_be_measured_with_them():
    documents = load_corpus("en")[:6]
    with temporary_index([hierarchy(d, sizes=(400, 60)) for d in documents], embedder=WordHashEmbedder()) as index:
        found = evaluate(FlatRetriever(index, mode="text"), silver_questions(documents, 30), [1000])
    assert 0.7 < found.mean("recall", 1000) <= 1


@given(st.lists(st.text(alphabet="ab \n.#|年假 员工第x1", max_size=300), max_size=4), st.integers(1, 9))
def test_any_text_gives_questions_with_places_in_it(texts, n):
    documents = [Document(str(place), text, "markdown") for place, text in enumerate(texts)]
    questions = silver_questions(documents, n)
    assert len(questions) <= n
    for question in questions:
        assert text_of(question.evidence[0], documents).strip()


@pytest.mark.parametrize("n", [0, 1.5, True, "7"])
def test_an_impossible_number_is_refused(n):
    with pytest.raises(ValueError, match="n is"):
        silver_questions([Document("lease.md", LEASE)], n)


def test_the_words_of_a_question_stand_in_no_other_sentence_together():
    things, places = ("boiler", "fence", "gutter", "lift"), ("cellar", "garden", "attic", "courtyard")
    sentences = [
        f"The green {thing} in the {place} needs a careful inspection." for thing in things for place in places
    ]
    document = Document("house.md", "\n\n".join(sentences), "markdown")
    questions = silver_questions([document], 60)
    assert len(questions) >= 8
    for question in questions:
        passage = text_of(question.evidence[0], [document])
        known = set(terms(passage, "en"))
        asked = {word for word in terms(question.question, "en") if word in known}
        assert [sentence for sentence in sentences if asked <= set(terms(sentence, "en"))] == [passage]
