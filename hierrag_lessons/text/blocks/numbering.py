"""Headings known by their number alone: ``Item 1A. Risk Factors``, ``3.2.1 Scope``, ``第三条``, ``一、总则``.

Lesson 07 uses it.
"""

from __future__ import annotations

from typing import NamedTuple

import regex

# From the outermost to the innermost. Below every "#" of Markdown, of which there are six.
_WORDS = (
    ("part", "book", "annex", "appendix", "schedule", "编", "編", "篇", "部分"),
    ("title", "item"),
    ("chapter", "章"),
    ("section", "节", "節"),
    ("article", "条", "條"),
)
_RANKS = {word: rank for rank, words in enumerate(_WORDS, start=7) for word in words}
_ENUMERATED = 12  # 一、 and one deeper （一）
_DECIMAL = 13  # 3. and one deeper 3.2

_MAX_LATIN, _MAX_HAN = 100, 40  # What is longer is a sentence, whatever it begins with.
_HAN_NUMBER = "[〇零一二两三四五六七八九十百千0-9０-９]+"

_LABEL = regex.compile(
    rf"""
    (?P<word>(?=[A-Z])(?i:{"|".join(word for words in _WORDS for word in words if word.isascii())}))
    \s+ (?: [0-9]+ (?:\.[0-9]+)* [A-Za-z]? | [IVXLCDM]+ | [A-Z] ) (?P<mark>\s*[.:—–-])? (?:\s+(?P<title>\S.*))?
    """,
    regex.VERBOSE,
)
_DIGITS = regex.compile(r"(?P<number>[0-9]{1,3}(?:\.[0-9]{1,3})+\.?|[0-9]{1,3}\.)\s+(?P<title>[\p{Lu}\p{Han}].*)")
_HAN_LABEL = regex.compile(rf"第{_HAN_NUMBER}(?P<word>编|編|篇|部分|章|节|節)(?:\s*[:：])?\s*(?P<title>.*)")
_HAN_ANNEX = regex.compile(rf"附[录錄件][ ]*(?:[A-Z]|{_HAN_NUMBER})(?![A-Za-z0-9])[:：]?\s*(?P<title>.*)")
_HAN_ITEM = regex.compile(
    r"(?:[一二三四五六七八九十]{1,3}、|(?P<deep>[（(][一二三四五六七八九十]{1,3}[)）]))\s*(?P<title>\S.*)"
)
_BOLD = regex.compile(r"(\*\*|__)(?=\S)(?P<text>.+?)\1")
# An article of a Chinese law: its text mostly follows in the same line, after a space.
_ARTICLE = regex.compile(
    rf"\s*(?P<bold>\*\*|__)?(?P<label>第{_HAN_NUMBER}[条條](?:之{_HAN_NUMBER})?(?:\s*【[^】]{{1,40}}】|（[^）]{{1,40}}）)?)"
    r"(?(bold)(?P=bold))(?=[\s:：]|$)[:：]?(?P<rest>.*)",
    regex.DOTALL,
)
# The number that a title begins with; in a Markdown heading one with no mark behind it is a number, too.
_NUMBER = regex.compile(
    rf"""
    (?: (?=[A-Z])(?i:{"|".join(word for words in _WORDS for word in words if word.isascii())}) \s+
        (?P<number> [0-9]+ (?:\.[0-9]+)* [A-Za-z]? | [IVXLCDM]+ | [A-Z] )
      | §\s* (?P<number> [0-9]+ (?:\.[0-9]+)* [a-z]? )
      | (?P<number> [0-9]{{1,3}} (?:\.[0-9]{{1,3}})* ) \.?
      | (?P<number> [A-Z] (?:\.[0-9]{{1,3}})+ )
    ) (?![\p{{L}}\p{{N}}%]|\.[0-9])
    | 第(?P<number>{_HAN_NUMBER})(?:编|編|篇|部分|章|节|節|条|條)
    | 附[录錄件][ ]*(?P<number>[A-Z]|{_HAN_NUMBER})
    | (?P<number>[一二三四五六七八九十]{{1,3}})、
    | [（(](?P<number>[一二三四五六七八九十]{{1,3}})[)）]
    """,
    regex.VERBOSE,
)
_LONGEST = 2 * _MAX_LATIN  # of a whole line, with its label and marks of bold print
_SENTENCE_END = regex.compile(r"[.;:,!?…。；：，、！？][\"'”’」』)）]*$")
_SENTENCE_INSIDE = regex.compile(r"[.!?;]\s|[。！？；]")


class Numbered(NamedTuple):
    """A numbered heading: its rank (a lower one stands above), its title, and how much of the line it takes."""

    rank: int
    title: str
    length: int


def numbered_heading(line: str) -> Numbered | None:
    """Read a line of text as a numbered heading; None where it is none.

    A heading has a number and no sentence behind it: ``Article 12 Scope`` is one, ``Article 12 applies to producers.``
    and ``3.5 million`` are not. The line may be bold (``**Item 1A.**``). An article of a Chinese law runs into its
    text: of ``第三条　本制度所称…`` only ``第三条`` is the heading.
    """
    if article := _ARTICLE.match(line):
        title, rest = article["label"], article["rest"].strip()
        if _is_title(rest, _MAX_HAN):
            return Numbered(_RANKS["条"], f"{title} {rest}".strip(), len(line))
        return Numbered(_RANKS["条"], title, article.start("rest"))
    text = line.strip()
    if len(text) > _LONGEST:
        return None
    text = _BOLD.sub(lambda bold: bold["text"], text)
    rank = _rank(text)
    return None if rank is None else Numbered(rank, text, len(line))


def section_number(title: str) -> str | None:
    """The number that a heading begins with, as it is written there; None where it begins with none.

    >>> [section_number(title) for title in ("3.2.1 Scope", "Item 1A. Risk Factors", "第三条 报销", "Scope")]
    ['3.2.1', '1A', '三', None]
    """
    found = _NUMBER.match(_BOLD.sub(lambda bold: bold["text"], title.strip()))
    return found["number"] if found else None


def _rank(text: str) -> int | None:
    if label := _LABEL.fullmatch(text):
        title = label["title"] or ""
        if label["mark"]:  # "Item 1A. Risk Factors." often has its full stop.
            fits = len(title) <= _MAX_LATIN and not _SENTENCE_INSIDE.search(title)
        else:
            fits = _is_title(title, _MAX_LATIN) and not title[:1].islower()
        return _RANKS[label["word"].lower()] if fits else None
    if (digits := _DIGITS.fullmatch(text)) and _is_title(digits["title"], _MAX_LATIN):
        return _DECIMAL + digits["number"].rstrip(".").count(".")
    if (label := _HAN_LABEL.fullmatch(text)) and _is_title(label["title"], _MAX_HAN):
        return _RANKS[label["word"]]
    if (annex := _HAN_ANNEX.fullmatch(text)) and _is_title(annex["title"], _MAX_HAN):
        return _RANKS["annex"]
    if (item := _HAN_ITEM.fullmatch(text)) and _is_title(item["title"], _MAX_HAN):
        return _ENUMERATED + (item["deep"] is not None)
    return None


def _is_title(text: str, longest: int) -> bool:
    return len(text) <= longest and not _SENTENCE_END.search(text) and not _SENTENCE_INSIDE.search(text)
