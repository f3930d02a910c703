"""An answer: statements, each with the spans of documents that it quotes.

Lesson 23 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hierrag_lessons.llm import Usage
from hierrag_lessons.model import Passage, Span
from hierrag_lessons.text import count_tokens
from hierrag_lessons.text.invisible import visible


@dataclass(frozen=True, slots=True)
class Quote:
    """The span of a document that a statement rests on: ``document.text[start:end] == text``."""

    doc_id: str
    start: int
    end: int
    text: str

    @property
    def span(self) -> Span:
        """The quote's range in its document."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer, and what it quotes; a statement without a quote is supported by nothing."""

    text: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to a question, or that it was not.

    >>> quote = Quote("pets", 12, 21, "Dogs run.")
    >>> answer = Answer("Who runs?", (Statement("Dogs do.", (quote,)), Statement("All day.", (quote,))))
    >>> answer.text
    'Dogs do. [1] All day. [1]'
    >>> answer.plain, answer.tokens, len(answer.sources)
    ('Dogs do. All day.', 8, 1)

    Attributes
    ----------
    question:
        What was asked.
    statements:
        In order; none where the answer was refused.
    refused, reason:
        Whether there is no answer, and why.
    by:
        Who answered: ``"extractive"``, ``"lead"``, or the name of a language model.
    dropped:
        Citations of a model that were thrown away, because the quote does not stand in the passage.
    usage:
        What a model has read and written.
    """

    question: str
    statements: tuple[Statement, ...] = ()
    refused: bool = False
    reason: str = ""
    by: str = "extractive"
    dropped: int = 0
    usage: Usage = field(default_factory=Usage)

    @property
    def sources(self) -> tuple[Quote, ...]:
        """What is quoted, each once, in the order of the markers: ``[1]`` is the first."""
        return tuple(dict.fromkeys(quote for statement in self.statements for quote in statement.quotes))

    @property
    def text(self) -> str:
        """The statements with markers behind them; of a refused answer the reason.

        It is for a reader: line ends are line feeds, and what cannot be seen is written as its number. The statements
        keep their text as it is.
        """
        if self.refused:
            return visible(self.reason)
        number = {quote: place for place, quote in enumerate(self.sources, start=1)}
        marked = " ".join(
            " ".join([statement.text, *(f"[{number[quote]}]" for quote in statement.quotes)])
            for statement in self.statements
        )
        return visible(marked.replace("\r\n", "\n"))

    @property
    def plain(self) -> str:
        """The statements without markers, which is what is measured; empty where the answer was refused."""
        return " ".join(statement.text for statement in self.statements)

    @property
    def tokens(self) -> int:
        """The size of :attr:`plain`."""
        return count_tokens(self.plain)


class Answerer(Protocol):
    """Anything that answers a question from the passages of a context."""

    def answer(self, question: str, passages: Sequence[Passage]) -> Answer:
        """An answer whose statements quote the passages, or a refusal."""
        ...
