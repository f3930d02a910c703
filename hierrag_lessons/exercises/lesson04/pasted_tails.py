"""Exercise 04.4, the bugs in overlap that is pasted on afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def token_windows(ends: list[int], size: int, overlap: int) -> list[Span]:
    """Code-point spans of chunks of at most ``size`` tokens that repeat ``overlap`` tokens."""
    spans: list[Span] = []
    first = last = 0  # the tokens of the chunk: first <= token < last
    while last < len(ends):
        last = min(first + size, len(ends))
        spans.append(Span(ends[first - 1] if first else 0, ends[last - 1]))
        first = last - overlap
    return spans


def _pasted(ends: list[int], size: int, overlap: int) -> list[Span]:
    """The code that is handed out."""
    spans: list[Span] = []
    for first in range(0, len(ends), size):
        last = min(first + size, len(ends))
        start = ends[first - 1] if first else 0
        if spans:  # repeat the end of the chunk before
            start = spans[-1].end - overlap
        spans.append(Span(start, ends[last - 1]))
    return spans


def _token_by_token(ends: list[int], size: int, overlap: int) -> list[Span]:
    """Oracle: carry lists of single tokens, and add one more until the chunk is full."""
    tokens = [Span(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    chunks: list[list[Span]] = []
    current: list[Span] = []
    for token in tokens:
        if len(current) == size:
            chunks.append(current)
            current = current[size - overlap :]
        current = [*current, token]
    if current:
        chunks.append(current)
    return [Span(chunk[0].start, chunk[-1].end) for chunk in chunks]


def _cases(rng: Random) -> Iterator[tuple[list[int], int, int]]:
    yield ([], 3, 1)
    yield ([1, 2, 3, 4, 5, 6], 3, 0)
    yield ([1, 2, 3, 4, 5, 6], 3, 1)
    yield ([3, 7, 12], 3, 1)
    yield ([3, 7, 12, 14], 3, 1)
    yield ([3, 7, 12, 14, 20, 21, 29], 3, 1)
    yield ([4, 9, 15, 21, 30], 4, 3)
    for _ in range(40):
        ends, here = [], 0
        for _ in range(rng.randrange(14)):
            here += rng.randrange(1, 7)
            ends.append(here)
        size = rng.randrange(1, 6)
        yield (ends, size, rng.randrange(size))


def _tokens_but_too_many(ends: list[int], size: int, overlap: int) -> list[Span]:
    spans = []
    for first in range(0, len(ends), size):
        back = max(0, first - overlap)
        spans.append(Span(ends[back - 1] if back else 0, ends[min(first + size, len(ends)) - 1]))
    return spans


def _characters_still(ends: list[int], size: int, overlap: int) -> list[Span]:
    spans: list[Span] = []
    first = last = 0
    while last < len(ends):
        last = min(first + size, len(ends))
        start = max(0, spans[-1].end - overlap) if spans else 0
        spans.append(Span(start, ends[last - 1]))
        first = last - overlap
    return spans


def _tail_again(ends: list[int], size: int, overlap: int) -> list[Span]:
    return [
        Span(ends[first - 1] if first else 0, ends[min(first + size, len(ends)) - 1])
        for first in range(0, len(ends), size - overlap)
    ]


def _a_token_late(ends: list[int], size: int, overlap: int) -> list[Span]:
    spans: list[Span] = []
    first = last = 0
    while last < len(ends):
        last = min(first + size, len(ends))
        spans.append(Span(ends[first] if first else 0, ends[last - 1]))
        first = last - overlap
    return [span for span in spans if span.start < span.end]


PASTED_TAILS = Exercise(
    id="04.4",
    title="Find the bugs: overlap that is pasted on",
    solution=token_windows,
    oracle=_token_by_token,
    cases=_cases,
    start=_pasted,
    hints=(
        "In which unit is `overlap`, and in which unit is `spans[-1].end`?",
        "Count the tokens of the second chunk of ends=[1, 2, 3, 4, 5, 6], size=3, overlap=1.",
        "Keep the index of the first token. The next chunk's first token is `last - overlap`, and it takes `size` "
        "tokens from there.",
    ),
    mistakes=(
        Mistake(
            _tokens_but_too_many,
            "The overlap is counted in tokens now. But it is still pasted in front of a chunk that is full already, "
            "so that has size + overlap tokens.",
        ),
        Mistake(
            _characters_still,
            "The chunks have the right ends now. But `spans[-1].end - overlap` takes tokens from characters.",
        ),
        Mistake(
            _tail_again,
            "Stepping over all tokens makes a last chunk that only repeats the end of the one before it.",
        ),
        Mistake(
            _a_token_late,
            "A token starts where the one before it ends: that is ends[first - 1]. ends[first] is where it stops.",
        ),
    ),
)
