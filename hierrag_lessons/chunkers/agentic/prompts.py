r"""What the model is asked, and in which form it has to answer.

Language models count characters badly and copy well. So nothing has to be counted: in the prompt every sentence is
preceded by its own offset, and the model copies offsets that it sees. ``[4012] The board approved …`` starts at 4012,
and the label of the next segment's first sentence is where the segment ends. With each segment the model also copies
its first words. They are an anchor: where offset and words disagree, the words are looked up, near the offset.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hierrag_lessons.llm import DATA_RULE, Schema, fence

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
