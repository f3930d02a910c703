"""Decomposition by rules: a question that asks for several things becomes several questions.

Lesson 21 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import Language, Span
from hierrag_lessons.queries.places import find_places
from hierrag_lessons.spans import subtract
from hierrag_lessons.text import LONGEST_QUESTION

_ASKS = r"(?:what|how|when|who|whom|whose|which|why|where|is|are|was|were|does|do|did|can|could|must|may|should|will)\b"
_CLAUSES = regex.compile(
    rf"[?;？；]\s*|(?:,|(?<!\s))\s++(?:and|but|or)\s++(?={_ASKS})|,\s++(?={_ASKS})", regex.IGNORECASE
)
_HAN_ASKS = regex.compile("多少|几|什么|哪|谁|怎么|怎样|如何|为何|为什么|吗|是否|能否|何时|多久|多大|多长|区别|不同")
_HAN_CLAUSES = regex.compile(r"[?;？；]\s*|[，,]\s*")
_PAIRS = {
    "en": regex.compile(
        r"""\bbetween\s++(?P<one>[^,?]{1,80}?)(?<!\s)\s++and\s++(?P<two>[^,?]{1,80})
          | (?<![^\s,?:])(?P<one>[^\s,?:][^,?:]{0,79}?)(?<!\s)\s++
            (?:versus|vs\.?|compared\s++(?:to|with)|as\s++opposed\s++to)\s++(?P<two>[^,?]{1,80})""",
        regex.IGNORECASE | regex.VERBOSE,
    ),
    "zh": regex.compile(r"(?P<one>[^，,？?；、]{1,40}?)(?:相比|相较于|对比)(?P<two>[^，,？?；、]{1,40})"),
}
_HEAD = regex.compile(r"(?P<head>[^:：]{6,200})[:：]\s*+(?P<list>[^:：]++)")
_ITEMS = {
    "en": regex.compile(
        r"(?:(?<!\s)\s++)?(?:,\s*+(?:and\s++|or\s++)?|;\s*+)|(?<!\s)\s++(?:and|versus)\s++",
    ),
    "zh": regex.compile(r"(?:(?<!\s)\s++)?(?:[，、；]|,(?![0-9])|以及|和|与|及)\s*+"),
}
_PREPOSITION = regex.compile(r"\b(?:in|from|for|of|between|on|at|by)\b", regex.IGNORECASE)
_AFTER = regex.compile(r"^[\s,、和与及至到/]*(?:\b(?:and|or|to|versus|vs)\b[\s,]*)*", regex.IGNORECASE)
_DANGLING = regex.compile(
    rf"(?<![\s,])[\s,]++(?:and|or|to|versus|vs)(?:\s++{_PREPOSITION.pattern})?+\s*+$"
    r"|(?<![\s,、和与及至到/])[\s,、和与及至到/]++$",
    regex.IGNORECASE,
)
_NAME = regex.compile(
    r"[A-Z][\p{Latin}\p{N}.'’-]*[\p{Latin}\p{N}](?:\s[0-9]+\b)?|(?:19|20)[0-9]{2}|(?<![0-9])[0-9]++(?:\.[0-9]++)++"
)
_CONDITION = regex.compile(r"\s*(?:after|before|since|under|by|in|on|at|for|with|without|if|given)\b", regex.IGNORECASE)
_ASK = regex.compile(_ASKS, regex.IGNORECASE)


@dataclass(frozen=True)
class RuleDecomposer:
    """Split a question where its own words say that it asks for several things; no model is asked.

    >>> RuleDecomposer()("When does the Arden trial begin, and how much is accrued for it?")
    ('When does the Arden trial begin', 'Arden how much is accrued for it')
    >>> RuleDecomposer()("How long is the trail kept in 7.3 and in 7.4?")
    ('How long is the trail kept in 7.3', 'How long is the trail kept in 7.4')

    In this order, and the first that applies: several questions in one, told by their question words; several years,
    versions, articles or tables; "between A and B" and "A versus B"; and a list behind a colon. What names things in
    the first part, capitals and numbers, goes into the parts that name nothing, for a part that begins with "and how
    much" has lost its subject. A question to which none applies has no parts.

    It does not understand: "profit and loss" stays whole only because nothing in it looks like a question. A question
    of more than ``LONGEST_QUESTION`` characters is left whole.

    Parameters
    ----------
    language:
        Whose question words to look for.
    most:
        How many parts there are at most; a question with more is left whole.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    language: Language = "en"
    most: int = 6

    def __post_init__(self) -> None:
        checks.one_of("language", self.language, Language)
        checks.whole("most", self.most, 2)

    def __call__(self, question: str) -> tuple[str, ...]:
        """The parts of the question, in order; none where it asks for one thing."""
        checks.text("question", question)
        if len(question) > LONGEST_QUESTION:
            return ()
        for split in (self._clauses, self._places, self._pair, self._list):
            parts = tuple(dict.fromkeys(part for part in (" ".join(p.split()) for p in split(question)) if part))
            if 2 <= len(parts) <= self.most:
                return parts
        return ()

    def _clauses(self, question: str) -> list[str]:
        """Several questions: by their question words, in Chinese by commas between two of them."""
        head = _HEAD.fullmatch(question.strip())
        subject, asked = (head["head"], head["list"]) if head else ("", question)
        if self.language == "en":
            clauses = _with_conditions([part for part in _CLAUSES.split(asked) if part.strip()])
        else:
            clauses = _asking([part for part in _HAN_CLAUSES.split(asked) if part.strip()])
        if subject:
            return [f"{subject}: {part}" for part in clauses]
        distinct = list(dict.fromkeys(clauses))
        if len(distinct) > self.most:
            return []
        names = names_in(distinct[0]) if distinct else []
        return [*distinct[:1], *(" ".join([*([] if names_in(part) else names), part]) for part in distinct[1:])]

    def _places(self, question: str) -> list[str]:
        """One question for each year, version or number of one kind."""
        found = find_places(question, self.language)
        for kind in dict.fromkeys(place.kind for place in found):
            spans = list(dict.fromkeys(place.span for place in found if place.kind == kind))
            if len(spans) > self.most:
                return []
            if len(spans) > 1:
                return [_without(question, [other for other in spans if other != span]) for span in spans]
        return []

    def _pair(self, question: str) -> list[str]:
        match = _PAIRS[self.language].search(question)
        if match is None:
            return []
        before, after = question[: match.start()], question[match.end() :]
        return [f"{before} {match[name]} {after}".strip(" ?？") for name in ("one", "two")]

    def _list(self, question: str) -> list[str]:
        match = _HEAD.fullmatch(question.strip(" ?？。."))
        items = _ITEMS[self.language].split(match["list"]) if match else []
        return [f"{match['head']} {item}" for item in items] if match and len(items) > 1 else []


def _with_conditions(clauses: Sequence[str]) -> list[str]:
    """English clauses, the first joined to the one behind it where it only says when: "After the move"."""
    if len(clauses) > 1 and _CONDITION.match(clauses[0]):
        return [f"{clauses[0]}, {clauses[1]}", *clauses[2:]]
    return list(clauses)


def _asking(clauses: Sequence[str]) -> list[str]:
    """Chinese clauses, those that ask nothing joined to the one behind them."""
    asking: list[str] = []
    kept: list[str] = []
    for clause in clauses:
        kept.append(clause)
        if _HAN_ASKS.search(clause):
            asking.append("，".join(kept))
            kept = []
    if kept:
        asking[-1:] = ["，".join([*asking[-1:], *kept])]
    return asking


def names_in(clause: str) -> list[str]:
    """Words with a capital that ask nothing, years and versions."""
    words = (match.group() for match in _NAME.finditer(clause))
    return list(dict.fromkeys(word for word in words if not _ASK.fullmatch(word)))


def _without(question: str, spans: Sequence[Span]) -> str:
    """The question without some spans, and without the words that join each to what stands beside it."""
    kept = ""
    for start, end in subtract(Span(0, len(question)), spans):
        piece = _AFTER.sub("", question[start:end]) if kept else question[start:end]
        kept = _DANGLING.sub("", kept)
        if _PREPOSITION.match(piece):  # "in 7.3 and in 7.4" without 7.3 has one "in" too many
            kept = regex.sub(rf"\s{_PREPOSITION.pattern}$", "", kept, flags=regex.IGNORECASE)
        kept = f"{kept} {piece}" if kept else piece
    return _DANGLING.sub("", kept.rstrip(" ?？")).strip(" ,，、")
