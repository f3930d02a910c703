"""Faithfulness: is each statement of an answer supported by the span that it quotes?

Lesson 23 builds it.

A faithful answer can be wrong: it may repeat, word for word, a passage about another year. And an unfaithful one can be
right, where a model knew the answer from elsewhere. Faithfulness says whether a reader can check the answer by its
sources, and nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

import regex

from hierrag_lessons import checks
from hierrag_lessons.answers.answer import Answer, Statement
from hierrag_lessons.llm import DATA_RULE, ChatModel, Schema, fence
from hierrag_lessons.model import Language
from hierrag_lessons.text import find_quote, terms

Support = Literal["supported", "partly", "not_supported"]
"""What a judge says of a statement and its source."""

JUDGE_RULES = (
    "You check whether a source supports a statement. Look at the source alone: what you know from elsewhere does not "
    "count, and a statement that is true but not in the source is not supported. Check each name, number, unit, date, "
    "condition and negation.\n"
    '- "supported": the source says all of it, in whatever words.\n'
    '- "partly": the source says a part of it, and the rest is not in the source.\n'
    '- "not_supported": the source says none of it, or says otherwise in any point.\n'
    "First write, in one sentence, the difference between the two or that there is none. Then give the verdict.\n\n"
) + DATA_RULE
"""The system message of :class:`ModelJudge`."""

_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "difference": {"type": "string"},
        "verdict": {"type": "string", "enum": ["supported", "partly", "not_supported"]},
    },
    "required": ["difference", "verdict"],
    "additionalProperties": False,
}
_NUMBER = regex.compile(r"\d+(?:[.,:]\d+)*")


class Judge(Protocol):
    """Anything that says whether a source supports a statement."""

    def judge(self, statement: str, source: str) -> Support:
        """Whether ``source`` alone says what ``statement`` says."""
        ...


@dataclass(frozen=True)
class ContainmentJudge:
    """Counts words: a statement is supported where its source has enough of its words and all of its numbers.

    >>> judge, source = ContainmentJudge(), "The limit is $45.0 million, after a waiting period of thirty days."
    >>> judge.judge("The waiting period is thirty days.", source)
    'supported'
    >>> judge.judge("The limit is $54.0 million.", source)
    'not_supported'
    >>> judge.judge("The limit is not $45.0 million.", source)
    'supported'

    The last one is wrong, and shows what counting cannot see: negation, who did what to whom, another subject with the
    same words. It needs no model and is quick, so it is good for finding what to look at, and for nothing else; its
    agreement with people is measured by :func:`~hierrag_lessons.answers.agreement`.

    Parameters
    ----------
    full, half:
        The least :func:`containment` of a supported statement and of a partly supported one.
    language:
        What a word is.

    Raises ``ValueError`` when made with a share out of 0 to 1, or ``half`` above ``full``.
    """

    full: float = 0.75
    half: float = 0.5
    language: Language = "en"

    def __post_init__(self) -> None:
        checks.share("full", self.full)
        checks.share("half", self.half)
        if self.half > self.full:
            raise ValueError(f"half is {self.half} and full {self.full}; give a half that is at most full")
        checks.one_of("language", self.language, Language)

    def judge(self, statement: str, source: str) -> Support:
        """See :class:`Judge`."""
        share = containment(statement, source, self.language)
        if share >= self.full:
            return "supported"
        return "partly" if share >= self.half else "not_supported"


@dataclass(frozen=True)
class ModelJudge:
    """Asks a chat model, under the rules in :data:`JUDGE_RULES` (as RAGAS does, Es et al. 2023, and ARES, Saad-Falcon
    et al. 2023).

    >>> from types import SimpleNamespace
    >>> from hierrag_lessons import Completion
    >>> said = Completion("", {"difference": "60 amperes, not 80.", "verdict": "not_supported"})
    >>> model = SimpleNamespace(name="fake", complete=lambda system, user, schema: said)
    >>> ModelJudge(model).judge("It is approved above 80 amperes.", "It is approved above 60 amperes.")
    'not_supported'

    A judge errs like any other measure, and favours what reads well. Before its verdicts are counted, measure its
    agreement with people on the kind of statement that you have. Raises ``ValueError`` when made with what is no model.
    """

    model: ChatModel

    def __post_init__(self) -> None:
        checks.able("model", self.model, "complete")

    def judge(self, statement: str, source: str) -> Support:
        """See :class:`Judge`. Raises :class:`~hierrag_lessons.llm.LLMError` where the model has no usable answer."""
        checks.text("statement", statement)
        checks.text("source", source)
        asked = f"The statement:\n{fence(statement)}\n\nThe source:\n{fence(source)}"
        completion = self.model.complete(JUDGE_RULES, asked, _SCHEMA)
        return cast("Support", cast("dict[str, Any]", completion.value)["verdict"])


def containment(statement: str, source: str, language: Language = "en") -> float:
    """The share of a statement's words that its source has; 0 where the source lacks one of the numbers.

    >>> containment("Revenue grew by 4.2 percent.", "In 2025 revenue grew by 4.2 percent.")
    1.0
    >>> containment("Revenue grew by 14.2 percent.", "In 2025 revenue grew by 4.2 percent.")
    0.0

    Words are compared by their stems, without those that say nothing of the subject, see ``terms``. A statement of
    none of them has 0. Raises ``ValueError`` for what is no text, and for another language.
    """
    checks.text("statement", statement)
    checks.text("source", source)
    wanted, known = set(terms(statement, language)), set(terms(source, language))
    if not wanted or not set(_NUMBER.findall(statement)) <= set(_NUMBER.findall(source)):
        return 0.0
    return round(len(wanted & known) / len(wanted), 6)


def supported(statement: Statement, judge: Judge | None = None) -> bool:
    """Whether what a statement quotes supports it: because it is the quote, or because the judge says so.

    >>> from hierrag_lessons import Quote
    >>> quote = Quote("d", 0, 20, "It is no lie: dogs run.")
    >>> supported(Statement("It is no lie: dogs run.", (quote,))), supported(Statement("dogs run.", (quote,)))
    (True, False)

    A part of a quote is for the judge: "It is a lie that dogs run" has these words as well. ``"partly"`` is not
    supported. Raises ``ValueError`` for what is no statement, and a judge that cannot judge.
    """
    checks.instance("statement", statement, Statement)
    checks.able("judge", judge, "judge", none="word for word only")
    source = "\n".join(quote.text for quote in statement.quotes)
    if any(find_quote(quote.text, statement.text) == (0, len(quote.text)) for quote in statement.quotes):
        return True
    return judge is not None and bool(source) and judge.judge(statement.text, source) == "supported"


def faithfulness(answer: Answer, judge: Judge | None = None) -> float:
    """The share of an answer's statements that are supported by what they quote.

    Of an extract it is 1 by construction: that is no merit of the retriever or of the answerer, and compares nothing.

    Raises ``ValueError`` for a refused answer, which states nothing, and as :func:`supported`.
    """
    checks.instance("answer", answer, Answer)
    if not answer.statements:
        raise ValueError("the answer has no statements; leave refused answers out and count them apart")
    return sum(supported(statement, judge) for statement in answer.statements) / len(answer.statements)
