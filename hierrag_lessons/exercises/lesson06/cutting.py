"""Exercise 06.1, cutting after each match of a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def cut_behind(text: str, pattern: str) -> list[Span]:
    """Spans that touch and cover the text, cut where a match of the pattern ends."""
    spans: list[Span] = []
    start = 0
    for match in re.finditer(pattern, text):
        if match.end() > start:
            spans.append(Span(start, match.end()))
            start = match.end()
    if start < len(text):
        spans.append(Span(start, len(text)))
    return spans


def _mark_each_place(text: str, pattern: str) -> list[Span]:
    """Oracle: mark every place that ends a match, then read off the stretches between the marks."""
    marks = [False] * (len(text) + 1)
    marks[0] = marks[len(text)] = True
    for match in re.compile(pattern).finditer(text):
        marks[match.end()] = True
    places = [place for place, marked in enumerate(marks) if marked]
    return [Span(places[i], places[i + 1]) for i in range(len(places) - 1)]


def _cases(rng: Random) -> Iterator[tuple[str, str]]:
    yield ("", r"\n")
    yield ("abc", r"\n")
    yield ("a, b, c", r",\s*")
    yield ("a, b, ", r",\s*")
    yield (", a", r",\s*")
    yield ("a\n\n\nb", r"\n\s*\n")
    yield ("One. Two! Three", r"[.!?]\s+")
    yield ("今天下雨。明天呢？", r"[。？]")
    yield ("# A\ntext\n# B\n", r"\n(?=#)")
    patterns = (r",\s*", r"\n", r"[.!?]\s+", r"\n\s*\n", r"\s+", r"\n(?=#)")
    for _ in range(40):
        text = "".join(rng.choice(["a", "bc", ", ", ",", "\n", "\n\n", ". ", "! ", " ", "# "]) for _ in range(9))
        yield (text, rng.choice(patterns))


def _without_separators(text: str, pattern: str) -> list[Span]:
    spans, start = [], 0
    for match in re.finditer(pattern, text):
        spans.append(Span(start, match.start()))
        start = match.end()
    spans.append(Span(start, len(text)))
    return [span for span in spans if span.start < span.end]


def _without_separators_but_empty(text: str, pattern: str) -> list[Span]:
    starts = [0, *(match.end() for match in re.finditer(pattern, text))]
    ends = [*(match.start() for match in re.finditer(pattern, text)), len(text)]
    return [Span(a, b) for a, b in zip(starts, ends, strict=True)]


def _lengths_of_the_rest(text: str, pattern: str) -> list[Span]:
    spans, start = [], 0
    for piece in re.split(pattern, text):
        spans.append(Span(start, start + len(piece)))
        start += len(piece)
    return spans


def _in_front(text: str, pattern: str) -> list[Span]:
    places = [0, *(match.start() for match in re.finditer(pattern, text)), len(text)]
    return [Span(a, b) for a, b in pairwise(places) if a < b]


def _no_tail(text: str, pattern: str) -> list[Span]:
    places = [0, *(match.end() for match in re.finditer(pattern, text))]
    return [Span(a, b) for a, b in pairwise(places) if a < b]


def _empty_at_the_end(text: str, pattern: str) -> list[Span]:
    places = [0, *(match.end() for match in re.finditer(pattern, text)), len(text)]
    return [Span(a, b) for a, b in pairwise(places)]


CUTTING = Exercise(
    id="06.1",
    title="Cut after each match",
    solution=cut_behind,
    oracle=_mark_each_place,
    cases=_cases,
    hints=(
        "re.finditer(pattern, text) yields the matches from left to right; match.end() is the place after one.",
        "Write down the places first: 0, the end of each match, the length of the text. Two neighbours are a span.",
        "A match can end at the very end of the text. Then the last two places are the same: no span between them.",
    ),
    mistakes=(
        Mistake(
            _without_separators,
            "The separators lie in no span: they are lost. A piece reaches up to the end of the match behind it.",
        ),
        Mistake(
            _without_separators_but_empty,
            "Each span ends where a match starts, so the separators are in no span. Where a separator begins or ends "
            "the text, a span is empty as well. Let a span end at `match.end()`.",
        ),
        Mistake(
            _lengths_of_the_rest,
            "`re.split` throws the separators away, so the lengths of the pieces do not add up to their places: each "
            "later piece is too early. Use `re.finditer`, whose matches know where they are.",
        ),
        Mistake(_in_front, "That cuts in front of each match. The full stop then begins the next piece."),
        Mistake(_no_tail, "What comes after the last match is in no span."),
        Mistake(_empty_at_the_end, "Where a match ends at the end of the text, or the text is empty, a span is empty."),
    ),
)
