"""Exercise 05.3, the bugs of an overlap that starts in the middle of a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def pack_sentences(sentences: list[Span], limit: int, overlap: int) -> list[Span]:
    """Spans of neighbouring sentences of at most ``limit`` characters."""
    chunks: list[Span] = []
    for new, sentence in enumerate(sentences):
        if chunks and sentence.end - chunks[-1].start <= limit:
            chunks[-1] = Span(chunks[-1].start, sentence.end)
            continue
        start = sentence.start
        for earlier in reversed(sentences[:new]):
            if sentence.start - earlier.start > overlap or sentence.end - earlier.start > limit:
                break
            start = earlier.start
        chunks.append(Span(start, sentence.end))
    return chunks


def _pasted(sentences: list[Span], limit: int, overlap: int) -> list[Span]:
    """The code that is handed out."""
    chunks: list[Span] = []
    for sentence in sentences:
        if chunks and sentence.end - chunks[-1].start <= limit:
            chunks[-1] = Span(chunks[-1].start, sentence.end)
        elif chunks:
            chunks.append(Span(chunks[-1].end - overlap, sentence.end))
        else:
            chunks.append(sentence)
    return chunks


def _try_all(sentences: list[Span], limit: int, overlap: int) -> list[Span]:
    """Oracle: lists of sentences; each chunk tries every overlap, the largest first."""
    chunks: list[list[Span]] = []
    rest = list(sentences)
    while rest:
        previous = chunks[-1] if chunks else []
        for count in range(max(0, len(previous) - 1), -1, -1):
            repeated = previous[len(previous) - count :]
            length = sum(end - start for start, end in repeated)
            if length <= overlap and length + rest[0].end - rest[0].start <= limit:
                break
        chunk = [*repeated, rest.pop(0)]
        while rest and sum(end - start for start, end in [*chunk, rest[0]]) <= limit:
            chunk.append(rest.pop(0))
        chunks.append(chunk)
    return [Span(chunk[0].start, chunk[-1].end) for chunk in chunks]


def _touching(lengths: list[int]) -> list[Span]:
    edges = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    return [Span(start, end) for start, end in pairwise(edges)]


def _cases(rng: Random) -> Iterator[tuple[list[Span], int, int]]:
    yield ([], 10, 3)
    yield (_touching([4]), 10, 3)
    yield (_touching([4, 4, 4]), 10, 0)
    yield (_touching([4, 3, 5, 2]), 10, 3)
    yield (_touching([4, 3, 9, 2]), 10, 3)
    yield (_touching([6, 4, 6, 4]), 10, 9)
    yield (_touching([2, 2, 2, 2, 2, 2, 2]), 6, 4)
    yield (_touching([10, 10]), 10, 9)
    for _ in range(40):
        limit = rng.randrange(4, 14)
        lengths = [rng.randrange(1, limit + 1) for _ in range(rng.randrange(1, 8))]
        yield (_touching(lengths), limit, rng.randrange(limit))


def _repeating(sentences: list[Span], limit: int, stop: Callable[[Span, Span, int], bool]) -> list[Span]:
    """Pack, and walk back from each new sentence until ``stop(earlier, sentence, repeated so far)``."""
    chunks: list[Span] = []
    for new, sentence in enumerate(sentences):
        if chunks and sentence.end - chunks[-1].start <= limit:
            chunks[-1] = Span(chunks[-1].start, sentence.end)
            continue
        start = sentence.start
        for count, earlier in enumerate(reversed(sentences[:new])):
            if stop(earlier, sentence, count):
                break
            start = earlier.start
        chunks.append(Span(start, sentence.end))
    return chunks


def _beyond_the_limit(sentences: list[Span], limit: int, overlap: int) -> list[Span]:
    return _repeating(sentences, limit, lambda earlier, sentence, _: sentence.start - earlier.start > overlap)


def _one_at_most(sentences: list[Span], limit: int, overlap: int) -> list[Span]:
    def stop(earlier: Span, sentence: Span, count: int) -> bool:
        return count == 1 or sentence.start - earlier.start > overlap or sentence.end - earlier.start > limit

    return _repeating(sentences, limit, stop)


def _one_too_many(sentences: list[Span], limit: int, overlap: int) -> list[Span]:
    def stop(earlier: Span, sentence: Span, _: int) -> bool:
        return sentence.start - earlier.end >= overlap or sentence.end - earlier.start > limit

    return _repeating(sentences, limit, stop)


def _none(sentences: list[Span], limit: int, overlap: int) -> list[Span]:
    chunks: list[Span] = []
    for sentence in sentences:
        if chunks and sentence.end - chunks[-1].start <= limit:
            chunks[-1] = Span(chunks[-1].start, sentence.end)
        else:
            chunks.append(sentence)
    return chunks


def _clipped(sentences: list[Span], limit: int, overlap: int) -> list[Span]:
    chunks: list[Span] = []
    for sentence in sentences:
        if chunks and sentence.end - chunks[-1].start <= limit:
            chunks[-1] = Span(chunks[-1].start, sentence.end)
        elif chunks:
            chunks.append(Span(max(sentence.start - overlap, sentence.end - limit), sentence.end))
        else:
            chunks.append(sentence)
    return chunks


PACKING = Exercise(
    id="05.3",
    title="Find the bugs: overlap that starts in the middle",
    solution=pack_sentences,
    oracle=_try_all,
    cases=_cases,
    start=_pasted,
    hints=(
        "`chunks[-1].end - overlap` is a character. Where does a sentence start?",
        "Walk back from the new sentence, one whole sentence after the other.",
        "Two things stop the walk: more than `overlap` would be repeated, or more than `limit` with the new sentence.",
    ),
    mistakes=(
        Mistake(
            _beyond_the_limit,
            "Whole sentences are repeated now. But with the new one they can exceed the limit: repeat fewer.",
        ),
        Mistake(_one_at_most, "One sentence is repeated, but more of them may fit into the overlap: walk on."),
        Mistake(
            _one_too_many,
            "The sentence that reaches over the overlap is repeated too. All that is repeated must fit into it.",
        ),
        Mistake(_none, "The chunks are right but for the overlap: nothing is repeated any more."),
        Mistake(
            _clipped,
            "The limit is kept now, but the overlap still starts at a character. It must start with a sentence.",
        ),
    ),
)
