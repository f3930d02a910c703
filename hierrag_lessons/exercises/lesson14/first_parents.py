"""Exercise 14.2, the bugs in a published look-up of parents."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Hits = list[tuple[str, int]]


def first_parents(hits: list[tuple[str, int]], k: int) -> list[tuple[str, int]]:
    """The ``k`` parents that come first in the ranking of their children, each once."""
    return list(dict.fromkeys(hits))[:k]


def _published(hits: list[tuple[str, int]], k: int) -> list[tuple[str, int]]:
    """The code that is handed out."""
    parents: dict[int, tuple[str, int]] = {}
    for document, number in hits[:k]:
        parents[number] = (document, number)
    return list(parents.values())


def _look_back(hits: Hits, k: int) -> list[tuple[str, int]]:
    """Oracle: a hit counts where none before it names the same parent of the same document."""
    kept: list[tuple[str, int]] = []
    for place, (document, number) in enumerate(hits):
        known = any(hits[i][0] == document and hits[i][1] == number for i in range(place))
        if not known and len(kept) < k:
            kept.append((document, number))
    return kept


def _cases(rng: Random) -> Iterator[tuple[Hits, int]]:
    yield ([], 3)
    yield ([("a", 0)], 3)
    yield ([("a", 0), ("a", 1)], 1)
    yield ([("a", 0), ("a", 0), ("a", 1)], 2)
    yield ([("a", 0), ("b", 0)], 2)
    yield ([("a", 1), ("b", 0), ("a", 1), ("b", 1)], 3)
    yield ([("b", 2), ("a", 2), ("a", 1), ("b", 1)], 9)
    for _ in range(40):
        hits = [(rng.choice("abc"), rng.randrange(3)) for _ in range(rng.randrange(12))]
        yield (hits, rng.randrange(1, 6))


def _cut_first(hits: Hits, k: int) -> list[tuple[str, int]]:
    return list(dict.fromkeys(hits[:k]))


def _last_document_wins(hits: Hits, k: int) -> list[tuple[str, int]]:
    return list({number: (document, number) for document, number in hits}.values())[:k]


def _first_document_wins(hits: Hits, k: int) -> list[tuple[str, int]]:
    parents: dict[int, tuple[str, int]] = {}
    for document, number in hits:
        parents.setdefault(number, (document, number))
    return list(parents.values())[:k]


def _each_hit(hits: Hits, k: int) -> list[tuple[str, int]]:
    return hits[:k]


def _sorted_by_name(hits: Hits, k: int) -> list[tuple[str, int]]:
    return sorted(set(hits))[:k]


def _not_twice_in_a_row(hits: Hits, k: int) -> list[tuple[str, int]]:
    return [hit for place, hit in enumerate(hits) if place == 0 or hits[place - 1] != hit][:k]


FIRST_PARENTS = Exercise(
    id="14.2",
    title="Find the bugs: three results that are one",
    solution=first_parents,
    oracle=_look_back,
    cases=_cases,
    start=_published,
    hints=(
        "There are two bugs. Try three children of one parent, then two documents.",
        "Which part of a hit says which parent it is? The number alone starts again with every document.",
        "First leave out the repeats, then cut to k. dict.fromkeys keeps the first of each, in order.",
    ),
    mistakes=(
        Mistake(
            _cut_first,
            "The documents are told apart now. But the list is cut to k children before repeats are left out, so there "
            "are fewer than k parents although more were found.",
        ),
        Mistake(
            _last_document_wins,
            "The cut is right now. But the number alone is no name: parent 0 of one document replaces parent 0 of "
            "another one.",
        ),
        Mistake(
            _first_document_wins,
            "The number alone is no name: parent 0 of the second document is taken for parent 0 of the first and left "
            "out.",
        ),
        Mistake(_each_hit, "A parent comes back once for each of its children: k results can be one text."),
        Mistake(_sorted_by_name, "The parents are right, but not their order: best child first, not by name."),
        Mistake(
            _not_twice_in_a_row,
            "Repeats are left out only where they follow each other. Another parent's child can stand between them.",
        ),
    ),
)
