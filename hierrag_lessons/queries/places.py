"""Questions that name a place: "Article 17(2)", 第九十三条, "table 3", "fiscal 2024", "what did the CEO say".

Lesson 21 builds it.

A search compares what texts speak about. A number says nothing of that, so the text that a question names by its number
can be the last one that a search finds. It has to be read out of the question and looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast, get_args

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import Language, Span
from hierrag_lessons.text import LONGEST_QUESTION

# fmt: off
HeadingKind = Literal[
    "article", "recital", "annex", "appendix", "schedule", "exhibit", "book", "part", "title", "chapter", "item",
    "section", "clause", "rule", "risk", "note", "step", "phase", "question", "example",
]
# fmt: on
CaptionKind = Literal["table", "figure"]
MetadataKind = Literal["year", "edition", "speaker"]
PlaceKind = HeadingKind | CaptionKind | MetadataKind
"""Kinds with a number in a heading, kinds with a number in a caption, and kinds that metadata tell."""

NUMBERED: tuple[str, ...] = (*get_args(HeadingKind), *get_args(CaptionKind))

# fmt: off
_HAN_WORDS: dict[str, PlaceKind] = {
    "条": "article", "條": "article", "章": "chapter", "节": "section", "節": "section", "编": "part", "編": "part",
    "篇": "part", "部分": "part", "表": "table", "图": "figure", "圖": "figure", "步": "step", "附": "appendix",
}
# fmt: on
_HAN = "〇零一二两三四五六七八九十百千"
_HAN_NUMBER = f"(?:[{_HAN}]+|[0-9０-９]+(?:\\.[0-9]+)*)"
_NUMBER = r"(?:[0-9]{1,4}(?:[.-][0-9]{1,3})*[A-Za-z]?|[A-Z](?:\.[0-9]{1,3})+|[IVXLC]+|[A-Z])"
_WORDS = "|".join(NUMBERED)

_HEADING = regex.compile(
    rf"""(?:\bparagraph\s+\(?(?P<before>[0-9]+)\)?\s+of\s+)?
    \b(?P<word>(?i:{_WORDS}|annexe|appendice|schedule|art|sect|tab|fig)(?:s|es)?)\.?\s+
    (?P<numbers>{_NUMBER}(?![\p{{L}}\p{{N}}])(?:\([0-9]+[a-z]?\))?
      (?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|\s*(?:to|–|-)\s*){_NUMBER}(?![\p{{L}}\p{{N}}])(?:\([0-9]+[a-z]?\))?)*)
    (?:,?\s+paragraph\s+\(?(?P<after>[0-9]+)\)?)?""",
    regex.VERBOSE,
)
_SIGN = regex.compile(rf"§\s*(?P<number>{_NUMBER})(?:\((?P<inner>[0-9]+)\))?")
_ONE = regex.compile(
    rf"(?:(?P<link>to|–|-)\s*+)?(?P<number>{_NUMBER})(?![\p{{L}}\p{{N}}])(?:\((?P<inner>[0-9]+[a-z]?)\))?"
)
_RISING = regex.compile(r"(?<![\w.-])([0-9]+)-([0-9]+)(?![\w.-])")
_HAN_PLACE = regex.compile(
    rf"""第\s*(?P<number>{_HAN_NUMBER})\s*(?P<word>条|條|章|节|節|编|編|篇|部分|步)
       (?:\s*第\s*(?P<inner>{_HAN_NUMBER})\s*(?P<part>款|项|項))?
    | (?P<word>表|图|圖)\s*(?P<number>[A-Z]?[0-9]+(?:[.-][0-9]+)*)
    | (?P<word>附)[录錄件]\s*(?P<number>[A-Z]|{_HAN_NUMBER})(?![A-Za-z0-9])
    | (?<![0-9.])(?P<number>[0-9]+(?:\.[0-9]+)+)\s*(?P<word>节|節)""",
    regex.VERBOSE,
)
_YEAR = regex.compile(r"(?<![\p{L}\p{N}.,$-])(?:FY\s?)?(?P<value>(?:19|20)[0-9]{2})(?![\p{N}%-]|[.,][0-9]|\p{Latin})")
_EDITION = regex.compile(
    r"""(?<![\p{Latin}\p{N}.,$€£-])(?i:(?P<said>version|release|edition)\s+)?
        (?P<value>[vV]?[0-9]{1,2}(?:\.[0-9]{1,3}){1,2}|[vV][0-9]{1,2}|(?(said)[0-9]{1,2}|(?!)))
        (?![\p{Latin}\p{N}%]|[.,][0-9]|\s*(?:%|percent|million|billion|thousand|[万亿元米秒]|\p{Latin}?W(?:h)?\b))
      | 第\s*(?P<value>[0-9]+)\s*版""",
    regex.VERBOSE,
)
_SAYING = (
    r"(?:say|said|tell|told|mention(?:ed)?|explain(?:ed)?|answer(?:ed)?|announced?|promised?|call(?:ed)?|give|gave)"
)
_ROLE = r"chief\s+(?:executive|financial|operating|technology)(?:\s+officer)?|C[EFOT]O|general\s+counsel"
_NAME = r"\p{Lu}[\p{L}'-]{1,40}+(?:\s\p{Lu}[\p{L}'-]{1,40}+)?"
_WHO = rf"(?:the\s+)?(?P<value>{_ROLE}|operator|agent|customer|{_NAME})"
_SPEAKER = regex.compile(
    rf"""\b(?:did|does)\s+{_WHO}\s+{_SAYING}\b | \baccording\s+to\s+{_WHO}
       | \b{_WHO}\s+(?:say|said|told|explained|mentioned|answered|announced|called)s?\b""",
    regex.VERBOSE,
)
_HAN_SPEAKER = regex.compile(
    r"(?P<value>客服|客户|工程师|工程師|主持人)(?:怎么|是怎么|如何|当时|又)?(?:说|答|回答|答复|解释|告诉)"
)
_ROLES = {"chief executive": "CEO", "chief financial": "CFO", "chief operating": "COO", "chief technology": "CTO"}
_RANGE = 20


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """What a question names: a kind of place, its number, year, edition or speaker, and where the question says so.

    ``inner`` is the number of a paragraph in it, as in "Article 17(2)" and 第二款, or in brackets that of a point,
    第二项. ``value`` is written as headings have it, but
    Chinese numbers as digits, so that 第九十三条 and 第93条 are one place.
    """

    kind: PlaceKind
    value: str
    span: Span
    inner: str | None = None


def find_places(question: str, language: Language = "en") -> tuple[NamedPlace, ...]:
    """The places that a question names, in the order in which it does, each once.

    >>> [(place.kind, place.value, place.inner) for place in find_places("Does Article 17(2) apply in fiscal 2024?")]
    [('article', '17', '2'), ('year', '2024', None)]
    >>> [(place.kind, place.value) for place in find_places("第九十三条规定了什么？", "zh")]
    [('article', '93')]

    "Articles 12-14" and "Articles 12 to 14" name all three. In the singular, and of tables and figures, 5-1 is one
    number, as "Table 5-1" is the first of chapter 5.

    Whether there is such a place nobody knows yet: that is looked up, and "Article 999" is found here as well. Of a
    long question the first ``LONGEST_QUESTION`` characters are read.

    Raises ``ValueError`` for what is no text, and for another language.
    """
    checks.text("question", question)
    checks.one_of("language", language, Language)
    question = question[:LONGEST_QUESTION]
    found = [*_numbered(question), *_speakers(question, _SPEAKER)]
    if language == "zh":
        found += [*_chinese(question), *_speakers(question, _HAN_SPEAKER)]
    taken = [place.span for place in found]
    for kind, pattern in (("edition", _EDITION), ("year", _YEAR)):
        for match in pattern.finditer(question):
            span = Span(*match.span())
            if not any(span.start < other.end and other.start < span.end for other in taken):
                taken.append(span)
                found.append(NamedPlace(cast("PlaceKind", kind), match["value"], span))
    distinct: dict[tuple[str, str, str | None], NamedPlace] = {}
    for place in sorted(found, key=lambda place: place.span):
        distinct.setdefault((place.kind, place.value, place.inner), place)
    return tuple(distinct.values())


def read_number(written: str) -> str:
    """A Chinese number as digits, ``九十三`` as ``93``; any other as it is, in capitals and with plain digits.

    >>> [read_number(written) for written in ("九十三", "一百零七", "二十", "１２", "iv", "3.2a")]
    ['93', '107', '20', '12', 'IV', '3.2A']

    Raises ``ValueError`` for what is no text.
    """
    checks.text("written", written)
    if not written or not all(sign in _HAN for sign in written):
        return written.translate({0xFF10 + digit: str(digit) for digit in range(10)}).upper()
    digits = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
    if not any(sign in "十百千" for sign in written):
        return "".join(str(digits[sign]) for sign in written).lstrip("0") or "0"
    total, digit = 0, 0
    for sign in written:
        if sign in digits:
            digit = digits[sign]
        else:
            total += max(digit, 1) * {"十": 10, "百": 100, "千": 1000}[sign]
            digit = 0
    return str(total + digit)


def _numbered(question: str) -> Iterator[NamedPlace]:
    for match in _HEADING.finditer(question):
        kind = _kind(match["word"])
        numbers = list(_ONE.finditer(_spaced(match["numbers"], kind, match["word"])))
        last = ""
        for one in numbers:
            number = read_number(one["number"])
            if one["link"] and last.isdigit() and number.isdigit() and int(last) < int(number) <= int(last) + _RANGE:
                for between in range(int(last) + 1, int(number)):
                    yield NamedPlace(kind, str(between), Span(*match.span()))
            only = (match["before"] or match["after"]) if len(numbers) == 1 else None
            yield NamedPlace(kind, number, Span(*match.span()), one["inner"] or only)
            last = number
    for match in _SIGN.finditer(question):
        yield NamedPlace("section", read_number(match["number"]), Span(*match.span()), match["inner"])


def _spaced(numbers: str, kind: PlaceKind, word: str) -> str:
    """A range with a plain hyphen, "Articles 12-14", so that it is not read as one number; tables are numbered so."""
    if kind in get_args(CaptionKind) or not word.lower().endswith("s"):
        return numbers
    return _RISING.sub(lambda two: " - ".join(two.groups()) if int(two[1]) < int(two[2]) else two[0], numbers)


def _chinese(question: str) -> Iterator[NamedPlace]:
    for match in _HAN_PLACE.finditer(question):
        kind = _HAN_WORDS[match["word"]]
        inner = read_number(match["inner"]) if match["inner"] else None
        if inner and match["part"] != "款":
            inner = f"({inner})"
        yield NamedPlace(kind, read_number(match["number"]), Span(*match.span()), inner)


def _speakers(question: str, pattern: regex.Pattern[str]) -> Iterator[NamedPlace]:
    for match in pattern.finditer(question):
        value = " ".join(match["value"].split())
        role = next((short for long, short in _ROLES.items() if value.lower().startswith(long)), value)
        yield NamedPlace("speaker", role, Span(*match.span("value")))


def _kind(word: str) -> PlaceKind:
    """The kind that a word means: "Articles", "Art", "Annexes", "appendices"."""
    plain = word.lower()
    said = next(kind for kind in NUMBERED if plain.startswith(kind) or kind.startswith(plain.rstrip("s")))
    return cast("PlaceKind", said)
