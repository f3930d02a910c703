"""Whether the full stop after a word belongs to the word: abbreviations, initials, numbers of list items.

Lesson 05 uses it.
"""

from __future__ import annotations

import re

from hierrag_lessons.model import Span


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Titles, and words that introduce something: no sentence ends after them.
_INTRODUCE = _words(
    """mr mrs ms mx dr drs prof st messrs mme mlle gen col capt cpt lt sgt cmdr adm maj rev hon gov sen rep pres supt fr
    mt vs v viz cf ca approx e.g eg i.e ie fig figs eq eqs eqn sec secs vol vols ed eds dept p.s ps resp incl avg"""
)
# Words that stand before a number. Without one they are words of their own: "Did he? No."
_BEFORE_NUMBER = _words("no nos p pp ch chap art arts par para paras tab ref refs ext tel fn cl ver c")
# Abbreviations that end sentences too; so do initials, and words with stops inside such as U.S.
_EITHER = _words(
    """inc corp ltd co llc plc bros jr sr esq al etc ect ff phd pvt ave blvd rd sq sts est min max dist assn univ mon
    tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec"""
)
# Words that start sentences far more often than names.
_STARTERS = _words(
    """a after all also although an and another as at because before both but by did do does during each even every
    finally first for from had has have he her here his how however i if in it its many meanwhile more most my neither
    no nor not now of on once one or our please she since so some still such than thanks that the their then there
    therefore these they this those though through thus to today under unlike until we what when where whether which
    while who why will with without yes yet you your"""
)

_DOTTED = re.compile(r"(?:[A-Z][a-z]?\.)+[A-Z][a-z]?|(?:[a-z]\.)+[a-z]")  # U.S, Ph.D, a.m; but not main.py.
_WORD_BEFORE = re.compile(r"[^\s()（）*_#\[\]\"'“”‘’,;:/—–-]*\Z")
_WORD_AFTER = re.compile(r"[\"'“‘「『*_¿¡]*([^\W_]*)(\.?)")


def is_abbreviation(text: str, sentence: Span, stop: int, following: int) -> bool:
    """Whether the full stop at ``stop`` belongs to the word before it and ends no sentence.

    ``sentence`` starts where the sentence does and ends where it could end at the latest; ``following`` is the place of
    the next character that is not white space.
    """
    match = _WORD_BEFORE.search(text, max(sentence.start, stop - 24), stop)
    word = match.group() if match else ""
    key = word.lower()
    if key in _INTRODUCE or (key in _BEFORE_NUMBER and text[following] in "0123456789#"):
        return True
    if word.isdigit() and len(word) <= 3:  # "3.", "(3." or "## 3." numbers a list item or a heading.
        before = text[max(sentence.start, stop - 12) : stop - len(word)]
        return stop - sentence.start <= 12 and not before.strip("#*(> \t")
    is_initial = len(word) == 1 and word.isascii() and word.isalpha()
    return (key in _EITHER or is_initial or _DOTTED.fullmatch(word) is not None) and not _starts_sentence(
        text, following, sentence.end
    )


def _starts_sentence(text: str, start: int, end: int) -> bool:
    """Whether a word that sentences like to start with stands at ``start``, and is no initial itself."""
    word = _WORD_AFTER.match(text, start, end)
    return word is not None and word[1][:1].isupper() and word[1].lower() in _STARTERS and not word[2]
