"""Exercise 25.4, canaries for every document: the solution, another to check it, and the cases."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

Questions = dict[str, tuple[bool, list[str]]]
Chosen = tuple[list[str], list[str]]


def choose_canaries(documents: list[str], questions: dict[str, tuple[bool, list[str]]]) -> tuple[list[str], list[str]]:
    """The canaries, and the documents that none of them guards.

    ``questions[name]`` says whether the question is answered completely today, and the documents that its evidence is
    in: a canary guards all of them. Only a question that is answered today can be a canary. Go through the documents
    in their order. One that is guarded already needs nothing; otherwise take the first of the questions that guards it.
    Both lists are in the order in which they came about.
    """
    chosen: list[str] = []
    unguarded: list[str] = []
    guarded: set[str] = set()
    for document in documents:
        if document in guarded:
            continue
        for name, (works, places) in questions.items():
            if works and document in places:
                chosen.append(name)
                guarded.update(places)
                break
        else:
            unguarded.append(document)
    return chosen, unguarded


def look_again(documents: list[str], questions: Questions) -> Chosen:
    """Oracle: write down all guards of each document, then decide for each with nothing but the choice so far."""
    guards = {d: [name for name, (works, places) in questions.items() if works and d in places] for d in documents}
    chosen: list[str] = []
    for names in guards.values():
        if names and not set(names) & set(chosen):
            chosen.append(names[0])
    return chosen, [document for document, names in guards.items() if not names]


def cases(rng: Random) -> Iterator[tuple[list[str], Questions]]:
    """By hand what is easily missed, then many at random."""
    yield ["act", "rent"], {"q1": (True, ["act"]), "q2": (True, ["rent"]), "q3": (True, ["act"])}
    # A question that nothing answers today can ring every night.
    yield ["act", "rent"], {"q1": (False, ["act"]), "q2": (True, ["rent"]), "q3": (True, ["act"])}
    yield ["act", "rent"], {"q1": (False, ["act"]), "q2": (True, ["rent"])}
    # One question guards two documents.
    yield ["act", "rent"], {"q1": (True, ["act", "rent"]), "q2": (True, ["rent"])}
    yield ["rent", "act"], {"q1": (True, ["act", "rent"]), "q2": (True, ["act"])}
    yield ["act", "rent", "map"], {"q1": (True, ["act"]), "q2": (True, ["act", "rent"]), "q3": (True, ["rent"])}
    yield ["act", "rent", "map"], {"q1": (True, ["map"])}
    # The order of the documents decides, and not that of the questions.
    yield ["b", "a"], {"q1": (True, ["a"]), "q2": (True, ["b"])}
    yield ["act"], {"q1": (True, ["old act"])}
    yield ["act"], {}
    yield [], {"q1": (True, ["act"])}
    names = ["a", "b", "c", "d", "e"]
    for _ in range(40):
        documents = rng.sample(names, rng.randrange(1, 6))
        yield (
            documents,
            {f"q{n}": (rng.random() < 0.7, rng.sample(names, rng.randrange(1, 4))) for n in range(rng.randrange(1, 7))},
        )
