"""A model's answers, which may be anything, become boundaries that cannot do harm.

Lesson 11 builds it.

Nothing of an answer but numbers, checked titles and a shortened reason is used, and numbers only choose among the
starts of sentences. So the worst answer makes bad chunks, but it cannot lose, move or change a character.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from hierrag_lessons.chunkers.agentic.joining import Boundary, pack_cells
from hierrag_lessons.chunkers.agentic.parts import Part
from hierrag_lessons.chunkers.agentic.questions import SEGMENT_SCHEMA, Question, Shown
from hierrag_lessons.llm import ChatModel, LLMError, Usage, misfit
from hierrag_lessons.model import JSON, Span
from hierrag_lessons.text import Ruler

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


@dataclass
class Log:
    """What happens while a model is asked."""

    repairs: Counter[Repair] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


def ask_about(
    part: Part, questions: list[Question], model: ChatModel, ruler: Ruler, max_size: int, log: Log
) -> list[Boundary]:
    """The boundaries of a part, from the drafts for its windows.

    For a window without a usable answer they are those of the recursive method.
    """
    drafts = []
    for question in questions:
        try:
            draft = _draft(question, model, log)
        except LLMError as error:
            log.repairs["answer"] += 1
            log.errors.append(str(error))
            log.usage += error.usage
            span = Span(question.shown.starts[0], question.shown.end)
            starts = pack_cells(question.shown.text, part.cells, span, ruler, max_size)
            draft = [Boundary(start, "recursive") for start in starts]
        drafts.append(draft)
    return merge_drafts([question.units for question in questions], drafts, part.sentences)


def _draft(question: Question, model: ChatModel, log: Log) -> list[Boundary]:
    answer = model.complete(question.system, question.user, SEGMENT_SCHEMA)
    if problem := misfit(answer.value, SEGMENT_SCHEMA):
        raise LLMError(f"{model.name} gave an answer that does not fit: {problem}", answer.usage)
    boundaries, repairs = check_answer(answer.value, question.shown)
    if not boundaries:
        raise LLMError(f"{model.name} named no segment that has a place in the text", answer.usage)
    log.usage += answer.usage
    log.repairs += repairs
    return boundaries


def merge_drafts(read: Sequence[range], drafts: Sequence[Sequence[Boundary]], starts: Sequence[int]) -> list[Boundary]:
    """One list of boundaries, ascending, from the drafts of overlapping windows.

    Near the end of a window its reader did not see what follows, near the beginning not what came before. So where two
    windows overlap, the first one decides up to the middle of what they share, and the second one from there.
    """
    middles = [(before.stop + after.start + 1) // 2 for before, after in pairwise(read)]
    edges = [starts[0], *(starts[middle] for middle in middles), starts[-1] + 1]
    merged: dict[int, Boundary] = {}
    for draft, (low, high) in zip(drafts, pairwise(edges), strict=True):
        for boundary in draft:
            if low <= boundary.start < high:
                merged.setdefault(boundary.start, boundary)
    return [merged[start] for start in sorted(merged)]


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
    quote = _normal(_ELLIPSIS.sub("", words[: 4 * _QUOTED]))[:_QUOTED].strip()
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
