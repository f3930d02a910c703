"""Queries that a chat model writes: the parts of a question, a wider question, an answer that might be.

Lesson 21 uses it.

A question comes from outside, so it stands in the prompt as fenced data. What the model writes is only searched, never
shown as a source, and where it gives no usable answer the question alone is searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from hierrag_lessons import checks
from hierrag_lessons.embedding import HypotheticalDocument
from hierrag_lessons.llm import DATA_RULE, ChatModel, LLMError, Schema, Usage, fence

_SCHEMA: Schema = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}
_LONGEST = 2000
"""Characters of a query; a longer one is cut, for an embedder reads no more."""


@dataclass(frozen=True, slots=True)
class RewriteReport:
    """What a model made of a question, what it cost, and what went wrong where nothing came of it."""

    queries: tuple[str, ...]
    usage: Usage
    error: str = ""


@dataclass(frozen=True)
class LLMDecomposer:
    """Ask a chat model which questions a question is made of.

    >>> from types import SimpleNamespace
    >>> from hierrag_lessons import Completion
    >>> answer = Completion("", {"queries": ["What does the Act require?", "What does Console do?"]})
    >>> model = SimpleNamespace(name="fake", complete=lambda system, user, schema: answer)
    >>> LLMDecomposer(model)("What does the Act require, and how does Console do it?")
    ('What does the Act require?', 'What does Console do?')

    Each part is to be understood alone, with all names, years and versions that it needs. A question that asks for one
    thing has no parts. Blank parts, repeated ones and all beyond ``most`` are left out.

    Parameters
    ----------
    model:
        Any chat model.
    most:
        How many parts there are at most.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    model: ChatModel
    most: int = 4
    _RULES: ClassVar[str] = (
        "Split the question into the questions that have to be answered to answer it, at most {most}. Each must be "
        "understood alone: repeat the names, years, versions and conditions that it needs, and add none. Where the "
        "question asks for one thing, return an empty list. Write in the language of the question.\n\n"
    )

    def __post_init__(self) -> None:
        checks.able("model", self.model, "complete")
        checks.whole("most", self.most, 2)

    def __call__(self, question: str) -> tuple[str, ...]:
        """The parts; none where the question asks for one thing, or the model has failed."""
        return self.report(question).queries

    def report(self, question: str) -> RewriteReport:
        """The parts, what they cost, and the error where the model has failed."""
        return _ask(self.model, self._RULES.format(most=self.most), question, self.most)


@dataclass(frozen=True)
class StepBack:
    """Ask a chat model for the wider question behind a question (Zheng et al. 2023, "Take a Step Back").

    >>> from types import SimpleNamespace
    >>> from hierrag_lessons import Completion
    >>> answer = Completion("", {"queries": ["How are late deliveries treated?"]})
    >>> model = SimpleNamespace(name="fake", complete=lambda system, user, schema: answer)
    >>> StepBack(model)("Was the delivery of 9 May at 08:40 late?")
    ('How are late deliveries treated?',)

    The rule that a case falls under is often written in other words than the case.

    Raises ``ValueError`` when made with a model that cannot answer.
    """

    model: ChatModel
    _RULES: ClassVar[str] = (
        "Write one wider question: what would one have to know in general, which rule, definition or background, to "
        "answer the question? Keep names of products, laws and companies, drop the details of the case. Write in the "
        "language of the question, and return a list of this one question.\n\n"
    )

    def __post_init__(self) -> None:
        checks.able("model", self.model, "complete")

    def __call__(self, question: str) -> tuple[str, ...]:
        """The wider question; nothing where the model has failed."""
        return self.report(question).queries

    def report(self, question: str) -> RewriteReport:
        """The wider question, what it cost, and the error where the model has failed."""
        return _ask(self.model, self._RULES, question, 1)


@dataclass(frozen=True)
class HyDE:
    """Ask a chat model for a passage that would answer the question, and search with that (Gao et al. 2022).

    >>> from types import SimpleNamespace
    >>> from hierrag_lessons import Completion
    >>> answer = Completion("", {"queries": ["Deliveries after 08:00 count as late."]})
    >>> model = SimpleNamespace(name="fake", complete=lambda system, user, schema: answer)
    >>> HyDE(model)("When is a delivery late?")
    ('Deliveries after 08:00 count as late.',)

    A hypothetical document lies nearer to the real ones than the question does, and is embedded as a document. Its
    details may all be wrong: it is searched with and thrown away. The paper takes the mean of several vectors and the
    question's; here the rankings are fused, see :class:`MultiQueryRetriever`.

    Parameters
    ----------
    model:
        Any chat model.
    passages:
        How many passages it writes; the paper has 8, most of the gain comes from the first.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    model: ChatModel
    passages: int = 1
    _RULES: ClassVar[str] = (
        "Write {passages} short passages, of three to five sentences each, as they could stand in a document that "
        "answers the question: a manual, a law, a report, a conversation. Invent details where you have to. Write in "
        "the language of the question, and return a list of the passages.\n\n"
    )

    def __post_init__(self) -> None:
        checks.able("model", self.model, "complete")
        checks.whole("passages", self.passages, 1)

    def __call__(self, question: str) -> tuple[str, ...]:
        """The passages; none where the model has failed."""
        return self.report(question).queries

    def report(self, question: str) -> RewriteReport:
        """The passages, what they cost, and the error where the model has failed."""
        report = _ask(self.model, self._RULES.format(passages=self.passages), question, self.passages)
        return replace(report, queries=tuple(map(HypotheticalDocument, report.queries)))


def _ask(model: ChatModel, rules: str, question: str, most: int) -> RewriteReport:
    """What the model makes of a question: at most so many texts, none of them blank, repeated, or the question."""
    checks.text("question", question)
    if not question.strip():
        return RewriteReport((), Usage())
    try:
        completion = model.complete(rules + DATA_RULE, fence(question), _SCHEMA)
    except LLMError as error:
        return RewriteReport((), error.usage, str(error))
    answered = cast("Sequence[str]", cast("dict[str, Any]", completion.value)["queries"])
    queries = dict.fromkeys(" ".join(query.split())[:_LONGEST].strip() for query in answered)
    kept = [query for query in queries if query and query != " ".join(question.split())]
    return RewriteReport(tuple(kept[:most]), completion.usage)
