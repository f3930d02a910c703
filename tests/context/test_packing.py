from dataclasses import replace
from typing import ClassVar
from unittest.mock import Mock

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.context import pack, retrieve_contexts
from hierrag_lessons.model import Hit, Node, Passage
from hierrag_lessons.ranking import Stop
from hierrag_lessons.text import count_tokens
from tests.texts import texts


def passage(text: str, start: int, end: int, doc_id: str = "d", score: float = 0.0) -> Passage:
    return Passage(doc_id, start, end, text[start:end], score=score)


def words(text: str) -> int:
    return len(text.split())


def characters(passages) -> list[tuple[str, int]]:
    return [(p.doc_id, i) for p in passages for i in range(p.start, p.end)]


@st.composite
def documents_and_passages(draw):
    documents = {"a": draw(texts), "b": draw(texts)}
    found = []
    for doc_id in draw(st.lists(st.sampled_from("ab"), max_size=8)):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(documents[doc_id]))] * 2)))
        found.append(passage(documents[doc_id], start, end, doc_id, score=-float(len(found))))
    return documents, found


measures = st.sampled_from([len, words, count_tokens])


@given(documents_and_passages(), st.integers(1, 120), measures)
def test_packed_pieces_keep_to_the_budget_and_repeat_nothing(case, budget, measure):
    documents, found = case
    packed = pack(found, budget, measure)
    assert sum(measure(piece.text) for piece in packed) <= budget
    assert len(characters(packed)) == len(set(characters(packed)))
    for piece in packed:
        assert piece.text == documents[piece.doc_id][piece.start : piece.end]
        assert piece.text.strip()


@given(documents_and_passages(), st.integers(1, 120), measures)
def test_pieces_keep_the_order_of_the_passages_and_nothing_before_the_cut_is_missing(case, budget, measure):
    documents, found = case
    # The oracle: every character in the order in which a reader of the passages would meet it first.
    expected = [place for place in dict.fromkeys(characters(found)) if not documents[place[0]][place[1]].isspace()]
    packed = pack(found, budget, measure)
    got = [place for place in characters(packed) if not documents[place[0]][place[1]].isspace()]
    assert got == expected[: len(got)]
    if len(got) < len(expected):
        # It stopped because of the budget: the next piece, whole, would have been too large.
        everything = pack(found, 10**9, measure)
        next_piece = next(p for p in everything if not set(characters([p])) <= set(characters(packed)))
        whole = [p for p in packed if p.doc_id != next_piece.doc_id or p.start != next_piece.start]
        assert sum(measure(p.text) for p in whole) + measure(next_piece.text) > budget


@given(texts.filter(lambda text: not regex.search(r"[\ud800-\udfff]", text)), st.integers(1, 40))
def test_a_cut_is_the_last_one_that_fits_and_breaks_no_grapheme(text, budget):
    packed = pack([passage(text, 0, len(text))], budget, len)
    allowed = [0, *(match.end() for match in regex.finditer(r"\X", text))]
    last = max(end for end in allowed if end <= budget)
    assert [piece.text for piece in packed] == ([text[:last]] if text[:last].strip() else [])


def test_a_passage_around_an_earlier_one_gives_the_parts_before_and_after():
    text = "First part. The hit. Last part."
    hits = (Hit(Node("n", "d", 1, 12, 20, text[12:20]), 0.5),)
    parent = replace(passage(text, 0, len(text), score=0.4), context="Chapter 1", hits=hits)
    packed = pack([passage(text, 12, 20, score=0.9), parent], 1000)
    assert [(p.start, p.end) for p in packed] == [(12, 20), (0, 12), (20, 31)]
    assert [p.score for p in packed] == [0.9, 0.4, 0.4]
    assert [p.context for p in packed] == ["", "Chapter 1", "Chapter 1"]
    assert packed[1].hits == packed[2].hits == hits


def test_pieces_that_touch_stay_apart_in_the_order_of_their_scores():
    text = "one two three"
    packed = pack([passage(text, 4, 13, score=2.0), passage(text, 0, 4, score=1.0)], 100)
    assert [(p.text, p.score) for p in packed] == [("two three", 2.0), ("one ", 1.0)]


def test_white_space_between_passages_is_no_piece():
    text = "one\n\ntwo\n\nthree"
    packed = pack([passage(text, 0, 3), passage(text, 5, 8), passage(text, 0, len(text))], 100)
    assert [p.text for p in packed] == ["one", "two", "\n\nthree"]


def test_nothing_is_packed_after_the_cut_even_where_it_would_fit():
    text = "aaaa bbbbbbbbbb c"
    packed = pack([passage(text, 0, 4), passage(text, 5, 15), passage(text, 16, 17)], 8, len)
    assert [p.text for p in packed] == ["aaaa", "bbbb"]


@pytest.mark.parametrize(
    ("text", "budget", "expected"),
    [
        ("ab👨‍👩‍👧", 4, ["ab"]),
        ("👨‍👩‍👧", 2, []),
        ("ae\u0301", 2, ["a"]),
        ("a\r\nb", 2, ["a"]),
    ],
)
def test_a_cut_goes_before_a_grapheme_that_does_not_fit(text, budget, expected):
    assert [p.text for p in pack([passage(text, 0, len(text))], budget, len)] == expected


def test_two_documents_do_not_hide_each_other():
    packed = pack([passage("same text", 0, 9, "a"), passage("same text", 0, 9, "b")], 100, len)
    assert [p.doc_id for p in packed] == ["a", "b"]


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_below_one_is_refused(budget):
    with pytest.raises(ValueError, match=f"budget is {budget}"):
        pack([], budget)


def test_text_that_is_not_the_documents_is_refused():
    with pytest.raises(ValueError, match=r"d:0-100 has a text of 9 characters"):
        pack([Passage("d", 0, 100, "a summary")], 10)


class Ranking:
    """A retriever with one fixed list for each query, and a record of how it was asked."""

    def __init__(self, lists):
        self.lists, self.asked = lists, []

    def retrieve(self, query, k=5):
        return self.retrieve_batch([query], k)[0]

    def retrieve_batch(self, queries, k=5):
        self.asked.append((tuple(queries), k))
        return [self.lists[query][:k] for query in queries]


def ten_character_passages(n: int, doc_id: str = "d") -> list[Passage]:
    text = "".join(f"{i:09d} " for i in range(n))
    return [passage(text, 10 * i, 10 * i + 10, doc_id, score=-float(i)) for i in range(n)]


def test_more_is_retrieved_until_the_budget_is_full_and_only_where_it_is_not():
    retriever = Ranking({"many": ten_character_passages(100), "few": ten_character_passages(3)})
    contexts = retrieve_contexts(retriever, ["many", "few"], [25, 300], k=2, measure=len)
    assert [{b: sum(len(p.text) for p in packed) for b, packed in context.items()} for context in contexts] == [
        {25: 25, 300: 300},
        {25: 25, 300: 30},
    ]
    # "few" stops at 8, the first time that nothing new came; "many" has more than 300 characters at 32.
    both = ("many", "few")
    assert retriever.asked == [(both, 2), (both, 4), (both, 8), (("many",), 16), (("many",), 32)]


def test_a_budget_that_is_just_full_is_known_only_from_the_passage_after_it():
    retriever = Ranking({"q": ten_character_passages(9)})
    assert sum(len(p.text) for p in retrieve_contexts(retriever, ["q"], [40], k=4, measure=len)[0][40]) == 40
    assert [k for _, k in retriever.asked] == [4, 8]


def test_a_context_does_not_depend_on_the_other_budgets():
    class Reversing(Ranking):  # like a retriever that merges, its order changes with k
        def retrieve_batch(self, queries, k=5):
            return [found[::-1] for found in super().retrieve_batch(queries, k)]

    lists = {"q": ten_character_passages(50), "other": ten_character_passages(7)}
    alone = retrieve_contexts(Reversing(lists), ["q"], [30], k=4, measure=len)[0][30]
    among = retrieve_contexts(Reversing(lists), ["other", "q"], [30, 450], k=4, measure=len)[1][30]
    assert among == alone
    assert alone[0].start == 30


def test_passages_inside_text_that_came_before_do_not_end_the_retrieval():
    text = "".join(f"{i:09d} " for i in range(40))
    inside = [passage(text, start, start + 10) for start in range(0, 200, 10)]
    ranking = Ranking({"q": [passage(text, 0, 200), *inside, passage(text, 200, 400)]})
    [context] = retrieve_contexts(ranking, ["q"], [400], k=1, measure=len)
    assert [p.span for p in context[400]] == [(0, 200), (200, 400)]


def test_a_retriever_that_repeats_itself_is_not_asked_for_ever():
    class Parrot(Ranking):
        def retrieve_batch(self, queries, k=5):
            return [found * k for found in super().retrieve_batch(queries, 1)]

    parrot = Parrot({"q": ten_character_passages(1)})
    [context] = retrieve_contexts(parrot, ["q"], [400], k=1, measure=len)
    assert sum(len(p.text) for p in context[400]) == 10


def test_a_scope_keeps_other_documents_out_and_still_fills_the_budget():
    mixed = [
        p
        for pair in zip(ten_character_passages(40, "x-1"), ten_character_passages(40, "y-1"), strict=True)
        for p in pair
    ]
    [context] = retrieve_contexts(Ranking({"q": mixed}), ["q"], [200], k=3, measure=len, scopes=["y-"])
    assert {p.doc_id for p in context[200]} == {"y-1"}
    assert sum(len(p.text) for p in context[200]) == 200


def test_scope_waits_for_documents_that_come_late():
    late = ten_character_passages(30, "x") + ten_character_passages(5, "y")
    [context] = retrieve_contexts(Ranking({"q": late}), ["q"], [20], k=2, measure=len, scopes=["y"])
    assert sum(len(p.text) for p in context[20]) == 20


def test_no_query_and_no_result_are_empty_contexts():
    retriever = Ranking({"q": []})
    assert retrieve_contexts(retriever, [], [10]) == []
    assert retrieve_contexts(retriever, ["q"], [10]) == [{10: []}]
    assert retriever.asked == [(("q",), 10)]


@pytest.mark.parametrize(
    ("budgets", "k", "message"),
    [
        ([], 5, "budgets is empty"),
        (1000, 5, "budgets is 1000; give a list"),
        ([0], 5, r"budgets\[0\] is 0; give 1 or more"),
        ([10, -1], 5, r"budgets\[1\] is -1; give 1 or more"),
        ([10], 0, "k is 0; give 1 or more"),
    ],
)
def test_impossible_budgets_and_k_are_refused(budgets, k, message):
    with pytest.raises(ValueError, match=message):
        retrieve_contexts(Ranking({}), ["q"], budgets, k=k)


def test_a_retriever_that_loses_a_query_is_refused():
    class Losing(Ranking):
        def retrieve_batch(self, queries, k=5):
            return []

    with pytest.raises(ValueError, match="returned 0 lists for 1 queries"):
        retrieve_contexts(Losing({}), ["q"], [10])


def test_a_stop_leaves_room():
    near, far = Passage("d", 0, 5, "first", "", 0.9), Passage("d", 10, 15, "later", "", 0.4)
    assert pack([near, far], 100, len) == [near, far]
    assert pack([near, far], 100, len, stop=Stop(gap=0.4)) == [near]
    assert pack([near, far], 100, len, stop=Stop(share=0.4)) == [near, far]
    assert pack([], 100, len, stop=Stop(gap=0.4)) == []


def test_with_a_stop_no_more_is_asked_for_than_it_takes():
    class Falling:
        asked: ClassVar[list[int]] = []

        def retrieve_batch(self, queries, k=5):
            self.asked.append(k)
            return [[Passage("d", 10 * i, 10 * i + 5, "words", "", 1 / (i + 1)) for i in range(k)] for _ in queries]

    [found] = retrieve_contexts(Falling(), ["q"], [10, 1000], k=4, measure=len, stop=Stop(share=0.3))
    assert {budget: len(pieces) for budget, pieces in found.items()} == {10: 2, 1000: 3}
    assert Falling.asked == [4]


@pytest.mark.parametrize("stop", [0.4, "gap", {"gap": 0.4}])
def test_what_is_no_stop_is_refused(stop):
    with pytest.raises(ValueError, match=r"^stop is"):
        pack([], 10, stop=stop)
    with pytest.raises(ValueError, match=r"^stop is"):
        retrieve_contexts(Mock(spec=["retrieve_batch"]), [], [10], stop=stop)
