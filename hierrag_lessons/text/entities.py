"""Names, codes, titles and measured numbers in a text, found by rules.

Lesson 22 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, dropwhile
from string import ascii_letters, digits

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import Language

_WORD = r"\p{Lu}[\p{L}\p{N}]*(?:[-&][\p{L}\p{N}]+)*"
_NAME = regex.compile(rf"\b{_WORD}(?:[ ](?:of[ ](?:the[ ])?)?{_WORD})*")
_CODE = regex.compile(r"(?<![\p{L}\p{N}])[A-Za-z0-9]++(?:[-./][A-Za-z0-9]++)*+")
_CODE_RUN = regex.compile(r"[A-Za-z0-9./-]++")
_UNITS = {
    "en": "%|percent|million|billion|thousand|[kMG]Wh?|V|A|mm|cm|km|kg|°C|days?|hours?|minutes?|months?|years?",
    "zh": "%|万元|亿元|元|天|个工作日|小时|分钟|年|个月|人|台|℃|毫米|千瓦|公里",
}
_NUMBER = {
    language: regex.compile(
        rf"(?<![\p{{N}}.,])[$€£¥]?\d[\d,]*(?:\.\d+)?\s?(?:{units})(?![A-Za-z])|[$€£¥]\d[\d,]*(?:\.\d+)?"
    )
    for language, units in _UNITS.items()
}
_TITLE = regex.compile(
    r"《([^《》\n]{2,30})》|“([^“”\n]{2,16})”|「([^「」\n]{2,16})」|(第[一二三四五六七八九十百零\d]+[条章编节])"
)
_OPENS = regex.compile(r"(?:^|[.!?:;\n#|>*(“\"-])[\s#|>*(“\"-]*$")
_OPENERS = """
    a all an and any as at be but by each every for from he here how i if in is it its no not of on or our she so that
    the there these they this those to was we were what when where which who with you your
"""
_FIRST = frozenset(_OPENERS.split())


def entities(text: str, language: Language = "en") -> list[str]:
    """The names in a text, in order, lower-cased, each as often as it comes.

    >>> entities("When Velmora bought the MR-7 line, Dana Lindqvist paid $4.2 million. Revenue fell.")
    ['velmora', 'mr-7', 'dana lindqvist', '$4.2 million']
    >>> entities("根据《差旅管理办法》第十二条，EG-210 的保修期为 3 年。", "zh")
    ['差旅管理办法', '第十二条', 'eg-210', '3 年']

    In English a name is a run of capitalised words; one that stands alone at the beginning of a sentence is none. In
    Chinese it is a title, a quoted term or a numbered article. In both, a code has letters and digits, and a number
    counts with its unit or currency. Rules know no meaning: they take "Annual Report" for a name, and miss what is
    written small.

    Raises ``ValueError`` for what is no text, and for another language.
    """
    checks.text("text", text)
    checks.one_of("language", language, Language)
    found: dict[int, tuple[int, str]] = {}  # by place: where it ends, and what it is
    for match in chain(_NUMBER[language].finditer(text), _codes(text)):
        found.setdefault(match.start(), (match.end(), match[0]))
    for match in _TITLE.finditer(text) if language == "zh" else ():
        found.setdefault(match.start(), (match.end(), next(group for group in match.groups() if group)))
    for match in _NAME.finditer(text) if language == "en" else ():
        start, name = _without_first(match.start(), match[0])
        if name and not (" " not in name and _OPENS.search(text[max(0, start - 8) : start])):
            found.setdefault(start, (start + len(name), name))
    result, end = list[str](), -1
    for start in sorted(found):
        if start >= end:
            end, name = found[start]
            result.append(" ".join(name.lower().split()))
    return result


def _without_first(start: int, name: str) -> tuple[int, str]:
    """A run of capitalised words without the "The" or "When" that it begins with because a sentence does."""
    shorter = " ".join(dropwhile(lambda word: word.lower() in _FIRST, name.split(" ")))
    return start + len(name) - len(shorter), shorter


def _codes(text: str) -> Iterator[regex.Match[str]]:
    """What has a letter and a digit, or stands in front of both in one run of letters, digits and joining signs."""
    for run in _CODE_RUN.finditer(text):
        to_digit, to_letter = (len(run[0].rstrip(other + "./-")) for other in (ascii_letters, digits))
        for match in _CODE.finditer(text, *run.span()):
            if match.start() < run.start() + min(to_digit, to_letter):
                yield match
