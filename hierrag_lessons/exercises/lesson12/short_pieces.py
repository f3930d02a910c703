"""Exercise 12.1, the bug in the buffer of short pieces."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def join_short(pieces: list[str], least: int) -> list[str]:
    """Join neighbouring pieces to chunks of at least ``least`` characters; a short rest goes to the last chunk."""
    joined: list[str] = []
    buffer = ""
    for piece in pieces:
        buffer += piece
        if len(buffer) >= least:
            joined.append(buffer)
            buffer = ""
    if buffer and joined:
        joined[-1] += buffer
    elif buffer:
        joined.append(buffer)
    return joined


def _published(pieces: list[str], least: int) -> list[str]:
    """The code that is handed out."""
    joined: list[str] = []
    buffer = ""
    for piece in pieces:
        if len(buffer) + len(piece) < least:
            buffer += piece
        else:
            joined.append(buffer or piece)
            buffer = ""
    if buffer:
        joined.append(buffer)
    return joined


def _places_of_cuts(pieces: list[str], least: int) -> list[str]:
    """Oracle: of all places where pieces meet, take each one that is far enough from the last, then drop a late one."""
    text = "".join(pieces)
    cuts = [0]
    for i in range(len(pieces)):
        end = len("".join(pieces[: i + 1]))
        if end - cuts[-1] >= least and end > cuts[-1]:
            cuts.append(end)
    if len(cuts) == 1 and text:
        cuts.append(len(text))
    cuts[-1] = len(text)
    return [text[a:b] for a, b in pairwise(cuts)]


def _cases(rng: Random) -> Iterator[tuple[list[str], int]]:
    yield ([], 5)
    yield (["one. "], 5)
    yield (["a. "], 5)
    yield (["one. ", "two. "], 4)
    yield (["a. ", "b. ", "c. "], 5)
    yield (["one. ", "two. ", "three. ", "four. ", "five. "], 10)
    yield (["one. ", "a long piece. ", "two. "], 8)
    yield (["a long piece. ", "x. "], 5)
    for _ in range(40):
        words = [rng.choice(["a. ", "bb. ", "ccc. ", "dddd. ", "eeeeeee. "]) for _ in range(rng.randrange(8))]
        yield (words, rng.randrange(1, 16))


def _emits_before_it_is_long_enough(pieces: list[str], least: int) -> list[str]:
    joined: list[str] = []
    buffer = ""
    for piece in pieces:
        if buffer and len(buffer) + len(piece) >= least:
            joined.append(buffer)
            buffer = ""
        buffer += piece
    return [*joined, buffer] if buffer else joined


def _piece_at_hand_alone(pieces: list[str], least: int) -> list[str]:
    joined: list[str] = []
    buffer = ""
    for piece in pieces:
        if len(buffer) + len(piece) < least:
            buffer += piece
        else:
            joined += [part for part in (buffer, piece) if part]
            buffer = ""
    return [*joined, buffer] if buffer else joined


def _loses_the_rest(pieces: list[str], least: int) -> list[str]:
    joined: list[str] = []
    buffer = ""
    for piece in pieces:
        buffer += piece
        if len(buffer) >= least:
            joined.append(buffer)
            buffer = ""
    return joined


def _short_rest_alone(pieces: list[str], least: int) -> list[str]:
    joined = _loses_the_rest(pieces, least)
    rest = "".join(pieces)[len("".join(joined)) :]
    return [*joined, rest] if rest else joined


def _rest_only_if_there_is_a_chunk(pieces: list[str], least: int) -> list[str]:
    joined = _loses_the_rest(pieces, least)
    if joined:
        joined[-1] += "".join(pieces)[len("".join(joined)) :]
    return joined


def _strips(pieces: list[str], least: int) -> list[str]:
    return [chunk.strip() for chunk in join_short(pieces, least)]


def _more_than_least(pieces: list[str], least: int) -> list[str]:
    return join_short(pieces, least + 1)


SHORT_PIECES = Exercise(
    id="12.1",
    title="Find the bug: the buffer of short pieces",
    solution=join_short,
    oracle=_places_of_cuts,
    cases=_cases,
    start=_published,
    hints=(
        "Compare the characters that go in with those that come out.",
        "When the buffer is emitted, where does the piece at hand go?",
        "Add every piece to the buffer first. Then ask whether the buffer is long enough. Then think of the end.",
    ),
    mistakes=(
        Mistake(
            _emits_before_it_is_long_enough,
            "Nothing is lost now. But the buffer is emitted before the piece that would make it long enough, so "
            "chunks are shorter than `least`.",
        ),
        Mistake(
            _piece_at_hand_alone,
            "Nothing is lost now. But the buffer and the piece at hand, which are long enough only together, become "
            "two chunks.",
        ),
        Mistake(_loses_the_rest, "What is in the buffer after the last piece is lost."),
        Mistake(_short_rest_alone, "A short rest at the end goes to the last chunk; here it is a chunk of its own."),
        Mistake(
            _rest_only_if_there_is_a_chunk,
            "Where all pieces together are too short, there is no last chunk to join: they are one chunk then.",
        ),
        Mistake(_strips, "White space between the pieces was taken away, so the text can't be put together again."),
        Mistake(_more_than_least, "A chunk of exactly `least` characters is long enough."),
    ),
)
