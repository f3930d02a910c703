"""Conversations: a question that leans on earlier ones becomes one that stands alone.

Lesson 21 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import regex

from hierrag_lessons import checks
from hierrag_lessons.llm import DATA_RULE, ChatModel, LLMError, Schema, Usage, fence
from hierrag_lessons.model import Language, Span
from hierrag_lessons.queries.decomposing import names_in
from hierrag_lessons.queries.places import NamedPlace, find_places
from hierrag_lessons.spans import subtract
from hierrag_lessons.text import LONGEST_QUESTION, terms

_LEANS = {
    "en": regex.compile(r"\b(?:it|its|they|their|them|that|this|those|these|he|his|she|her|there|then|one)\b", regex.I),
    "zh": regex.compile("它|其|该|这|那|他们|她们|上述"),
}
_OPENS = {
    "en": regex.compile(r"\s*(?:(?:and|but|or)\b[\s,]*)?(?:(?:what|how)\s+about\b)?\s*", regex.I),
    "zh": regex.compile(r"\s*(?:那么|那|还有|而)?\s*"),
}
_SAYS_NOTHING = {"en": {"fiscal", "year", "version", "same"}, "zh": {*"呢那年末度版么，的在"}}
_SCHEMA: Schema = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}
_RULES = (
    "Below stand the earlier messages of a conversation, oldest first, and behind them the newest question. Rewrite "
    "the newest question so that it can be understood without the others: replace pronouns and what was left out by "
    "what they stand for. Add nothing else and answer nothing. Where it stands alone already return it unchanged. "
    "Write in its language.\n\n"
) + DATA_RULE


@dataclass(frozen=True)
class RuleCondenser:
    """Make a question stand alone by rules; no model is asked.

    >>> condense = RuleCondenser()
    >>> condense(["How long is the audit trail kept in 7.3?"], "And in 7.4?")
    'How long is the audit trail kept in 7.4?'
    >>> condense(["How much did Ridgeline 3 cost in 2024?"], "Why did it rise?")
    'Ridgeline 3 2024: Why did it rise?'

    1. A question of nothing but years, versions, articles or speakers takes their place in the one before it.
    2. One that begins with "and" or "what about", in Chinese one that ends with 呢, is put behind the one before it.
    3. One with a pronoun, or of fewer than two words that say something, gets the names of the one before it in front,
       or where it has none its words.
    4. Any other stands alone. So does one of more than ``LONGEST_QUESTION`` characters, and no question leans on it.

    It cannot tell which of two things "it" is. Historical query expansion (Lin et al. 2021) adds words in the same way.

    Raises ``ValueError`` when made with another language.
    """

    language: Language = "en"

    def __post_init__(self) -> None:
        checks.one_of("language", self.language, Language)

    def __call__(self, history: Sequence[str], question: str) -> str:
        """The question as it stands alone after the earlier questions, oldest first."""
        checks.text("question", question)
        alone = ""
        for each in [*checks.texts("history", history), question]:
            leans = alone.strip() and max(len(alone), len(each)) <= LONGEST_QUESTION
            alone = self._after(alone, each) if leans else each
        return alone

    def _after(self, before: str, question: str) -> str:
        places = find_places(question, self.language)
        rest = "".join(question[a:b] for a, b in subtract(Span(0, len(question)), [place.span for place in places]))
        said = [term for term in terms(rest, self.language) if term not in _SAYS_NOTHING[self.language]]
        if places and not said:
            return _replaced(before, question, places, self.language)
        opened = _OPENS[self.language].match(question)
        follows = question.rstrip(" ?？").endswith("呢") if self.language == "zh" else bool(opened and opened.end())
        if follows and opened:
            return f"{before.rstrip(' ?？。.')} {question[opened.end() :]}"
        if _LEANS[self.language].search(question) or len(said) < 2:
            names = [name for name in names_in(before) if name not in question] or terms(before, self.language)
            return f"{' '.join(names)}: {question}"
        return question


@dataclass(frozen=True, slots=True)
class CondenseReport:
    """A question as a model made it stand alone, what that cost, and what went wrong where it is unchanged."""

    question: str
    usage: Usage
    error: str = ""


@dataclass(frozen=True)
class LLMCondenser:
    """Ask a chat model to make a question stand alone.

    >>> from types import SimpleNamespace
    >>> from hierrag_lessons import Completion
    >>> answer = Completion("", {"question": "Why did the price of Ridgeline 3 rise?"})
    >>> model = SimpleNamespace(name="fake", complete=lambda system, user, schema: answer)
    >>> LLMCondenser(model)(["How much does Ridgeline 3 cost?"], "Why did it rise?")
    'Why did the price of Ridgeline 3 rise?'

    The messages stand in the prompt as fenced data. Where the model fails, or what it writes has not one word of the
    conversation, the question stays as it is.

    Raises ``ValueError`` when made with a parameter out of its range.

    Parameters
    ----------
    model:
        Any chat model.
    messages:
        How many of the newest messages it reads.
    """

    model: ChatModel
    messages: int = 6

    def __post_init__(self) -> None:
        checks.able("model", self.model, "complete")
        checks.whole("messages", self.messages, 1)

    def __call__(self, history: Sequence[str], question: str) -> str:
        """The question as it stands alone after the earlier messages, oldest first; a model can read answers, too."""
        return self.report(history, question).question

    def report(self, history: Sequence[str], question: str) -> CondenseReport:
        """The question as it stands alone, what that cost, and the error where the model has failed."""
        checks.text("question", question)
        earlier = checks.texts("history", history)[-self.messages :]
        if not earlier or not question.strip():
            return CondenseReport(question, Usage())
        written = "\n\n".join([*earlier, f"NEWEST QUESTION: {question}"])
        try:
            completion = self.model.complete(_RULES, fence(written), _SCHEMA)
        except LLMError as error:
            return CondenseReport(question, error.usage, str(error))
        answered = " ".join(str(cast("dict[str, Any]", completion.value)["question"]).split())
        known = {*terms(" ".join([*earlier, question]), "zh")}
        if not known & {*terms(answered, "zh")}:
            return CondenseReport(question, completion.usage, "the answer has no word of the conversation")
        return CondenseReport(answered, completion.usage)


def _replaced(before: str, question: str, places: Sequence[NamedPlace], language: Language) -> str:
    """The earlier question with these places where it has others of their kinds; behind it where it has none."""
    for place in places:
        written = question[place.span.start : place.span.end]
        old = next((other.span for other in find_places(before, language) if other.kind == place.kind), None)
        if old is None:
            before = f"{before.rstrip(' ?？')} {written}?"
        else:
            before = before[: old.start] + written + before[old.end :]
    return before
