"""Questions about a difficult part, one a window, and the boundaries that come back."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

from hierrag_lessons.chunkers.agentic.parts import Part
from hierrag_lessons.chunkers.agentic.pieces import pack_cells
from hierrag_lessons.chunkers.agentic.prompts import SEGMENT_SCHEMA, system_message, typical_answer, user_message
from hierrag_lessons.chunkers.agentic.validator import Repair, Shown, check_answer
from hierrag_lessons.chunkers.agentic.windows import Boundary, merge_drafts, windows
from hierrag_lessons.llm import ChatModel, LLMError, Usage, misfit
from hierrag_lessons.model import Span
from hierrag_lessons.text import Ruler, count_tokens


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


@dataclass
class Log:
    """What happens while a model is asked."""

    repairs: Counter[Repair] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


def questions_about(
    text: str, part: Part, ruler: Ruler, min_size: int, max_size: int, window_size: int
) -> list[Question]:
    """The windows of a part as questions. Each repeats up to ``max_size`` of the one before."""
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
