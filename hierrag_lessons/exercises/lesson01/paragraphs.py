"""Exercise 01.2, the bug in the spans of paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span
from hierrag_lessons.spans import trim


def paragraph_spans(text: str) -> list[Span]:
    """The spans of the paragraphs, which blank lines divide, without white space at their ends."""
    spans, position = [], 0
    for piece in text.split("\n\n"):
        span = trim(text, Span(position, position + len(piece)))
        if span.start < span.end:
            spans.append(span)
        position += len(piece) + len("\n\n")
    return spans


def _paragraphs_by_find(text: str) -> list[Span]:
    """The code that is handed out."""
    spans = []
    for piece in text.split("\n\n"):
        piece = piece.strip()
        if piece:
            start = text.find(piece)
            spans.append(Span(start, start + len(piece)))
    return spans


def _walk(text: str) -> list[Span]:
    """Oracle: walk over the text, note where each piece begins and ends, then step over white space."""
    pieces, begin, here = [], 0, 0
    while here < len(text):
        if text.startswith("\n\n", here):
            pieces.append((begin, here))
            here += 2
            begin = here
        else:
            here += 1
    pieces.append((begin, len(text)))
    spans = []
    for start, end in pieces:
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        if start < end:
            spans.append(Span(start, end))
    return spans


def _texts(rng: Random) -> Iterator[tuple[str]]:
    yield ("",)
    yield ("Yes.",)
    yield (" \n\n ",)
    yield ("Yes.\n\nNo.",)
    yield ("Yes.\n\nYes.",)
    yield ("Yes, please.\n\nYes",)
    yield ("  Yes.\n\n  No.",)
    yield ("是。\n\n否。",)
    yield ("Yes.\n\n\nNo.\n\n\n\nYes.",)
    for _ in range(30):
        pieces = [rng.choice(["Yes.", "No.", "Yes. No.", " Yes.", "No. ", "是。", "A\nB", ""]) for _ in range(5)]
        yield ("\n\n".join(pieces[: rng.randrange(2, 6)]),)


def _find_from_the_last_start(text: str) -> list[Span]:
    spans, start = [], 0
    for piece in text.split("\n\n"):
        if piece.strip():
            start = text.find(piece.strip(), start)
            spans.append(Span(start, start + len(piece.strip())))
    return spans


def _count_only_what_is_shown(text: str) -> list[Span]:
    spans, position = [], 0
    for piece in text.split("\n\n"):
        shown = piece.strip()
        if shown:
            spans.append(Span(position, position + len(shown)))
        position += len(shown) + 2
    return spans


def _forget_the_blank_lines(text: str) -> list[Span]:
    spans, position = [], 0
    for piece in text.split("\n\n"):
        start = position + len(piece) - len(piece.lstrip())
        if piece.strip():
            spans.append(Span(start, start + len(piece.strip())))
        position += len(piece)
    return spans


def _with_white_space(text: str) -> list[Span]:
    spans, position = [], 0
    for piece in text.split("\n\n"):
        if piece.strip():
            spans.append(Span(position, position + len(piece)))
        position += len(piece) + 2
    return spans


def _in_bytes(text: str) -> list[Span]:
    return [Span(len(text[: s.start].encode()), len(text[: s.end].encode())) for s in paragraph_spans(text)]


PARAGRAPHS = Exercise(
    id="01.2",
    title="Find the bug: paragraphs",
    solution=paragraph_spans,
    oracle=_walk,
    cases=_texts,
    start=_paragraphs_by_find,
    hints=(
        "Run it on a text that has the same paragraph twice.",
        "There is no need to search: you know where each piece begins, because you know the lengths of all pieces "
        "before it.",
        "Keep a `position`. After each piece it grows by `len(piece) + 2`, with the piece as it was before "
        "`strip()`. `trim(text, span)` takes the white space off a span.",
    ),
    mistakes=(
        Mistake(
            _find_from_the_last_start,
            "The search goes on from the start of the last paragraph, so an equal paragraph is found in the same "
            "place again: it would have to go on from its end.",
        ),
        Mistake(
            _count_only_what_is_shown,
            "The position grows by the length of the stripped piece, but the white space around it is in the text "
            "too: every later span is too far left.",
        ),
        Mistake(
            _forget_the_blank_lines,
            'The pieces do not add up to the text: split() took a "\\n\\n" out between any two of them, two '
            "characters that the position must step over.",
        ),
        Mistake(
            _with_white_space,
            "The positions are right, but the spans still hold the white space at the ends of the paragraphs.",
        ),
        Mistake(
            _in_bytes,
            "These are offsets in UTF-8 bytes. A Chinese character has three of them, but is one code point.",
        ),
    ),
)
