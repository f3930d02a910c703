"""Exercise 06.2, packing neighbours evenly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def pack_evenly(pieces: list[Span], limit: int) -> list[Span]:
    """As few chunks as packing to ``limit`` gives, packed to the smallest limit that needs no more."""

    def packed_to(size: int) -> list[Span]:
        packed: list[Span] = []
        for piece in pieces:
            if packed and piece.end - packed[-1].start <= size:
                packed[-1] = Span(packed[-1].start, piece.end)
            else:
                packed.append(piece)
        return packed

    best = packed_to(limit)
    for size in range(limit - 1, 0, -1):
        tried = packed_to(size)
        if len(tried) > len(best):
            break
        best = tried
    return best


def _try_all_limits(pieces: list[Span], limit: int) -> list[Span]:
    """Oracle: from the smallest limit up, and from each first piece on the longest run that fits."""

    def runs(size: int) -> list[Span]:
        made, first = [], 0
        while first < len(pieces):
            last = len(pieces) - 1
            while last > first and pieces[last].end - pieces[first].start > size:
                last -= 1
            made.append(Span(pieces[first].start, pieces[last].end))
            first = last + 1
        return made

    wanted = len(runs(limit))
    return next(made for size in range(1, limit + 1) if len(made := runs(size)) == wanted)


def _cases(rng: Random) -> Iterator[tuple[list[Span], int]]:
    yield ([], 10)
    yield ([Span(0, 4)], 10)
    yield ([Span(0, 4), Span(4, 10)], 10)
    yield ([Span(0, 4), Span(4, 8), Span(8, 12)], 8)
    yield ([Span(0, 3), Span(3, 6), Span(6, 9), Span(9, 12)], 9)
    yield ([Span(0, 3), Span(4, 7), Span(8, 11), Span(12, 15)], 11)
    yield ([Span(0, 2), Span(2, 4), Span(4, 6), Span(6, 8), Span(8, 10), Span(10, 12)], 10)
    yield ([Span(0, 30), Span(30, 33), Span(33, 36)], 10)
    yield ([Span(0, 6), Span(6, 8), Span(8, 10), Span(10, 11)], 10)
    for _ in range(50):
        pieces, here = [], rng.randrange(3)
        for _ in range(rng.randrange(2, 9)):
            end = here + rng.choice([1, 2, 3, 4, 5, 14])
            pieces.append(Span(here, end))
            here = end + rng.choice([0, 0, 1, 2])
        yield (pieces, rng.randrange(5, 16))


def _to(pieces: list[Span], limit: int) -> list[Span]:
    packed: list[Span] = []
    for piece in pieces:
        if packed and piece.end - packed[-1].start <= limit:
            packed[-1] = Span(packed[-1].start, piece.end)
        else:
            packed.append(piece)
    return packed


def _greedy(pieces: list[Span], limit: int) -> list[Span]:
    return _to(pieces, limit)


def _to_the_mean(pieces: list[Span], limit: int) -> list[Span]:
    packed = _to(pieces, limit)
    return _to(pieces, -(-(pieces[-1].end - pieces[0].start) // len(packed))) if pieces else []


def _equal_numbers(pieces: list[Span], limit: int) -> list[Span]:
    chunks = len(_to(pieces, limit))
    if not chunks:
        return []
    share, more = divmod(len(pieces), chunks)
    made, at = [], 0
    for number in range(chunks):
        end = at + share + (number < more)
        made.append(Span(pieces[at].start, pieces[end - 1].end))
        at = end
    return made


def _last_two_only(pieces: list[Span], limit: int) -> list[Span]:
    packed = _to(pieces, limit)
    if len(packed) < 2:
        return packed
    inside = [piece for piece in pieces if piece.start >= packed[-2].start]
    cuts = [(Span(inside[0].start, a.end), Span(b.start, inside[-1].end)) for a, b in pairwise(inside)]
    return [*packed[:-2], *min(cuts, key=lambda pair: max(span.end - span.start for span in pair))]


def _one_step_too_far(pieces: list[Span], limit: int) -> list[Span]:
    wanted, size = len(_to(pieces, limit)), limit
    while size > 0 and len(_to(pieces, size)) == wanted:
        size -= 1
    return _to(pieces, size)


EVENLY = Exercise(
    id="06.2",
    title="Pack evenly",
    solution=pack_evenly,
    oracle=_try_all_limits,
    cases=_cases,
    hints=(
        "Pack once as in the lesson. How many chunks are there? No answer may have more.",
        "Pack again to a limit that is smaller by one. As long as the number of chunks stays, go on.",
        "Keep the last packing that still had as few chunks. The one after it has one too many. `range(limit, 0, -1)` "
        "goes down to 1.",
    ),
    mistakes=(
        Mistake(
            _greedy,
            "That is the lesson's `pack`. The first chunks are full, and the last one is what was left over. Use it "
            "more than once, with smaller limits.",
        ),
        Mistake(
            _to_the_mean,
            "The text divided by the number of chunks is too small a limit: pieces are not cut, so nothing fits "
            "exactly, and there are more chunks than before. Take the smallest limit that needs no more chunks.",
        ),
        Mistake(
            _equal_numbers,
            "Each chunk has as many pieces as the others. Pieces differ in length, so the chunks do as well, and some "
            "are above the limit.",
        ),
        Mistake(
            _last_two_only,
            "Only the last two chunks share what they have. Those in front of them are still full: lower the limit "
            "for all.",
        ),
        Mistake(
            _one_step_too_far,
            "One step too far: this is the first limit that needs more chunks. Return the packing before it.",
        ),
    ),
)
