"""The figures that are reported of the questions, on a few that can be counted by hand."""

import math

import pytest

from benchmarks.pooling import pool, pool_index, unjudged, unjudged_share
from benchmarks.questions import agreement, counts, detectable, leaking, word_overlap
from benchmarks.wording import content_terms, overlap_with, passages_around
from hierrag_lessons.evaluation import Evidence, Question, evaluate
from hierrag_lessons.model import Document, Passage
from hierrag_lessons.spans import Span
from tools.annotate_questions import clusters, tiers

HOUSE = Document("house", "Cats sleep on the roof. Dogs guard the gate. " + "Nothing happens here at all. " * 200)
YARD = Document("yard", "The gate is guarded by dogs. Hens lay eggs.")


def ask(question_id, text, *evidence, split="dev", **fields):
    kind = "single_fact" if evidence else "unanswerable"
    return Question(
        question_id, text, kind, "An answer.", evidence, ("gate",) if evidence else (), split=split, **fields
    )


GATE = ask("gate", "who guards the gate", Evidence("house", 24, 44))
HENS = ask("hens", "what do hens lay", Evidence("yard", 29, 43), split="test")


def test_counts_by_field():
    found = counts([GATE, HENS, ask("none", "who won")])
    assert found["split"] == {"dev": 2, "test": 1}
    assert found["type"] == {"single_fact": 2, "unanswerable": 1}


def test_shared_evidence_between_splits_is_found():
    part = ask("part", "what of the gate", Evidence("house", 30, 60), split="test")
    assert leaking([GATE, HENS, part]) == [("gate", "part")]
    assert leaking([GATE, HENS]) == []


def test_clusters_hang_together():
    far = ask("far", "and further on", Evidence("house", 55, 70))
    part = ask("part", "what of the gate", Evidence("house", 30, 60))
    partner = ask("none-u", "who won then", partner="none")
    none = ask("none", "who won", partner="none-u")
    found = clusters([GATE, HENS, far, part, none, partner])
    assert found == {"gate": "gate", "hens": "hens", "far": "gate", "part": "gate", "none": "none", "none-u": "none"}


def test_a_long_piece_reaches_over_others_in_it():
    """What begins first and ends last still touches the last piece, whatever ended in between."""
    wide, inside, last = (
        ask(name, name, Evidence("house", *span)) for name, span in {"a": (0, 90), "b": (5, 9), "c": (80, 85)}.items()
    )
    assert set(clusters([last, inside, wide]).values()) == {"c"}


def test_overlap_counts_content_words():
    assert overlap_with("Who guards the gate?", ["Dogs guarded gates."], "en") == 1
    assert overlap_with("Who guards the door?", ["Dogs guarded gates."], "en") == 0.5
    assert overlap_with("大门谁看", ["大门"], "zh") == pytest.approx(1 / 3)
    assert content_terms("the of and", "en") == set()
    assert overlap_with("the of", ["the of"], "en") == 0
    assert passages_around([Span(10, 20), Span(25, 30)], Document("d", "x" * 100), 5) == ["x" * 30]
    assert word_overlap([HOUSE, YARD], [GATE, ask("none", "who won")]) == [1.0]


def test_the_pool_holds_what_methods_bring():
    with pool_index([HOUSE, YARD]) as index:
        found = pool(index, [GATE, HENS], depth=2)
        tier = tiers([HOUSE, YARD], [GATE, HENS])
    assert set(found) == {"gate", "hens"}
    texts = {candidate.doc_id for candidate in found["gate"]}
    assert texts == {"house", "yard"}
    for candidate in found["gate"]:
        assert candidate.found_by
        assert {"house": HOUSE, "yard": YARD}[candidate.doc_id].text[slice(*candidate.span)] == candidate.text
    assert any("BM25" in candidate.found_by and "answer, BM25" in candidate.found_by for candidate in found["gate"])
    assert tier == {"gate": "easy", "hens": "easy"}
    with pytest.raises(ValueError, match="questions is empty"):
        pool(index, [])


class Fixed:
    """A retriever with one answer to everything."""

    def __init__(self, *passages):
        self.passages = list(passages)

    def retrieve_batch(self, queries, k=5, where=None):
        return [self.passages[:k] for _ in queries]


def test_what_was_judged_is_left_out():
    shown = Passage("house", 20, 60, HOUSE.text[20:60])
    assert unjudged([shown], GATE, {}) == [("house", Span(20, 24)), ("house", Span(44, 60))]
    assert unjudged([shown], GATE, {"house": [Span(0, 50)]}) == [("house", Span(50, 60))]
    other = Evidence("house", 24, 44, (Evidence("yard", 0, 28),))
    assert unjudged([Passage("yard", 0, 28, "")], ask("gate", "who", other), {}) == []
    share = unjudged_share(Fixed(shown), [GATE], {"gate": {"house": [Span(0, 50)]}})
    assert share == 10 / 40


def test_the_smallest_difference_that_can_be_shown():
    good, bad = Fixed(Passage("house", 24, 44, HOUSE.text[24:44])), Fixed(Passage("yard", 29, 43, YARD.text[29:43]))
    results = {name: evaluate(method, [GATE, HENS], (500,)) for name, method in {"good": good, "bad": bad}.items()}
    spread = math.sqrt(2)  # differences of +1 and -1
    assert detectable(results, (500,), 50) == pytest.approx(2.8 * spread / math.sqrt(50))


def test_agreement_of_two_readers():
    second = {"gate": [Evidence("house", 34, 54)], "hens": [Evidence("house", 0, 5)]}
    found = agreement([GATE, HENS], second)
    assert found == {"questions": 2, "recall": 0.25, "precision": 0.25, "f1": 0.25, "documents": 0.5}
