"""Exercise 21.1, places read out of a question: the solution, another to check it, and the cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

Named = list[tuple[str, str, str | None]]


def places(question: str) -> list[tuple[str, str, str | None]]:
    """What a question names, in the order in which it does: kind, number, and paragraph or None.

    >>> places("Does article 17(2) apply to table 3b in fiscal year 2024?")
    [('article', '17', '2'), ('table', '3b', None), ('year', '2024', None)]
    >>> places("第九十三条和第12条")
    [('article', '93', None), ('article', '12', None)]
    """
    forms = (
        r"\b(article|table) (\d+[a-z]?)\b(?:\((\d+)\))?|\bfiscal (?:year )?(\d{4})\b|第(\d+|[一二三四五六七八九十]+)条"
    )
    found: list[tuple[str, str, str | None]] = []
    for match in re.finditer(forms, question, re.IGNORECASE):
        kind, number, paragraph, year, chinese = match.groups()
        if kind:
            found.append((kind.lower(), number.lower(), paragraph if kind.lower() == "article" else None))
        elif year:
            found.append(("year", year, None))
        elif chinese.isdigit():
            found.append(("article", chinese, None))
        else:
            tens, ten, ones = chinese.partition("十")
            first, second = ("一二三四五六七八九".find(sign) + 1 if sign else 0 for sign in (tens, ones))
            found.append(("article", str(10 * (first or 1) + second if ten else first), None))
    return found


_SIGNS = "一二三四五六七八九"
WRITTEN = {
    (_SIGNS[tens - 1] if tens > 1 else "") + ("十" if tens else "") + (_SIGNS[ones - 1] if ones else ""): 10 * tens
    + ones
    for tens in range(10)
    for ones in range(10)
    if tens or ones
}
"""The numbers from 1 to 99 as they are written in Chinese."""


def sign_by_sign(question: str) -> Named:
    """Oracle: at every sign of the question each form is tried, letter by letter."""
    found: Named = []
    small = question.lower()
    for start in range(len(small)):
        if start and small[start - 1].isalnum() and small[start] != "第":
            continue
        for word, kind in (("article ", "article"), ("table ", "table"), ("fiscal ", "year"), ("fiscal year ", "year")):
            if small.startswith(word, start):
                at = start + len(word)
                number, at = _digits(small, at)
                if kind != "year" and small[at : at + 1].isalpha():
                    number, at = number + small[at], at + 1
                ends = not small[at : at + 1].isalnum()
                if not number[:1].isdigit() or not ends or (kind == "year" and len(number) != 4):
                    continue
                inner, close = _digits(small, at + 1)
                bracketed = kind == "article" and inner and small[at] == "(" and small[close : close + 1] == ")"
                found.append((kind, number, inner if bracketed else None))
        if small[start] == "第" and "条" in small[start:]:
            written = small[start + 1 : small.index("条", start)]
            if written in WRITTEN or (written.isascii() and written.isdigit()):
                found.append(("article", str(WRITTEN.get(written, written)), None))
    return found


def _digits(text: str, start: int) -> tuple[str, int]:
    """The digits from a place on, and where they end."""
    end = start
    while text[end : end + 1].isdigit():
        end += 1
    return text[start:end], end


_ASKED = ("What does {} say?", "Is {} in force?", "{}", "Who signed {}, and when?", "Compare {} with {}.", "{}; {}; {}")


def cases(rng: Random) -> Iterator[tuple[str]]:
    """By hand what is easily missed, then many at random."""
    yield ("",)
    yield ("What does Article 12 say?",)
    yield ("does ARTICLE 17(2) apply?",)
    yield ("table 3 of Article 4a",)
    yield ("What changed in fiscal 2024, and what in fiscal year 2025?",)
    yield ("The particle 3 of the vegetable 4, 2024 meters",)
    yield ("Article 4A and TABLE 3B",)
    yield ("table 3(2)",)
    yield ("The Article 12th in line, fiscal 20245",)
    yield ("Article 5000ab, nonfiscal 2024",)
    yield ("Article of table, fiscal policy",)
    for turn in range(40):
        asked = rng.choice(_ASKED)
        yield (asked.format(*(_place(rng, chinese=turn >= 20) for _ in range(asked.count("{}")))),)
        if turn == 19:  # what can be shown in English has been shown
            yield ("第九十三条和第93条",)
            yield ("第十二条、第二十条、第十条、第七条",)
            yield ("第十五条",)
            yield ("第三方按第五条",)


def _place(rng: Random, chinese: bool) -> str:
    number = rng.randrange(1, 100)
    if chinese and rng.random() < 0.4:
        return f"第{rng.choice((rng.choice(list(WRITTEN)), number))}条"
    return rng.choice(
        (
            f"{rng.choice(('Article', 'article'))} {number}{rng.choice(('', '', 'a', '(2)', '(13)'))}",
            f"{rng.choice(('Table', 'table'))} {number}{rng.choice(('', 'b'))}",
            f"fiscal {rng.choice(('', 'year '))}{rng.randrange(2015, 2030)}",
            f"{rng.randrange(1990, 2030)} meters",
            f"the particle {number}",
        )
    )
