"""Answers that a chat model writes, with citations of which none is believed before it is found.

Lesson 23 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hierrag_lessons import checks
from hierrag_lessons.answers.answer import Answer, Quote, Statement
from hierrag_lessons.context import Prompt, pack_prompt, render
from hierrag_lessons.llm import DATA_RULE, ChatModel, Schema, fence
from hierrag_lessons.model import Passage
from hierrag_lessons.text import count_tokens, find_quote

ANSWER_RULES = (
    "Answer the question from the numbered passages alone, in at most {words} words and in the language of the "
    "question. Write short statements. For each statement give the number of the passage that it rests on and copy, "
    "word for word, the part of the passage that says it; where it rests on several, give each. Keep numbers with "
    "their units, conditions and exceptions. Where the question asks for several things, name all that the passages "
    "have.\n"
    "Where the passages do not answer the question, set answered to false, give no statements, and say in missing what "
    "is not there. Where they answer a part of it, answer that part and say in missing what is not there. Never fill a "
    "gap from what you know.\n\n"
) + DATA_RULE
"""The system message of :class:`ChatAnswerer`."""

_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "answered": {"type": "boolean"},
        "statements": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "citations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"passage": {"type": "integer"}, "quote": {"type": "string"}},
                            "required": ["passage", "quote"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["text", "citations"],
                "additionalProperties": False,
            },
        },
        "missing": {"type": "string"},
    },
    "required": ["answered", "statements", "missing"],
    "additionalProperties": False,
}
_WORDS_PER_TOKEN = 0.7
_WRITTEN_PER_TOKEN = 3
"""What is written for each token of a statement: itself, its quotes, and the JSON around both."""
_LEAST_QUOTE = 4
"""Tokens of the shortest quote: a single word stands in every passage."""
_SILENT = "The passages do not answer the question."


@dataclass(frozen=True)
class ChatAnswerer:
    """Ask a chat model, and keep of its citations those whose quote stands in the passage that they name.

    >>> from types import SimpleNamespace
    >>> from hierrag_lessons import Completion
    >>> found = {"passage": 1, "quote": "Dogs run on the beach"}
    >>> invented = {"passage": 1, "quote": "Dogs run every day"}
    >>> said = [{"text": "They run on the beach.", "citations": [found]}, {"text": "Daily.", "citations": [invented]}]
    >>> completion = Completion("", {"answered": True, "statements": said, "missing": ""})
    >>> model = SimpleNamespace(name="fake", complete=lambda system, user, schema: completion)
    >>> answer = ChatAnswerer(model).answer("Where do dogs run?", [Passage("d", 0, 22, "Dogs run on the beach.")])
    >>> answer.text, answer.dropped
    ('They run on the beach. [1] Daily.', 1)

    A citation is thrown away, and counted in ``Answer.dropped``, where there is no passage of that number, or the
    passage does not hold the quote, white space and typographic marks aside. A statement that has lost all of its
    citations stays, without a marker, and counts as unsupported: show it or leave it out, but do not cite for it. That
    a quote is found does not mean that it supports the statement; see
    :func:`~hierrag_lessons.answers.faithfulness`.

    Parameters
    ----------
    model:
        Any chat model.
    max_tokens:
        The largest ``Answer.tokens``: statements beyond it are left out.
    window:
        Tokens that the model reads and writes for one request. Passages that do not fit are left out, the worst first.

    Raises ``ValueError`` when made with a model that cannot answer, or a window without room for passages.
    """

    model: ChatModel
    max_tokens: int = 300
    window: int = 8000

    def __post_init__(self) -> None:
        checks.able("model", self.model, "complete")
        checks.whole("max_tokens", self.max_tokens, 1)
        room_for_answer(self.window, self.max_tokens)

    def answer(self, question: str, passages: Sequence[Passage]) -> Answer:
        """See :class:`~hierrag_lessons.answers.Answerer`; refused where the model says that nothing answers.

        Raises :class:`~hierrag_lessons.llm.LLMError` where the model gives no usable answer, and ``ValueError`` where
        the question leaves no room for passages.
        """
        room = room_for_answer(self.window, self.max_tokens, question)
        given = checks.each("passages", passages, Passage)
        prompt = render(given)
        if count_tokens(prompt.text) > room:
            prompt = pack_prompt(given, room)
        rules = ANSWER_RULES.format(words=max(1, round(self.max_tokens * _WORDS_PER_TOKEN)))
        asked = f"The question:\n{fence(question)}\n\nThe passages:\n{fence(prompt.text)}"
        completion = self.model.complete(rules, asked, _SCHEMA)
        value = cast("dict[str, Any]", completion.value)
        statements, dropped = self._checked(value["statements"] if value["answered"] else [], prompt)
        reason = "" if statements else " ".join(value["missing"].split()) or _SILENT
        return Answer(question, statements, not statements, reason, self.model.name, dropped, completion.usage)

    def _checked(self, said: Sequence[Mapping[str, Any]], prompt: Prompt) -> tuple[tuple[Statement, ...], int]:
        """The statements that fit, with the quotes that were found, and the number of those that were not."""
        kept: list[Statement] = []
        dropped = 0
        for item in said:
            text = " ".join(item["text"].split())
            if not text:
                continue
            if count_tokens(" ".join([*(statement.text for statement in kept), text])) > self.max_tokens:
                break
            quotes = [_quote(prompt, citation) for citation in item["citations"]]
            dropped += quotes.count(None)
            kept.append(Statement(text, tuple(dict.fromkeys(quote for quote in quotes if quote is not None))))
        return tuple(kept), dropped


def room_for_answer(window: int, answer_tokens: int, question: str = "") -> int:
    """Tokens that are left for the passages, once rules, question and answer have theirs.

    >>> 1400 < room_for_answer(3000, 300) < 1600
    True

    Of 3,000 tokens, about half. A budget that the context fills to the brim leaves a model no token to answer with: the
    server cuts it off, often in the middle of the JSON. Three tokens are kept free for each token of the answer, for it
    is written with quotes. All sizes are counted with the course's vocabulary; a model counts differently, so a tenth
    of the window stays free.

    Parameters
    ----------
    window:
        Tokens that a model reads and writes for one request.
    answer_tokens:
        The largest answer.
    question:
        The question; where left out, it takes nothing.

    Raises ``ValueError`` for numbers below 1, and where nothing is left.
    """
    checks.whole("window", window, 1)
    checks.whole("answer_tokens", answer_tokens, 1)
    checks.text("question", question)
    taken = count_tokens(ANSWER_RULES) + count_tokens(fence(question)) + _WRITTEN_PER_TOKEN * answer_tokens
    left = window - window // 10 - taken
    if left < 1:
        raise ValueError(
            f"window is {window}, and rules, question and an answer of {answer_tokens} tokens take {taken} of the "
            f"{window - window // 10} that can be used; give a larger window"
        )
    return left


def _quote(prompt: Prompt, citation: Mapping[str, Any]) -> Quote | None:
    """The span that a citation names, where it is there."""
    passage = dict(zip(prompt.numbers, prompt.passages, strict=True)).get(citation["passage"])
    if passage is None or count_tokens(citation["quote"]) < _LEAST_QUOTE:
        return None
    place = find_quote(passage.text, citation["quote"])
    if place is None:
        return None
    start, end = passage.start + place.start, passage.start + place.end
    return Quote(passage.doc_id, start, end, passage.text[place.start : place.end])
