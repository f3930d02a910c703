"""Propositions that a chat model writes, and the checks without which none of them is believed.

No lesson uses it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_within, join_units
from hierrag_lessons.llm import DATA_RULE, ChatModel, LLMError, Schema, Usage, fence
from hierrag_lessons.model import Document, Span
from hierrag_lessons.propositions.proposition import Proposition, in_order
from hierrag_lessons.spans import merge, overlap, subtract
from hierrag_lessons.text import Measure, count_tokens, find_quote, make_ruler, split_sentences

_Statement = tuple[str, Sequence[Span]]
StatementOutcome = Literal["located", "repaired", "dropped", "added", "failed"]
OUTCOMES: dict[StatementOutcome, str] = {
    "located": "a quote stands in the text and holds the statement's words: kept with the quote as its source",
    "repaired": "no such quote, but a sentence with the statement's words: kept with that sentence as its source",
    "dropped": "no sentence has its words, or it holds a number that the text does not: left out",
    "added": "sentences without any statement: each became one itself",
    "failed": "windows for which the model gave no usable answer",
}

_RULES = (
    "Rewrite the text as propositions: short statements, each of one fact, that can be understood without the text "
    "around them. Split compound sentences. Replace pronouns and references by what they stand for, but only where the "
    "text says so. In a dialogue name the speaker. Add nothing, and leave nothing out. Write in the language of the "
    "text. For each proposition copy, word for word, the parts of the text that it rests on into quotes.\n\n"
) + DATA_RULE
_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "propositions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "quotes": {"type": "array", "items": {"type": "string"}}},
                "required": ["text", "quotes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["propositions"],
    "additionalProperties": False,
}

_LEAST_SUPPORT = 0.5
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_TERM = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_]+")


@dataclass(frozen=True)
class PropositionReport:
    """What became of a model's statements, by :data:`OUTCOMES`, the failed windows' errors, and what it has cost."""

    outcomes: Mapping[StatementOutcome, int] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class LLMPropositions:
    """Statements that a chat model writes for windows of whole sentences (the method of Chen et al. 2023).

    Nothing is believed. Each statement must quote its source. A quote is looked up in the window; where it can't be
    found, or has less than half of the statement's words, the sentences around it or else the sentence with the most of
    these words becomes the source; where none has half of them, or where a statement holds a number that the window
    does not, it is dropped.
    A sentence that no source touches becomes a statement itself. So a model that fails, invents, or obeys an
    instruction in the text, costs quality, but never loses text or cites what is not there.

    Parameters
    ----------
    model:
        Any chat model.
    window:
        How much text one question holds at most, in units of ``measure``; a longer sentence is asked about alone.
    measure:
        ``count_tokens``, ``len``, or any function from a string to an integer.

    Raises
    ------
    ValueError
        When it is made, for a ``window`` below 1, a model that cannot answer, or a measure that is no function.
    """

    model: ChatModel
    window: int = 600
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        checks.able("model", self.model, "complete")
        checks.whole("window", self.window, 1)
        checks.measure("measure", self.measure)

    def extract(self, document: Document, within: Span | None = None) -> list[Proposition]:
        """The propositions of ``document``, or of the part ``within`` of it, in document order."""
        return self.extract_and_report(document, within)[0]

    def extract_and_report(
        self, document: Document, within: Span | None = None
    ) -> tuple[list[Proposition], PropositionReport]:
        """The propositions, and how many statements had to be repaired, dropped or added."""
        span = check_within(document, within)
        text = document.text
        outcomes: Counter[StatementOutcome] = Counter()
        errors: list[str] = []
        usage = Usage()
        statements: list[_Statement] = []
        sentences = split_sentences(text, span)
        starts = [sentence.start for sentence in sentences]
        for window in join_units(sentences, make_ruler(text, self.measure), self.window):
            try:
                completion = self.model.complete(_RULES, fence(text[window.start : window.end]), _SCHEMA)
                answer, spent = cast("dict[str, Any]", completion.value)["propositions"], completion.usage
            except LLMError as error:
                answer, spent = [], error.usage
                outcomes["failed"] += 1
                errors.append(str(error))
            usage += spent
            own = sentences[bisect_left(starts, window.start) : bisect_left(starts, window.end)]
            found, counts = _check_answer(text, own, answer)
            statements += found
            outcomes += counts
        return in_order(document.doc_id, statements), PropositionReport(dict(outcomes), tuple(errors), usage)


def _check_answer(
    text: str, sentences: Sequence[Span], answer: Sequence[Mapping[str, Any]]
) -> tuple[list[_Statement], Counter[StatementOutcome]]:
    """What of a model's answer about these sentences can be kept, and what had to be added."""
    outcomes: Counter[StatementOutcome] = Counter()
    kept: list[_Statement] = []
    for item in answer:
        statement = " ".join(item["text"].split())
        outcome, sources = _check(text, sentences, statement, item["quotes"])
        outcomes[outcome] += 1
        if sources:
            kept.append((statement, sources))
    cited = merge(source for _, sources in kept for source in sources)
    for sentence in sentences:
        if subtract(sentence, cited) == [sentence]:
            outcomes["added"] += 1
            kept.append((text[sentence.start : sentence.end], [sentence]))
    return kept, outcomes


def _check(
    text: str, sentences: Sequence[Span], statement: str, quotes: Sequence[str]
) -> tuple[StatementOutcome, Sequence[Span]]:
    """What becomes of a statement, and its sources among the sentences."""
    window, terms = Span(sentences[0].start, sentences[-1].end), _terms(statement)
    if not terms or not set(_NUMBER.findall(statement)) <= set(_NUMBER.findall(text[window.start : window.end])):
        return "dropped", []
    quoted = [place for quote in quotes if (place := find_quote(text, quote, window))]
    around = [sentence for sentence in sentences if any(overlap(sentence, place) for place in quoted)]
    best = max(sentences, key=lambda sentence: (_support(text, [sentence], terms), -sentence.start))
    tries: tuple[tuple[StatementOutcome, list[Span]], ...] = (
        ("located", quoted),
        ("repaired", around),
        ("repaired", [best]),
    )
    supported = (attempt for attempt in tries if _support(text, attempt[1], terms) >= _LEAST_SUPPORT)
    return next(supported, ("dropped", []))


def _terms(text: str) -> set[str]:
    """Words; of runs of Chinese characters every two neighbours."""
    runs = [run.group().casefold() for run in _TERM.finditer(text)]
    chinese = [run for run in runs if run[0] >= "\u3040" and len(run) > 1]
    pairs = {run[i : i + 2] for run in chinese for i in range(len(run) - 1)}
    return pairs | {run for run in runs if run not in set(chinese)}


def _support(text: str, sources: Iterable[Span], terms: set[str]) -> float:
    """The share of a statement's terms that its sources have."""
    found = set().union(*(_terms(text[start:end]) for start, end in sources))
    return round(len(terms & found) / len(terms), 6)
