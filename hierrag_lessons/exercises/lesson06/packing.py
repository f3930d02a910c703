"""Exercise 06.2, packing neighbouring pieces up to a limit."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def pack_pieces(pieces: list[Span], limit: int) -> list[Span]:
    """Join neighbouring pieces, from the left, into spans of at most ``limit`` characters."""
    packed: list[Span] = []
    for piece in pieces:
        if packed and piece.end - packed[-1].start <= limit:
            packed[-1] = Span(packed[-1].start, piece.end)
        else:
            packed.append(piece)
    return packed


def _longest_run_that_fits(pieces: list[Span], limit: int) -> list[Span]:
    """Oracle: from each first piece on, try every last piece from the back, and take the first run that fits."""
    packed = []
    first = 0
    while first < len(pieces):
        last = len(pieces) - 1
        while last > first and pieces[last].end - pieces[first].start > limit:
            last -= 1
        packed.append(Span(pieces[first].start, pieces[last].end))
        first = last + 1
    return packed


def _cases(rng: Random) -> Iterator[tuple[list[Span], int]]:
    yield ([], 10)
    yield ([Span(0, 4)], 10)
    yield ([Span(0, 4), Span(4, 10)], 10)
    yield ([Span(0, 4), Span(4, 11)], 10)
    yield ([Span(0, 4), Span(6, 11)], 10)
    yield ([Span(0, 30), Span(30, 33)], 10)
    yield ([Span(0, 3), Span(3, 33), Span(33, 36)], 10)
    yield ([Span(0, 4), Span(5, 9), Span(10, 14), Span(15, 19), Span(20, 24)], 9)
    for _ in range(50):
        pieces, here = [], rng.randrange(3)
        for _ in range(rng.randrange(8)):
            end = here + rng.choice([1, 2, 3, 4, 5, 14])
            pieces.append(Span(here, end))
            here = end + rng.choice([0, 0, 1, 2])
        yield (pieces, rng.randrange(4, 13))


def _sizes_without_gaps(pieces: list[Span], limit: int) -> list[Span]:
    packed: list[Span] = []
    used = 0
    for piece in pieces:
        used += piece.end - piece.start
        if packed and used <= limit:
            packed[-1] = Span(packed[-1].start, piece.end)
        else:
            packed.append(piece)
            used = piece.end - piece.start
    return packed


def _drops_the_piece_that_was_too_much(pieces: list[Span], limit: int) -> list[Span]:
    packed: list[Span] = []
    current: Span | None = None
    for piece in pieces:
        if current is None:
            current = piece
        elif piece.end - current.start <= limit:
            current = Span(current.start, piece.end)
        else:
            packed.append(current)
            current = None
    return [*packed, current] if current else packed


def _forgets_the_last(pieces: list[Span], limit: int) -> list[Span]:
    return pack_pieces(pieces, limit)[:-1]


def _strictly_below(pieces: list[Span], limit: int) -> list[Span]:
    return pack_pieces(pieces, limit - 1)


PACKING = Exercise(
    id="06.2",
    title="Pack neighbours",
    solution=pack_pieces,
    oracle=_longest_run_that_fits,
    cases=_cases,
    hints=(
        "Keep a list of packed spans. Each piece either makes the last of them longer or begins a new one.",
        "How large is the last one together with the piece? From its start to the piece's end.",
        "With `packed[-1] = Span(packed[-1].start, piece.end)` the last one becomes longer; `append` begins a new one.",
    ),
    mistakes=(
        Mistake(
            _sizes_without_gaps,
            "White space between two pieces is inside the chunk that holds both, so it counts: measure from the first "
            "start to the last end.",
        ),
        Mistake(
            _drops_the_piece_that_was_too_much,
            "A piece that no longer fits closes the chunk, and then it is gone: it must begin the next one. Published "
            "code loses every other paragraph in this way.",
        ),
        Mistake(_forgets_the_last, "The chunk that is still open after the loop is missing."),
        Mistake(_strictly_below, "At most `limit`: a chunk of exactly that size still fits."),
    ),
)
