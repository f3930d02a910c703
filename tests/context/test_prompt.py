"""The order of a context, its text with numbers, and the way back from an answer's citations."""

import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.context import Prompt, free_numbers, pack, pack_prompt, render, reorder
from hierrag_lessons.model import Passage, Span, sort_key
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.text import count_tokens
from tests.context.test_packing import documents_and_passages, measures, passage


def characters(passages) -> list[tuple[str, int]]:
    return [(p.doc_id, i) for p in passages for i in range(p.start, p.end)]


def ranked(n: int) -> list[Passage]:
    text = "".join(f"part {i}. " for i in range(n))
    return [passage(text, 8 * i, 8 * i + 8, score=float(n - i)) for i in range(n)]


# --- order ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "expected"), [(0, []), (1, [1]), (2, [1, 2]), (3, [1, 3, 2]), (6, [1, 3, 5, 6, 4, 2]), (5, [1, 3, 5, 4, 2])]
)
def test_ends_first_puts_the_worst_into_the_middle(n, expected):
    found = ranked(n)
    assert [found.index(p) + 1 for p in reorder(found, "ends_first")] == expected


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.integers(-2, 2)), max_size=12, unique=True))
def test_orders(places):
    found = [Passage(d, start, start + 1, "x", score=float(score)) for d, start, score in places]
    for order in ("score", "document", "ends_first"):
        again = reorder(found, order)
        assert sorted(again, key=sort_key) == sorted(found, key=sort_key)
        assert again == reorder(found[::-1], order)
    by_score = reorder(found)
    assert by_score == sorted(found, key=sort_key)
    by_ends = reorder(found, "ends_first")
    rank = {id(p): n for n, p in enumerate(by_score)}
    distance = [min(n, len(by_ends) - 1 - n) for n in range(len(by_ends))]
    # Nearer to an end is never worse.
    for p, a in zip(by_ends, distance, strict=True):
        for q, b in zip(by_ends, distance, strict=True):
            assert a >= b or rank[id(p)] < rank[id(q)]
    by_document = reorder(found, "document")
    firsts = list(dict.fromkeys(p.doc_id for p in by_score))
    assert list(dict.fromkeys(p.doc_id for p in by_document)) == firsts
    for doc_id in firsts:
        own = [(p.start, p.end) for p in by_document if p.doc_id == doc_id]
        assert own == sorted(own)
        at = [n for n, p in enumerate(by_document) if p.doc_id == doc_id]
        assert at == list(range(at[0], at[0] + len(at)))


def test_another_order_is_refused():
    with pytest.raises(ValueError, match="order is 'random'; give one of score, document, ends_first"):
        reorder([], "random")


# --- rendering --------------------------------------------------------------------------------------------------------


def test_passages_are_numbered_under_their_headings():
    fees = replace(passage("Fees are due in May.\n", 0, 21, "rules"), context="Title I › Article 2")
    prompt = render([fees, passage("Call us.", 0, 8, "faq")])
    assert prompt.text == "[1] rules: Title I › Article 2\nFees are due in May.\n\n[2] faq\nCall us."
    assert prompt.numbers == (1, 2)
    assert prompt.passages == (fees, passage("Call us.", 0, 8, "faq"))
    assert render([]) == Prompt("", (), ())


def test_neighbours_under_one_heading_have_it_once():
    """Small passages in a prompt: a heading over each of them would take more room than their text."""
    text = "Fees are due in May. Late fees double. Ask the office. Nobody is exempt."
    first, second, last = (
        replace(passage(text, *cut, "rules"), context="Article 2") for cut in ((0, 20), (21, 38), (55, 72))
    )
    prompt = render([first, second, last])
    assert prompt.text == (
        "[1] rules: Article 2\nFees are due in May.\n\n[2] Late fees double.\n\n[3] Nobody is exempt."
    )
    assert prompt.passages == (first, second, last)
    assert render([first, replace(second, context="Article 3")]).text.count("rules: Article") == 2
    assert render([first, replace(second, doc_id="other")]).text.count(": Article 2") == 2
    assert render([second, first]).text.count("rules: Article 2") == 2  # what stands above is not read as below


def test_a_heading_stays_on_its_line():
    prompt = render([replace(passage("text", 0, 4, "d\n[8]"), context="one\ntwo\r\n[1] three")])
    assert prompt.text.split("\n") == ["[2] d [8]: one two [1] three", "text"]


def test_numbers_that_stand_in_the_texts_are_passed_over():
    """A paper's own references: a model that copies [1] or [3] from it would otherwise cite a passage."""
    paper = next(document for document in load_corpus("en") if document.doc_id == "en/research_paper")
    start = paper.text.index("Ferreira-Holt and Quist [1]")
    end = paper.text.index("[4]", start) + 3
    shown = [passage(paper.text, start, end, paper.doc_id), passage("Other text.", 0, 11, "other")]
    prompt = render(shown)
    assert {"[1]", "[2, 3]", "[4]"} <= set(re.findall(r"\[[\d, ]+\]", prompt.passages[0].text))
    assert prompt.numbers == (5, 6)
    with pytest.raises(ValueError, match="the answer cites 2, 3, and the passages have 5, 6"):
        prompt.citations("Recurrent models changed the picture [2, 3].")
    assert [c.passage for c in prompt.citations("Something else [6].")] == [shown[1]]


def test_a_range_leaves_out_the_numbers_that_were_passed_over():
    texts = ["One.", "Two, see [3].", "Four."]
    prompt = render([passage(text, 0, len(text), text) for text in texts])
    assert prompt.numbers == (1, 2, 4)
    assert [c.number for c in prompt.citations("All of it [1-4], and the last two [2–4].")] == [1, 2, 4, 2, 4]
    for invented in ("[3]", "[1-3]", "[2-5]"):
        with pytest.raises(ValueError, match="the passages have 1, 2, 4"):
            prompt.citations(f"Something {invented}.")


@given(documents_and_passages())
def test_every_number_names_one_passage_and_stands_in_brackets_only_there(case):
    _, found = case
    prompt = render(found)
    assert len(prompt.numbers) == len(set(prompt.numbers)) == len(found)
    assert list(prompt.numbers) == sorted(prompt.numbers)
    for number, shown in zip(prompt.numbers, prompt.passages, strict=True):
        (cited,) = prompt.citations(f"So it is [{number}].")
        assert (cited.number, cited.passage, cited.place) == (number, shown, Span(9, 11 + len(str(number))))
        assert prompt.text.count(f"[{number}]") == 1


# --- citations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("", []),
        ("No source.", []),
        ("A [1]. B [3].", [1, 3]),
        ("A [1][2].", [1, 2]),
        ("A [1, 2] and [2,3] again.", [1, 2, 2, 3]),
        ("A [2-4].", [2, 3, 4]),
        ("A [2–3, 1].", [2, 3, 1]),
        ("答案【1】，还有［2、3］。", [1, 2, 3]),
        ("全角 [１]", [1]),
        ("A [ 1 ; 2 ]", [1, 2]),
        ("not a number [a], [1a], [], 1], [2.5], [-1]", []),
    ],
)
def test_citations_are_read(answer, expected):
    prompt = render(ranked(4))
    found = prompt.citations(answer)
    assert [citation.number for citation in found] == expected
    for citation in found:
        assert citation.passage == prompt.passages[citation.number - 1]
        assert answer[citation.place.start] in "[【［"
        assert answer[citation.place.end - 1] in "]】］"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("A [5].", "the answer cites 5, and the passages have 1, 2, 3, 4"),
        ("A [1], B [0] and [7].", "cites 0, 7,"),
        ("A [3-6].", "cites 5, 6,"),
        ("A [1-999999999].", "cites 999999999,"),
        ("A [4-2000].", "cites 2000,"),
        ("In [2024] it was so.", "cites 2024,"),
    ],
)
def test_numbers_that_no_passage_has_are_refused(answer, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        render(ranked(4)).citations(answer)


def test_a_context_of_nothing_has_no_numbers():
    with pytest.raises(ValueError, match="cites 1, and the passages have none"):
        render([]).citations("[1]")
    assert render([]).citations("I do not know.") == []


# --- a budget for the whole text --------------------------------------------------------------------------------------


@given(documents_and_passages(), st.integers(1, 150), measures, st.sampled_from(["score", "document", "ends_first"]))
def test_the_rendered_text_keeps_to_the_budget(case, budget, measure, order):
    _, found = case
    prompt = pack_prompt(found, budget, order, measure)
    assert measure(prompt.text) <= budget
    assert prompt == render(reorder(prompt.passages, order))
    assert len(characters(prompt.passages)) == len(set(characters(prompt.passages)))
    whole = pack(found, 10**9, measure)
    assert set(characters(prompt.passages)) <= set(characters(whole))
    everything = render(reorder(whole, order))
    if measure(everything.text) <= budget:
        assert prompt == everything


def test_it_is_filled_as_far_as_headings_and_numbers_leave_room():
    documents = load_corpus("en")[:3]
    found = [
        Passage(d.doc_id, at, at + 400, d.text[at : at + 400], "A heading › Another", -float(at))
        for d in documents
        for at in (0, 500, 1000, 1500)
        if at + 400 <= len(d.text)
    ]
    for budget in (60, 200, 400):
        prompt = pack_prompt(found, budget)
        assert budget - 12 <= count_tokens(prompt.text) <= budget
        assert count_tokens(render(pack(found, budget)).text) > budget


def test_a_budget_below_every_heading_holds_nothing():
    assert pack_prompt(ranked(3), 2) == Prompt("", (), ())
    for budget in (0, -1):
        with pytest.raises(ValueError, match=f"budget is {budget}"):
            pack_prompt(ranked(3), budget)


@pytest.mark.parametrize("text", ["[" + "1," * 500_000, "[" + "123456789 , " * 100_000, "[1" + " " * 1_000_000])
def test_time_to_read_citations_grows_with_the_answer_only(text):
    passage = Passage("d", 0, len(text), text, "", 0.0)
    began = time.process_time()
    assert Prompt("", (passage,), (1,)).citations(text) == []
    assert free_numbers([passage], 2) == (1, 2)
    assert time.process_time() - began < 5
