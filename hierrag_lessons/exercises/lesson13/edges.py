"""Exercise 13.1, the window at the edge of a document."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def window(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    """The sentence at place ``hit`` with up to ``before`` sentences before it and ``after`` after it."""
    return sentences[max(0, hit - before) : hit + after + 1]


def _published(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    """The code that is handed out."""
    return sentences[hit - before : hit + after + 1]


def _ask_each(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    """Oracle: ask of every sentence whether it is near enough."""
    found = []
    for place, sentence in enumerate(sentences):
        distance = place - hit
        if -before <= distance <= after:
            found.append(sentence)
    return found


def _cases(rng: Random) -> Iterator[tuple[list[str], int, int, int]]:
    five = ["a.", "b.", "c.", "d.", "e."]
    yield (five, 2, 1, 1)
    yield (five, 2, 0, 0)
    yield (five, 1, 2, 1)
    yield (five, 0, 1, 1)
    yield (five, 0, 0, 2)
    yield (five, 4, 2, 2)
    yield (five, 1, 9, 9)
    yield (["a."], 0, 3, 3)
    for _ in range(40):
        n = rng.randrange(1, 9)
        yield ([f"{letter}." for letter in "abcdefghi"[:n]], rng.randrange(n), rng.randrange(5), rng.randrange(5))


def _one_short(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    return sentences[max(0, hit - before) : hit + after]


def _always_the_same_length(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    first = max(0, hit - before)
    return sentences[first : first + before + after + 1]


def _without_the_hit(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    return sentences[max(0, hit - before) : hit] + sentences[hit + 1 : hit + after + 1]


def _the_sign_taken_away(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    return sentences[abs(hit - before) : hit + after + 1]


def _only_what_is_complete(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    complete = hit >= before and hit + after < len(sentences)
    return sentences[hit - before : hit + after + 1] if complete else [sentences[hit]]


EDGES = Exercise(
    id="13.1",
    title="Find the bug: the first sentence has no window",
    solution=window,
    oracle=_ask_each,
    cases=_cases,
    start=_published,
    hints=(
        "Try the first sentence of a text, by hand: which numbers stand in the brackets?",
        "A negative start does not mean `before the beginning`. Python counts it from the end of the list.",
        "The start may not fall below 0: max(0, ...). A slice that ends beyond the last one is harmless.",
    ),
    mistakes=(
        Mistake(_one_short, "The end of a slice is not part of it, so the last sentence of the window is missing."),
        Mistake(
            _always_the_same_length,
            "At the beginning the window is moved to the right, so that it keeps its length. It should be cut off: "
            "`after` sentences after the hit, not more.",
        ),
        Mistake(_without_the_hit, "The neighbours are right, but the sentence that was hit is not among them."),
        Mistake(
            _the_sign_taken_away,
            "abs() makes a place of the negative start, but a wrong one: the window loses what comes before.",
        ),
        Mistake(
            _only_what_is_complete,
            "Where one side is cut off by the edge of the text, the other neighbours are there all the same.",
        ),
    ),
)
