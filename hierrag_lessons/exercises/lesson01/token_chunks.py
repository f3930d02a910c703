"""Exercise 01.3, the bug in the chunks of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def chunk_spans(tokens: list[bytes], size: int) -> list[Span]:
    """Code-point spans of chunks of at most ``size`` tokens that break no character."""
    cuts, pending = [(0, 0)], b""  # (tokens before, characters before) where a token and a character end
    for number, token in enumerate(tokens, start=1):
        pending += token
        try:
            characters = len(pending.decode())
        except UnicodeDecodeError:
            continue
        cuts.append((number, cuts[-1][1] + characters))
        pending = b""
    spans, here = [], 0
    while here < len(cuts) - 1:
        there = here + 1
        while there + 1 < len(cuts) and cuts[there + 1][0] - cuts[here][0] <= size:
            there += 1
        spans.append(Span(cuts[here][1], cuts[there][1]))
        here = there
    return spans


def _slices(tokens: list[bytes], size: int) -> list[Span]:
    """The code that is handed out."""
    spans, start = [], 0
    for i in range(0, len(tokens), size):
        piece = b"".join(tokens[i : i + size]).decode(errors="replace")
        spans.append(Span(start, start + len(piece)))
        start += len(piece)
    return spans


def _whole(tokens: Sequence[bytes]) -> bool:
    try:
        b"".join(tokens).decode()
    except UnicodeDecodeError:
        return False
    return True


def _try_every_length(tokens: list[bytes], size: int) -> list[Span]:
    """Oracle: try ``size`` tokens, then fewer, then more, until what they say is whole characters."""
    spans, start, left = [], 0, tokens
    while left:
        lengths = [*range(size, 0, -1), *range(size + 1, len(left) + 1)]
        length = next(n for n in lengths if _whole(left[:n]))
        characters = len(b"".join(left[:length]).decode())
        spans.append(Span(start, start + characters))
        start, left = start + characters, left[length:]
    return spans


def _token_lists(rng: Random) -> Iterator[tuple[list[bytes], int]]:
    yield ([], 3)
    yield ([b"The", b" for", b" loop"], 2)
    yield ([b"\xe4\xb8", b"\xad"], 2)
    yield ([b"a", b"\xe4\xb8", b"\xad"], 2)
    yield ([b"a", b"b", b"\xe4\xb8", b"\xad", b"c", b"d"], 3)
    yield ([b"\xf0", b"\x9f", b"\x8c", b"\x8d"], 2)
    yield ([b"a", b"\xe4\xb8", b"\xad\xe6", b"\x96\x87", b"b"], 2)
    for _ in range(30):
        text = "".join(rng.choice("abc中文é😀") for _ in range(rng.randrange(2, 7))).encode()
        tokens = []
        while text:
            length = rng.randrange(1, 4)
            tokens.append(text[:length])
            text = text[length:]
        yield (tokens, rng.randrange(1, 5))


def _permitted(tokens: list[bytes]) -> list[int]:
    """Numbers of tokens after which no character is broken."""
    return [number for number in range(len(tokens) + 1) if _whole(tokens[:number])]


def _to_spans(tokens: list[bytes], ends: Sequence[int]) -> list[Span]:
    characters = [len(b"".join(tokens[:end]).decode()) for end in (0, *ends)]
    return [Span(a, b) for a, b in pairwise(characters)]


def _ignore_errors(tokens: list[bytes], size: int) -> list[Span]:
    spans, start = [], 0
    for i in range(0, len(tokens), size):
        piece = b"".join(tokens[i : i + size]).decode(errors="ignore")
        spans.append(Span(start, start + len(piece)))
        start += len(piece)
    return spans


def _round_up(tokens: list[bytes], size: int) -> list[Span]:
    ends, here = [], 0
    while here < len(tokens):
        here = next(n for n in _permitted(tokens) if n >= min(here + size, len(tokens)))
        ends.append(here)
    return _to_spans(tokens, ends)


def _fixed_grid(tokens: list[bytes], size: int) -> list[Span]:
    grid = [*range(size, len(tokens), size), len(tokens)]
    return _to_spans(tokens, sorted({max(n for n in _permitted(tokens) if n <= g) for g in grid} - {0}))


def _byte_spans(tokens: list[bytes], size: int) -> list[Span]:
    text = b"".join(tokens).decode()
    return [Span(len(text[:a].encode()), len(text[:b].encode())) for a, b in chunk_spans(tokens, size)]


def _only_shrink(tokens: list[bytes], size: int) -> list[Span]:
    ends, here = [], 0
    while here < len(tokens):
        end = max(n for n in _permitted(tokens) if n <= here + size)
        if end == here:
            break
        ends.append(end)
        here = end
    return _to_spans(tokens, ends)


def _one_cut_each(tokens: list[bytes], size: int) -> list[Span]:
    return _to_spans(tokens, _permitted(tokens)[1:])


TOKEN_CHUNKS = Exercise(
    id="01.3",
    title="Find the bug: chunks of tokens",
    solution=chunk_spans,
    oracle=_try_every_length,
    cases=_token_lists,
    start=_slices,
    hints=(
        "A piece that ends inside a character decodes to U+FFFD, and so does the beginning of the next one: one "
        "character is counted twice, and everything after it is too far right.",
        "First find all permitted cuts: how many tokens, and how many characters, come before each one. Bytes "
        "that do not decode yet wait for the next token.",
        "Then, from each cut, go to the last one that is at most `size` tokens away, or to the next one where none is.",
    ),
    mistakes=(
        Mistake(
            _ignore_errors,
            'errors="ignore" hides the U+FFFD and loses the character: it is in none of the chunks now.',
        ),
        Mistake(
            _round_up,
            "The cut moves forward to the end of the character, so the chunk has more than `size` tokens. Go back "
            "instead, unless there is nothing to go back to.",
        ),
        Mistake(
            _fixed_grid,
            "Each cut was moved back from a multiple of `size`. But the chunk after it starts earlier now, so "
            "counted from there it has too many tokens: count `size` from where the chunk really starts.",
        ),
        Mistake(
            _byte_spans,
            "The cuts are right, but they are counted in bytes; a span counts code points.",
        ),
        Mistake(
            _only_shrink,
            "Where one character needs more than `size` tokens, going back leaves nothing of the chunk, and the "
            "rest of the text is lost: go forward there, to the first permitted cut.",
        ),
        Mistake(
            _one_cut_each,
            "This stops at the first permitted cut. Take as many tokens as fit.",
        ),
    ),
)
