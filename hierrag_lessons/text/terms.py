"""The words of a text as a keyword search compares them.

Lesson 02 uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import regex
from snowballstemmer import stemmer

from hierrag_lessons import checks
from hierrag_lessons.model import Language
from hierrag_lessons.text.scripts import UNSPACED

LONGEST_QUESTION = 4_000
"""Characters of a question that rules read. What stands behind them is searched with the rest, and no rule sees it."""

_RUN = regex.compile(rf"(?P<unspaced>{UNSPACED}+)|(?P<word>[\p{{Alphabetic}}\p{{N}}--{UNSPACED}]+)", regex.V1)
_SAY_NOTHING = """
    a about above after again against all am an and any are as at be because been before being below between both but by
    can could did do does doing down during each few for from further had has have having he her here hers herself him
    himself his how i if in into is it its itself just me more most my myself no nor not now of off on once only or
    other our ours ourselves out over own same she should so some such than that the their theirs them themselves then
    there these they this those through to too under until up very was we were what when where whether which while who
    whom whose why will with would you your yours yourself yourselves
    d don isn aren wasn weren doesn didn hasn haven hadn couldn shouldn wouldn won ll re s t ve m
"""
_FUNCTION_WORDS = frozenset(_SAY_NOTHING.split())


def terms(text: str, language: Language = "en") -> list[str]:
    """The terms of a text, in order, each as often as it comes.

    >>> terms("How are the readings of 7.2 stored?")
    ['read', '7', '2', 'store']
    >>> terms("第三条 EG-210", "zh")
    ['第', '第三', '三', '三条', '条', 'eg', '210']

    Words are lower-cased and, in English, brought to their stem (Porter, "Snowball", 2001); words that say nothing of
    the subject are left out, words that ask among them. Scripts without spaces give each character and each pair.

    Raises ``ValueError`` for what is no text, and for another language.
    """
    checks.text("text", text)
    checks.one_of("language", language, Language)
    return list(_terms(text, language))


def _terms(text: str, language: Language) -> Iterator[str]:
    for run in _RUN.finditer(text.lower()):
        if word := run["word"]:
            if language == "zh":
                yield word
            elif word not in _FUNCTION_WORDS:
                yield _stem(word)
            continue
        characters = run["unspaced"]
        for place, character in enumerate(characters):
            yield character
            if place + 1 < len(characters):
                yield characters[place : place + 2]


@cache
def _stem(word: str) -> str:
    stem: str = _english().stemWord(word)
    return stem


@cache
def _english() -> stemmer:
    return stemmer("english")
