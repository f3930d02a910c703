"""The validator: an answer of a model, which may be anything, becomes boundaries that cannot do harm.

Nothing of the answer but numbers, checked titles and a shortened reason is used, and numbers only choose among the
starts of sentences. So the worst answer makes bad chunks, but it cannot lose, move or change a character.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from hierrag_lessons.chunkers.agentic.windows import Boundary
from hierrag_lessons.model import JSON, Span

Repair = Literal[
    "bounds", "offset", "sentence", "block", "quote", "order", "twice", "gap", "overlap", "title path", "size", "answer"
]
REPAIRS: dict[Repair, str] = {
    "bounds": "starts outside the text that was shown: placed by its first words, or dropped",
    "offset": "starts where its first words do not stand: placed by them",
    "sentence": "starts inside a sentence, first words found nowhere: moved to the nearest sentence",
    "block": "starts inside a table, code, formula or turn: moved to its beginning",
    "quote": "first words found nowhere, but its start is that of a sentence: kept",
    "order": "starts before the segment listed above it: sorted",
    "twice": "starts where another one starts: joined with it",
    "gap": "text between two segments: given to the first one",
    "overlap": "text in two segments: left to the second one",
    "title path": "titles that are not those above the text: replaced",
    "size": "too large: divided by the recursive method; too small: joined with its neighbour",
    "answer": "no usable answer for a window: divided by the recursive method",
}

_QUOTED = 80
_LONGEST_REASON = 200
_TYPOGRAPHY = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")
_ELLIPSIS = re.compile(r"(?:…|\.\.\.)\W*$")


@dataclass(frozen=True, slots=True)
class Shown:
    """What one prompt showed: the offsets of its units and of its end, what must stay whole, the titles above."""

    text: str
    starts: Sequence[int]
    end: int
    solid: Sequence[Span]
    path: tuple[str, ...]


def check_answer(answer: JSON, shown: Shown) -> tuple[list[Boundary], Counter[Repair]]:
    """Boundaries, ascending, from an answer that fits the schema, and what had to be repaired.

    The first boundary is the beginning of the text that was shown. There are none where no segment has a place in it.
    """
    repairs: Counter[Repair] = Counter()
    placed: list[tuple[int, dict[str, Any]]] = []
    for segment in _segments(answer):
        start, repair = _place(int(segment["start"]), str(segment["first_words"]), shown)
        if repair:
            repairs[repair] += 1
        if start is not None:
            placed.append((start, segment))
        repairs["title path"] += tuple(segment["title_path"]) != shown.path
    repairs["order"] = sum(b[0] < a[0] for a, b in pairwise(placed))
    placed.sort(key=lambda item: item[0])
    distinct = dict(reversed(placed))  # Of equal starts the first one in the answer stays.
    repairs["twice"] = len(placed) - len(distinct)
    starts = sorted(distinct)
    repairs += _count_gaps(starts, [int(distinct[start]["end"]) for start in starts], shown)
    boundaries = [Boundary(start, "model", _clean(distinct[start]["reason"])) for start in starts]
    if starts and starts[0] != shown.starts[0]:
        boundaries.insert(0, Boundary(shown.starts[0], "model"))
    return boundaries, +repairs


def _segments(answer: JSON) -> list[Any]:
    return list(answer["segments"]) if isinstance(answer, dict) and isinstance(answer["segments"], list) else []


def _place(start: int, words: str, shown: Shown) -> tuple[int | None, Repair | None]:
    """Where a segment starts, always at a unit, and what was repaired; ``None`` where it has no place."""
    quote = _normal(_ELLIPSIS.sub("", words))[:_QUOTED].strip()
    if not quote and start in shown.starts:
        return start, None
    found = [
        unit for unit in shown.starts if quote and _normal(shown.text[unit : unit + 4 * _QUOTED]).startswith(quote)
    ]
    if start in found:
        return start, None
    outside = not shown.starts[0] <= start < shown.end
    if found:
        # The words may stand in the text several times: the place nearest to the offset is meant.
        return min(found, key=lambda unit: (abs(unit - start), unit)), "bounds" if outside else "offset"
    if outside:
        return None, "bounds"
    if start in shown.starts:
        return start, "quote"
    before = shown.starts[bisect_right(shown.starts, start) - 1]
    if any(block.start < start < block.end for block in shown.solid):
        return before, "block"
    after = shown.starts[bisect_left(shown.starts, start)] if start <= shown.starts[-1] else before
    return (after if after - start < start - before else before), "sentence"


def _normal(text: str) -> str:
    """Without what a model changes when it copies: white space, typographic marks, capitals."""
    return " ".join(text.translate(_TYPOGRAPHY).split()).casefold()


def _count_gaps(starts: Sequence[int], ends: Sequence[int], shown: Shown) -> Counter[Repair]:
    """How often a segment ends before the next one starts, or after; white space between them is no gap."""
    counts: Counter[Repair] = Counter()
    # The beginning of the text is treated as the end of a segment before the first one.
    for end, following in zip([shown.starts[0], *ends], [*starts, shown.end], strict=True):
        end = max(shown.starts[0], min(end, shown.end))
        if shown.text[end:following].strip():
            counts["gap"] += 1
        elif shown.text[following:end].strip():
            counts["overlap"] += 1
    return counts


def _clean(reason: str) -> str:
    """One short line that can be stored anywhere."""
    return " ".join(reason.encode("utf-8", "replace").decode().split())[:_LONGEST_REASON]
