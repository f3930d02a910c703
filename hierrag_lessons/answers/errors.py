"""What went wrong with an answer: was it incomplete, from the wrong place, or invented?

Lesson 23 builds it.

The three call for three repairs. What is incomplete because the context was needs another retriever; what is incomplete
although the context was not, another answerer. What comes from the wrong place needs better ranking or a filter. What
is invented needs checks, and no retriever helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hierrag_lessons import checks
from hierrag_lessons.answers.answer import Answer
from hierrag_lessons.answers.faithfulness import Judge, supported
from hierrag_lessons.evaluation import Question, completeness, hit_rate
from hierrag_lessons.model import Passage

ErrorKind = Literal["right", "incomplete", "wrong place", "invented", "refused wrongly", "answered wrongly"]
ErrorCause = Literal["", "retrieval", "answerer", "both"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with an answer, and where that comes from.

    Attributes
    ----------
    kind:
        The first of these that holds. Of a question without an answer: ``"right"`` where it was refused, else
        ``"answered wrongly"``. Of any other: ``"refused wrongly"``; ``"invented"``, a statement that what it quotes
        does not support; ``"wrong place"``, no quote shares a character with the evidence; ``"incomplete"``, a key
        fact is missing; ``"right"``.
    cause:
        ``"retrieval"`` where the context lacks evidence (wrong place) or all missing key facts (incomplete), ``"both"``
        where it lacks some of these and the answerer lost others, otherwise ``"answerer"``; empty where nothing is
        wrong.
    context_facts, answer_facts:
        Share of the key facts in the context and in the answer; ``None`` for a question without key facts.
    unsupported:
        The statements that were not supported, by their place in the answer.
    """

    kind: ErrorKind
    cause: ErrorCause = ""
    context_facts: float | None = None
    answer_facts: float | None = None
    unsupported: tuple[int, ...] = ()


def diagnose(question: Question, passages: Sequence[Passage], answer: Answer, judge: Judge | None = None) -> Diagnosis:
    """What is wrong with the answer to a question whose evidence is known.

    >>> from hierrag_lessons import Evidence, LeadAnswerer
    >>> dogs = Question("q", "Who runs?", "single_fact", "Dogs.", (Evidence("d", 0, 9),), key_facts=("dogs",))
    >>> context = [Passage("e", 0, 10, "Fish swim."), Passage("d", 0, 9, "Dogs run.")]
    >>> for most in (6, 12):
    ...     found = diagnose(dogs, context, LeadAnswerer(most).answer("Who runs?", context))
    ...     print(" ".join([found.kind, found.cause]).strip())
    wrong place answerer
    right

    A question without key facts is never incomplete. Key facts are looked for in the words of the evidence, so an
    answer that says the same in other words counts as incomplete. That an answer has each key fact does not make all
    else in it right: the rest is only checked against what it quotes.

    Parameters
    ----------
    question:
        With its gold evidence.
    passages:
        The context that the answer was made from.
    answer:
        The answer.
    judge:
        As for :func:`~hierrag_lessons.answers.faithfulness`; without one only extracts are supported.

    Raises ``ValueError`` for values of another type.
    """
    checks.instance("question", question, Question)
    given = checks.each("passages", passages, Passage)
    checks.instance("answer", answer, Answer)
    checks.able("judge", judge, "judge", none="word for word only")
    if not question.answerable:
        return Diagnosis("right") if answer.refused else Diagnosis("answered wrongly", "answerer")
    facts, context = question.key_facts, "\n".join(passage.text for passage in given)
    in_context, in_answer = (completeness(text, facts) if facts else None for text in (context, answer.plain))
    places = [place for place, statement in enumerate(answer.statements) if not supported(statement, judge)]
    found = bool(hit_rate(given, question.evidence))

    def say(kind: ErrorKind, retrieved: bool) -> Diagnosis:
        return Diagnosis(kind, "answerer" if retrieved else "retrieval", in_context, in_answer, tuple(places))

    if answer.refused:
        return say("refused wrongly", found)
    if places:
        return say("invented", retrieved=True)
    quoted = [Passage(quote.doc_id, quote.start, quote.end, quote.text) for quote in answer.sources]
    if not hit_rate(quoted, question.evidence):
        return say("wrong place", found)
    missing = [fact for fact in facts if not completeness(answer.plain, [fact])]
    if missing:
        there = completeness(context, missing)
        cause: ErrorCause = "answerer" if there == 1 else "both" if there else "retrieval"
        return Diagnosis("incomplete", cause, in_context, in_answer)
    return Diagnosis("right", "", in_context, in_answer)
