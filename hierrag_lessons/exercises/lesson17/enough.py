"""Exercise 17.3, how many documents a route must keep."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from statistics import mean

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Rankings = list[list[str]]
Evidence = list[list[set[str]]]


def documents_needed(rankings: list[list[str]], evidence: list[list[set[str]]], flat: float) -> int | None:
    """The smallest n for which the mean ceiling of the first n documents is at least ``flat``, or None.

    Each question has a ranking of documents and one or more pieces of evidence; a piece is the set of the documents
    that say it. The ceiling of a question is the share of its pieces that the first n documents say.
    """
    for n in range(1, max(map(len, rankings)) + 1):
        ceilings = []
        for ranking, pieces in zip(rankings, evidence, strict=True):
            ceilings.append(sum(bool(places & set(ranking[:n])) for places in pieces) / len(pieces))
        if mean(ceilings) >= flat:
            return n
    return None


def _by_first_places(rankings: Rankings, evidence: Evidence, flat: float) -> int | None:
    """Oracle: for each piece the rank at which it is first said, then add what each rank brings."""
    brings: dict[int, Fraction] = {}
    for ranking, pieces in zip(rankings, evidence, strict=True):
        for places in pieces:
            ranks = [rank for rank, document in enumerate(ranking, start=1) if document in places]
            if ranks:
                share = Fraction(1, len(pieces) * len(rankings))
                brings[ranks[0]] = brings.get(ranks[0], Fraction(0)) + share
    reached = Fraction(0)
    for rank in range(1, max(map(len, rankings)) + 1):
        reached += brings.get(rank, Fraction(0))
        if reached >= Fraction(flat):
            return rank
    return None


def _cases(rng: Random) -> Iterator[tuple[Rankings, Evidence, float]]:
    yield [["a", "b"]], [[{"a"}]], 0.75
    yield [["a", "b"]], [[{"b"}]], 0.75
    yield [["b", "a"]], [[{"a", "b"}]], 0.75
    yield [["a", "b", "c"]], [[{"a", "b"}, {"c"}]], 0.5
    yield [["a", "b", "c"]], [[{"a", "b"}, {"c"}]], 0.75
    yield [["a", "b"], ["c", "d"]], [[{"a"}], [{"d"}]], 0.5
    yield [["a", "b"], ["c", "d"]], [[{"a"}], [{"e"}]], 0.75
    yield [["a", "b", "c"], ["c", "b", "a"]], [[{"b"}, {"b"}, {"b"}, {"c"}], [{"c"}]], 0.75
    yield [["a", "b"], ["a"]], [[{"b"}], [{"a"}]], 1.0
    yield [["x", "a", "b"]], [[{"a", "b", "x"}, {"b"}]], 1.0
    # With five pieces against one: by question the mean is 0.6, by piece it is 0.33.
    yield [["a", "b"], ["c", "d"]], [[{"b"}, {"b"}, {"b"}, {"b"}, {"a"}], [{"c"}]], 0.5
    yield [["a", "b"], ["c", "d"]], [[{"a"}, {"a"}, {"a"}, {"b"}], [{"d"}]], 0.5
    for _ in range(40):
        # One, two or four of everything, so that shares and means are exact.
        rankings = [rng.sample("abcdef", rng.choice([3, 6])) for _ in range(rng.choice([1, 2, 4]))]
        evidence = [
            [set(rng.sample("abcdefgh", rng.choice([1, 1, 2, 3]))) for _ in range(rng.choice([1, 2, 4]))]
            for _ in rankings
        ]
        yield rankings, evidence, rng.randrange(4, 17) / 16


def _shares(rankings: Rankings, evidence: Evidence, n: int) -> list[float]:
    return [
        sum(bool(places & set(ranking[:n])) for places in pieces) / len(pieces)
        for ranking, pieces in zip(rankings, evidence, strict=True)
    ]


def _longest(rankings: Rankings) -> range:
    return range(1, max(map(len, rankings)) + 1)


def _only_the_gold_place(rankings: Rankings, evidence: Evidence, flat: float) -> int | None:
    return documents_needed(rankings, [[{min(places)} for places in pieces] for pieces in evidence], flat)


def _every_place(rankings: Rankings, evidence: Evidence, flat: float) -> int | None:
    for n in _longest(rankings):
        shares = [
            sum(places <= set(ranking[:n]) for places in pieces) / len(pieces)
            for ranking, pieces in zip(rankings, evidence, strict=True)
        ]
        if mean(shares) >= flat:
            return n
    return None


def _must_be_above(rankings: Rankings, evidence: Evidence, flat: float) -> int | None:
    return next((n for n in _longest(rankings) if mean(_shares(rankings, evidence, n)) > flat), None)


def _counted_from_zero(rankings: Rankings, evidence: Evidence, flat: float) -> int | None:
    n = documents_needed(rankings, evidence, flat)
    return None if n is None else n - 1


def _all_of_them(rankings: Rankings, evidence: Evidence, flat: float) -> int | None:
    n = documents_needed(rankings, evidence, flat)
    return max(map(len, rankings)) if n is None else n


def _pieces_pooled(rankings: Rankings, evidence: Evidence, flat: float) -> int | None:
    for n in _longest(rankings):
        told = [
            bool(places & set(ranking[:n]))
            for ranking, pieces in zip(rankings, evidence, strict=True)
            for places in pieces
        ]
        if sum(told) / len(told) >= flat:
            return n
    return None


def _any_piece(rankings: Rankings, evidence: Evidence, flat: float) -> int | None:
    for n in _longest(rankings):
        if mean(share > 0 for share in _shares(rankings, evidence, n)) >= flat:
            return n
    return None


def _every_question(rankings: Rankings, evidence: Evidence, flat: float) -> int | None:
    return next((n for n in _longest(rankings) if min(_shares(rankings, evidence, n)) >= flat), None)


ENOUGH = Exercise(
    id="17.3",
    title="How many documents must a route keep?",
    solution=documents_needed,
    oracle=_by_first_places,
    cases=_cases,
    hints=(
        "Begin with n = 1 and one question: which of its pieces does at least one of the first n documents say?",
        "`places & set(ranking[:n])` is empty where none of the first n documents says the piece.",
        "The mean is over questions: first the share of the pieces of each question, then the mean of these shares.",
    ),
    mistakes=(
        Mistake(
            _only_the_gold_place,
            "One document of each set was looked for. Any document that says the piece will do: else the ceiling is "
            "too low, and a search can find more than it.",
        ),
        Mistake(_every_place, "A piece counts as soon as one of its documents is kept; not all of them are needed."),
        Mistake(_must_be_above, "A ceiling that is exactly `flat` is enough: at least, not above."),
        Mistake(_counted_from_zero, "This is one too few: the first document alone is n = 1."),
        Mistake(_all_of_them, "Where even all ranked documents do not reach `flat`, no number does: return None."),
        Mistake(
            _pieces_pooled,
            "The pieces of all questions were thrown together, so a question with many pieces counts more. Take the "
            "share of each question first, then the mean.",
        ),
        Mistake(_any_piece, "A question with one piece of two has a ceiling of one half, not of 1."),
        Mistake(_every_question, "It is the mean over the questions that must reach `flat`, not every single one."),
    ),
)
