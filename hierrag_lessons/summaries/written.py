"""Summaries that a chat model writes.

Lesson 16 uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from hierrag_lessons import checks
from hierrag_lessons.chunkers import sentence_units
from hierrag_lessons.chunkers.cutting import join_units
from hierrag_lessons.llm import DATA_RULE, ChatModel, LLMError, Schema, Usage, fence
from hierrag_lessons.model import Document, Node, Span
from hierrag_lessons.spans import merge
from hierrag_lessons.summaries.protocol import Summary, check_children
from hierrag_lessons.text import Measure, count_tokens, make_ruler, split_sentences

_RULES = (
    "Write a summary of the texts below, in at most {words} words. Keep names, numbers with their units, conditions "
    "and exceptions. Add nothing that the texts do not say, and do not speak of the texts themselves. Write in the "
    "language of the texts.\n\n"
) + DATA_RULE
_SCHEMA: Schema = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}
_WORDS_PER_TOKEN = 0.7
_BREAK = "\n\n"


@dataclass(frozen=True)
class LLMSummariser:
    """Ask a chat model for a summary, as RAPTOR does (Sarthi et al. 2024).

    What is read of a node is its text, so for a derived node its own words. The texts stand in the prompt as fenced
    data. An answer above ``max_tokens`` is cut after the last sentence that fits. Texts larger than one prompt may be
    are summed up in groups first, and then their summaries.

    A summary cites the spans of all its nodes: a model does not say reliably what it took from where. Nothing that it
    writes is ever returned as a passage; it is only searched.

    Parameters
    ----------
    model:
        Any chat model.
    window:
        How much text one prompt holds at most, in units of ``measure``.
    measure:
        What ``window`` and ``max_tokens`` count in.

    Raises
    ------
    ValueError
        When it is made, for a ``window`` below 100, a model that cannot answer, or a measure that is no function.
    """

    model: ChatModel
    window: int = 6000
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        checks.able("model", self.model, "complete")
        checks.whole("window", self.window, 100)
        checks.measure("measure", self.measure)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def summarise(self, document: Document, nodes: Sequence[Node], max_tokens: int) -> Summary:
        """See :class:`~hierrag_lessons.summaries.Summariser`.

        Raises :class:`~hierrag_lessons.llm.LLMError` where the model gives no usable answer, and ``ValueError`` where
        ``max_tokens`` is more than a third of ``window``.
        """
        return self.summarise_and_report(document, nodes, max_tokens)[0]

    def summarise_and_report(self, document: Document, nodes: Sequence[Node], max_tokens: int) -> tuple[Summary, Usage]:
        """The summary, and what it has cost."""
        check_children(document, nodes, max_tokens)
        if 3 * max_tokens > self.window:
            raise ValueError(
                f"max_tokens is {max_tokens} with window {self.window}; give a window three times as large, so that "
                "several summaries fit it"
            )
        usage = Usage()
        texts = [node.embedding_text for node in nodes if node.text.strip()]
        if not texts:
            return Summary("", ()), usage
        while True:
            answers = []
            for group in self._groups(texts):
                answer, spent = self._ask(group, max_tokens)
                answers.append(answer)
                usage += spent
                if not answer:
                    raise LLMError(f"the model {self.model.name!r} wrote a blank summary; ask again or another", usage)
            if len(answers) == 1:
                return Summary(answers[0], tuple(merge(span for node in nodes for span in node.spans))), usage
            texts = answers

    def _groups(self, texts: Sequence[str]) -> Iterator[str]:
        """Neighbouring texts joined to prompts of at most ``window``; a text above it is cut between sentences."""
        joined = _BREAK.join(texts)
        ruler = make_ruler(joined, self.measure)
        units: list[Span] = []
        start = 0
        for text in texts:
            whole = Span(start, start + len(text))
            fits = ruler.size(*whole) <= self.window
            units += [whole] if fits else sentence_units(joined, whole, ruler, self.window)
            start = whole.end + len(_BREAK)
        for unit in join_units(units, ruler, self.window):
            yield joined[unit.start : unit.end]

    def _ask(self, text: str, max_tokens: int) -> tuple[str, Usage]:
        words = max(1, round(max_tokens * _WORDS_PER_TOKEN))
        completion = self.model.complete(_RULES.format(words=words), fence(text), _SCHEMA)
        answer = " ".join(cast("dict[str, str]", completion.value)["summary"].split())
        return _shorten(answer, max_tokens, self.measure), completion.usage


def _shorten(answer: str, limit: int, measure: Measure) -> str:
    """The first sentences that fit the limit; where not even one does, its beginning."""
    if measure(answer) <= limit:
        return answer
    ruler = make_ruler(answer, measure)
    ends = [end for _, end in split_sentences(answer) if ruler.size(0, end) <= limit]
    return answer[: ends[-1] if ends else ruler.reach(0, len(answer), limit)]
