"""Exercise 06.3, the bug in finding pieces again."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def place(text: str, pieces: list[str]) -> list[int]:
    """The start of each piece in the text."""
    starts: list[int] = []
    end = 0
    for piece in pieces:
        start = text.find(piece, end)
        starts.append(start)
        end = start + len(piece)
    return starts


def _from_one_further(text: str, pieces: list[str]) -> list[int]:
    """The code that is handed out."""
    starts: list[int] = []
    for piece in pieces:
        previous = starts[-1] if starts else -1
        start = text.find(piece, previous + 1)
        starts.append(start)
    return starts


def _walk(text: str, pieces: list[str]) -> list[int]:
    """Oracle: walk over the text, stepping over white space, and take each piece where the walk stands."""
    starts = []
    here = 0
    for piece in pieces:
        while text[here].isspace():
            here += 1
        starts.append(here)
        here += len(piece)
    return starts


def _cases(rng: Random) -> Iterator[tuple[str, list[str]]]:
    yield ("", [])
    yield ("one two", ["one", "two"])
    yield ("  one\n\ntwo\n", ["one", "two"])
    yield ("Yes.\nYes.\nYes.", ["Yes.", "Yes.", "Yes."])
    yield ("ends. It\nends.", ["ends. It", "ends."])
    yield ("| Total | 5 |\n| Total |", ["| Total | 5 |", "| Total |"])
    yield ("aaaa aa", ["aaaa", "aa"])
    yield ("好的。好的。谢谢。", ["好的。好的。", "谢谢。"])
    words = ["Yes.", "No.", "Yes. No.", "Total", "| Total |", "a", "aa", "好的。"]
    for _ in range(50):
        pieces = [rng.choice(words) for _ in range(rng.randrange(1, 7))]
        spaces = [rng.choice(["", " ", "\n", "\n\n"]) for _ in pieces]
        yield ("".join(piece + space for piece, space in zip(pieces, spaces, strict=True)), pieces)


def _first_copy(text: str, pieces: list[str]) -> list[int]:
    return [text.find(piece) for piece in pieces]


def _last_copy(text: str, pieces: list[str]) -> list[int]:
    return [text.rfind(piece) for piece in pieces]


def _adds_lengths(text: str, pieces: list[str]) -> list[int]:
    starts, here = [], 0
    for piece in pieces:
        starts.append(here)
        here += len(piece)
    return starts


def _from_the_same_place(text: str, pieces: list[str]) -> list[int]:
    starts: list[int] = []
    for piece in pieces:
        starts.append(text.find(piece, starts[-1] if starts else 0))
    return starts


PLACING = Exercise(
    id="06.3",
    title="Find the bug: where is this piece?",
    solution=place,
    oracle=_walk,
    cases=_cases,
    start=_from_one_further,
    hints=(
        "Try the text 'ends. It ends.' with the pieces 'ends. It' and 'ends.', then 'aaaa aa'.",
        "A piece can have a copy inside the piece before it. Where does the search have to begin to step over it?",
        "Pieces do not overlap: the next one begins at or after previous start + length of the previous piece.",
    ),
    mistakes=(
        Mistake(_first_copy, "find without a second argument returns the first copy every time."),
        Mistake(_last_copy, "rfind returns the last copy every time: an early piece is found at the end of the text."),
        Mistake(_adds_lengths, "White space between the pieces was left out of them, but it stands in the text."),
        Mistake(
            _from_the_same_place,
            "The search begins at the start of the piece before, so the same piece twice is found at the same place.",
        ),
    ),
)
