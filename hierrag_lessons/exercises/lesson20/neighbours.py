"""Exercise 20.1, the neighbours of each unit."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def neighbours(documents: list[str], reach: int) -> list[list[int]]:
    """For each unit the places of all units of its document at most ``reach`` places away, itself among them."""
    near = []
    for place, document in enumerate(documents):
        around = range(max(0, place - reach), min(len(documents), place + reach + 1))
        near.append([other for other in around if documents[other] == document])
    return near


def slice_of_the_list(documents: list[str], reach: int) -> list[list[int]]:
    """For each unit the places of all units of its document at most ``reach`` places away, itself among them."""
    places = list(range(len(documents)))
    return [places[place - reach : place + reach + 1] for place in places]


def _ask_each_pair(documents: list[str], reach: int) -> list[list[int]]:
    """Oracle: ask of every pair of units whether they are near each other and of one document."""
    result: list[list[int]] = []
    for one, its_document in enumerate(documents):
        result.append([])
        for other, document in enumerate(documents):
            if abs(one - other) <= reach and document == its_document:
                result[-1].append(other)
    return result


def _cases(rng: Random) -> Iterator[tuple[list[str], int]]:
    yield [], 2
    yield ["a"], 2
    yield ["a", "a", "a", "a", "a", "a"], 2
    yield ["a", "a", "a", "b", "b", "b"], 1
    yield ["a", "b", "c"], 2
    yield ["a", "a", "b", "b", "b", "b", "b"], 0
    for _ in range(40):
        documents = [name for name in "abc" for _ in range(rng.randrange(6))]
        yield documents, rng.randrange(4)


def _across_documents(documents: list[str], reach: int) -> list[list[int]]:
    n = len(documents)
    return [list(range(max(0, place - reach), min(n, place + reach + 1))) for place in range(n)]


def _same_document_only(documents: list[str], reach: int) -> list[list[int]]:
    sliced = slice_of_the_list(documents, reach)
    return [[o for o in own if documents[o] == documents[place]] for place, own in enumerate(sliced)]


def _without_itself(documents: list[str], reach: int) -> list[list[int]]:
    return [[other for other in own if other != place] for place, own in enumerate(neighbours(documents, reach))]


def _one_side(documents: list[str], reach: int) -> list[list[int]]:
    return [[other for other in own if other <= place] for place, own in enumerate(neighbours(documents, reach))]


def _last_left_out(documents: list[str], reach: int) -> list[list[int]]:
    return [[other for other in own if other < place + reach] for place, own in enumerate(neighbours(documents, reach))]


NEIGHBOURS = Exercise(
    id="20.1",
    title="Find the bugs: a neighbourhood as a slice",
    solution=neighbours,
    start=slice_of_the_list,
    oracle=_ask_each_pair,
    cases=_cases,
    hints=(
        "Take six units of one document, reach 2, and look at the first two. What does a slice that begins at -2 hold?",
        "Then take two documents. The last unit of one and the first of the next stand side by side in the list.",
        "Begin at max(0, place - reach), and keep only the places of the same document.",
    ),
    mistakes=(
        Mistake(
            _across_documents,
            "The neighbourhood goes on into the next document. Its sentences say nothing about this unit.",
        ),
        Mistake(
            _same_document_only,
            "The first units have no neighbourhood: a slice that begins below 0 counts from the end of the list.",
        ),
        Mistake(_without_itself, "The unit itself is missing. Its own words count in its neighbourhood, too."),
        Mistake(_one_side, "Only what stands before the unit is there. A question's words may stand behind it."),
        Mistake(_last_left_out, "The last neighbour is missing: the end of a range is not in it."),
    ),
)
