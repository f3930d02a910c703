r"""What a model is asked about a difficult part: windows of labelled sentences, and the form of the answer.

Lesson 11 builds it.

Language models count characters badly and copy well. So nothing has to be counted: in the prompt every sentence is
preceded by its own offset, and the model copies offsets that it sees. ``[4012] The board approved …`` starts at 4012,
and the label of the next segment's first sentence is where the segment ends. With each segment the model also copies
its first words. They are an anchor: where offset and words disagree, the words are looked up, near the offset.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from hierrag_lessons import checks
from hierrag_lessons.chunkers.agentic.parts import Part, Verdict
from hierrag_lessons.chunkers.cutting import check_sizes
from hierrag_lessons.llm import DATA_RULE, Schema, fence
from hierrag_lessons.model import Span
from hierrag_lessons.text import Ruler, count_tokens

SEGMENT_SCHEMA: Final[Schema] = {
    "type": "object",
    "properties": {
        "segments": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "start": {"type": "integer"},
                    "end": {"type": "integer"},
                    "first_words": {"type": "string"},
                    "title_path": {"type": "array", "items": {"type": "string"}},
                    "reason": {"type": "string"},
                },
                "required": ["start", "end", "first_words", "title_path", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["segments"],
    "additionalProperties": False,
}

_RULES = """\
You divide a text into segments for a retrieval system. Each segment will be found and read on its own.

{data_rule}

The data begins with the titles of the headings above the text, as a JSON list. Then each line that starts with a number
in brackets is one unit: a sentence, or a table, code or turn that must stay whole. The number is the offset of the unit
in the document, in characters. A line that starts with "| " continues the unit above it. The last number stands alone:
it is where the text ends.

Rules:
1. A segment starts at the offset of a unit. It ends at the offset where the next segment starts, and the last one at
   the last number. Copy the numbers; do not count.
2. The first segment starts at the first number. Segments are in order, without gaps and without overlaps.
3. A segment is {low} to {high} characters long; that is its end minus its start.
4. Keep together what explains each other: a definition and its explanation, a rule and its exceptions, a question and
   its answer, and the sentence that introduces a list, a table or code with what it introduces.
5. Otherwise begin a new segment where the subject changes.
6. "first_words" are the first eight words of the segment (or fewer, where it is shorter), copied exactly.
7. "title_path" is the list of titles, copied exactly. "reason" says in at most ten words why the segment is one.

Answer with one JSON object and nothing else, in this form:
{{"segments": [{{"start": 0, "end": 812, "first_words": "…", "title_path": ["…"], "reason": "…"}}]}}"""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one prompt showed: the offsets of its units and of its end, what must stay whole, the titles above."""

    text: str
    starts: Sequence[int]
    end: int
    solid: Sequence[Span]
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What one window asks: the units shown, by their indices in the part, and the two messages."""

    units: range
    shown: Shown
    system: str
    user: str
    expected_segments: int

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the messages and the schema, in the course's vocabulary."""
        return sum(count_tokens(text) for text in (self.system, self.user, json.dumps(SEGMENT_SCHEMA)))

    @property
    def completion_tokens(self) -> int:
        """Tokens of an answer of the usual length."""
        return count_tokens(typical_answer(self.shown.path, self.expected_segments))


@dataclass(frozen=True)
class Estimate:
    """What the model would be asked, before it is asked; estimates of several documents can be added.

    Attributes
    ----------
    parts:
        How many parts there are of each kind; the difficult ones are ``"long"`` and ``"uneven"``.
    prompts:
        Tokens of each call's prompt, with rules and schema, in the course's vocabulary. Their number is the number of
        calls, if none has to be repeated.
    answers:
        Tokens of an answer of the usual length to each call.
    """

    parts: Mapping[Verdict, int] = field(default_factory=dict)
    prompts: tuple[int, ...] = ()
    answers: tuple[int, ...] = ()

    @property
    def calls(self) -> int:
        """Questions to the model."""
        return len(self.prompts)

    @property
    def prompt_tokens(self) -> int:
        """Tokens that the model would read."""
        return sum(self.prompts)

    @property
    def completion_tokens(self) -> int:
        """Tokens that it would write."""
        return sum(self.answers)

    def cost(self, per_million_in: float, per_million_out: float) -> float:
        """The price, given that of a million tokens read and of a million written, in the same currency.

        Raises ``ValueError`` for a price below 0.
        """
        checks.number("per_million_in", per_million_in, 0)
        checks.number("per_million_out", per_million_out, 0)
        return (self.prompt_tokens * per_million_in + self.completion_tokens * per_million_out) / 1e6

    def __add__(self, other: Estimate) -> Estimate:
        parts = dict(Counter(self.parts) + Counter(other.parts))
        return Estimate(parts, self.prompts + other.prompts, self.answers + other.answers)


def questions_about(
    text: str, part: Part, ruler: Ruler, min_size: int, max_size: int, window_size: int
) -> list[Question]:
    """The windows of a part as questions. Each repeats up to ``max_size`` of the one before.

    Raises ``ValueError`` for sizes that cannot work, and for what is no text.
    """
    checks.text("text", text)
    check_sizes(max_size, min_size=min_size)
    checks.whole("window_size", window_size, 1)
    starts, end = part.sentences, part.span.end
    made = []
    for units in windows(starts, end, ruler, window_size, max_size):
        first, stop = starts[units.start], starts[units.stop] if units.stop < len(starts) else end
        size = ruler.size(first, stop)
        per_unit = (stop - first) / max(1, size)  # The labels count characters, so the limits in the prompt do, too.
        shown = Shown(text, starts[units.start : units.stop], stop, part.solid, part.path)
        system = system_message(round(min_size * per_unit), int(max_size * per_unit))
        user = user_message(text, shown.starts, stop, part.path)
        made.append(Question(units, shown, system, user, -(-2 * size // (min_size + max_size))))
    return made


def windows(starts: Sequence[int], end: int, ruler: Ruler, size: int, overlap: int) -> list[range]:
    """Runs of units of at most ``size``, each beginning with at most ``overlap`` of the one before it.

    Units are known by their ``starts``; each window is a range of their indices. A unit larger than ``size`` is a
    window by itself. Every window holds a unit that the one before it does not.
    """
    ends = [*starts[1:], end]
    made: list[range] = []
    first = stop = 0
    while stop < len(starts):
        new = stop + 1
        while new < len(starts) and ruler.size(starts[first], ends[new]) <= size:
            new += 1
        made.append(range(first, new))
        first = stop = new
        if stop < len(starts):
            while first - 1 > made[-1].start and _fits(
                starts[first - 1], starts[stop], ends[stop], ruler, size, overlap
            ):
                first -= 1
    return made


def _fits(start: int, seen: int, end: int, ruler: Ruler, size: int, overlap: int) -> bool:
    """Can a window start so early, and still hold the next unit, which ends at ``end``?"""
    return ruler.size(start, seen) <= overlap and ruler.size(start, end) <= size


def system_message(low: int, high: int) -> str:
    """The rules, with the smallest and the largest length of a segment in characters."""
    return _RULES.format(data_rule=DATA_RULE, low=low, high=high)


def user_message(text: str, starts: Sequence[int], end: int, path: Sequence[str]) -> str:
    """The units that begin at ``starts`` and the last of which ends at ``end``, labelled and fenced."""
    lines = [json.dumps(list(path), ensure_ascii=False)]
    for start, stop in pairwise([*starts, end]):
        # Every line break that any reader could see starts a line with a bar: the text can write no label of its own.
        first, *more = text[start:stop].strip().splitlines() or [""]
        lines.append(f"[{start}] {first}")
        lines += [f"| {line}" for line in more]
    return fence("\n".join([*lines, f"[{end}]"]))


def typical_answer(path: Sequence[str], segments: int) -> str:
    """An answer of the usual length, made up to estimate what a real one will cost."""
    segment = {
        "start": 10_000,
        "end": 11_000,
        "first_words": "the first eight words of the segment here",
        "title_path": list(path),
        "reason": "these ten words say why the segment is one",
    }
    return json.dumps({"segments": [segment] * segments}, ensure_ascii=False)
