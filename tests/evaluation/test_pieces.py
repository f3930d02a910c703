"""Evidence with alternatives: what each measure means where another passage says the same."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.evaluation import (
    Evidence,
    Question,
    complete,
    document_coverage,
    hit_rate,
    iou,
    load_questions,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)
from hierrag_lessons.model import Document, Passage


def passage(doc_id, start, end):
    return Passage(doc_id, start, end, "")


BOOK, COPY = Evidence("book", 0, 100), Evidence("copy", 50, 90)
TABLE = Evidence("book", 200, 220, alternatives=())
EITHER = Evidence("book", 0, 100, alternatives=(COPY,))


def test_every_piece_counts_alike():
    """20 characters of a table count as much as 100 of a paragraph."""
    assert recall([passage("book", 200, 220)], [EITHER, TABLE]) == 0.5
    assert recall([passage("book", 0, 50)], [EITHER, TABLE]) == 0.25


def test_without_a_search_for_alternatives_characters_count():
    assert recall([passage("book", 200, 220)], [BOOK, Evidence("book", 200, 220)]) == 20 / 120


def test_the_place_that_was_found_best_counts():
    assert recall([passage("copy", 0, 90)], [EITHER]) == 1
    assert recall([passage("copy", 50, 60), passage("book", 0, 40)], [EITHER]) == 0.4
    # Halves of two places do not make one: neither says all of it.
    assert recall([passage("copy", 50, 70), passage("book", 50, 100)], [EITHER]) == 0.5


def test_the_other_measures():
    shown = [passage("other", 0, 60), passage("copy", 50, 90)]
    assert precision(shown, [EITHER, TABLE]) == 40 / 100
    assert iou(shown, [EITHER, TABLE]) == 40 / (100 + 20)
    assert hit_rate(shown, [EITHER, TABLE]) == 1
    assert reciprocal_rank(shown, [EITHER, TABLE]) == 0.5
    assert document_coverage(shown, [EITHER, TABLE]) == 0.5
    assert complete(shown, [EITHER]) == 1
    assert complete(shown, [EITHER, TABLE]) == 0
    # A second place of a piece that was found already gains nothing.
    again = [passage("copy", 50, 90), passage("book", 0, 100), passage("book", 200, 220)]
    first = [passage("copy", 50, 90), passage("book", 200, 220), passage("book", 0, 100)]
    assert ndcg(again, [EITHER, TABLE]) < ndcg(first, [EITHER, TABLE]) == 1


SPANS = st.tuples(st.sampled_from("ab"), st.integers(0, 20), st.integers(1, 12))


def spans(kind):
    return st.lists(SPANS.map(lambda s: kind(s[0], s[1], s[1] + s[2])), max_size=5)


PIECES = st.lists(
    st.tuples(SPANS, spans(Evidence)).map(
        lambda made: Evidence(made[0][0], made[0][1], made[0][1] + made[0][2], tuple(made[1]))
    ),
    min_size=1,
    max_size=4,
)


@given(spans(passage), PIECES)
def test_recall_is_the_mean_over_pieces_of_the_best_place(passages, pieces):
    """The definition, character by character."""
    shown = {(p.doc_id, i) for p in passages for i in range(p.start, p.end)}
    shares = [
        max(
            sum((place.doc_id, i) in shown for i in range(place.start, place.end)) / (place.end - place.start)
            for place in piece.places
        )
        for piece in pieces
    ]
    assert recall(passages, pieces) == pytest.approx(sum(shares) / len(shares))
    assert complete(passages, pieces) == (sum(shares) / len(shares) >= 0.95 - 1e-12)
    gold = {(place.doc_id, i) for piece in pieces for place in piece.places for i in range(place.start, place.end)}
    returned = sum(p.end - p.start for p in passages)
    assert precision(passages, pieces) == (len(shown & gold) / returned if returned else 0)
    assert hit_rate(passages, pieces) == bool(shown & gold)
    assert 0 <= iou(passages, pieces) <= 1
    assert 0 <= ndcg(passages, pieces) <= 1 + 1e-12


@given(spans(passage), PIECES)
def test_more_places_are_never_worse(passages, pieces):
    alone = [Evidence(piece.doc_id, piece.start, piece.end, ()) for piece in pieces]
    assert recall(passages, pieces) >= recall(passages, alone) - 1e-12


def test_alternatives_are_checked():
    with pytest.raises(ValueError, match="alternatives"):
        Evidence("book", 0, 5, alternatives=("copy",))
    with pytest.raises(ValueError, match="list all of them with the piece itself"):
        Evidence("book", 0, 5, alternatives=(Evidence("copy", 0, 5, ()),))


LINE = {
    "id": "q",
    "question": "how high?",
    "type": "single_fact",
    "answer": "Ten metres.",
    "wording": "user",
    "partner": "q-a",
    "collection": "all",
    "geometry": "leaf",
    "tier": "hard",
    "cluster": "c1",
    "evidence": [{"doc_id": "book", "quote": "ten metres", "alternatives": [{"doc_id": "copy", "quote": "10 m"}]}],
}
DOCUMENTS = [Document("book", "It is ten metres high."), Document("copy", "Height: 10 m")]


def load(path, **changes):
    path.write_text(json.dumps({**LINE, **changes}), encoding="utf-8")
    return load_questions(path, DOCUMENTS)[0]


def test_the_format_is_read(tmp_path):
    question = load(tmp_path / "q.jsonl")
    assert question == Question(
        "q", "how high?", "single_fact", "Ten metres.", (Evidence("book", 6, 16, (Evidence("copy", 8, 12),)),),
        wording="user", partner="q-a", collection="all", geometry="leaf", tier="hard", cluster="c1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"wording": "plain"}, "wording is 'plain'"),
        ({"collection": "archive"}, "collection is 'archive'"),
        ({"geometry": "page"}, "geometry is 'page'"),
        ({"tier": "medium-rare"}, "tier is 'medium-rare'"),
        ({"cluster": 7}, "'cluster' is 7"),
        ({"evidence": [{"doc_id": "book", "quote": "ten metres", "alternatives": ["copy"]}]}, "'alternatives' must be"),
        (
            {
                "evidence": [
                    {"doc_id": "book", "quote": "ten metres", "alternatives": [{"doc_id": "copy", "quote": "9"}]}
                ]
            },
            "'copy' has no '9'",
        ),
    ],
)
def test_the_format_is_checked(tmp_path, changes, said):
    with pytest.raises(ValueError, match=said):
        load(tmp_path / "q.jsonl", **changes)
