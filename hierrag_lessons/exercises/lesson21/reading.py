"""Exercise 21.1, places read out of a question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

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
_WRITTEN = {
    (_SIGNS[tens - 1] if tens > 1 else "") + ("十" if tens else "") + (_SIGNS[ones - 1] if ones else ""): 10 * tens
    + ones
    for tens in range(10)
    for ones in range(10)
    if tens or ones
}
"""The numbers from 1 to 99 as they are written in Chinese."""


def _sign_by_sign(question: str) -> Named:
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
            if written in _WRITTEN or (written.isascii() and written.isdigit()):
                found.append(("article", str(_WRITTEN.get(written, written)), None))
    return found


def _digits(text: str, start: int) -> tuple[str, int]:
    """The digits from a place on, and where they end."""
    end = start
    while text[end : end + 1].isdigit():
        end += 1
    return text[start:end], end


_ASKED = ("What does {} say?", "Is {} in force?", "{}", "Who signed {}, and when?", "Compare {} with {}.", "{}; {}; {}")


def _cases(rng: Random) -> Iterator[tuple[str]]:
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
        return f"第{rng.choice((rng.choice(list(_WRITTEN)), number))}条"
    return rng.choice(
        (
            f"{rng.choice(('Article', 'article'))} {number}{rng.choice(('', '', 'a', '(2)', '(13)'))}",
            f"{rng.choice(('Table', 'table'))} {number}{rng.choice(('', 'b'))}",
            f"fiscal {rng.choice(('', 'year '))}{rng.randrange(2015, 2030)}",
            f"{rng.randrange(1990, 2030)} meters",
            f"the particle {number}",
        )
    )


def _no_paragraph(question: str) -> Named:
    return [(kind, number, None) for kind, number, _ in places(question)]


def _no_letter(question: str) -> Named:
    return [(kind, number.rstrip("ab"), paragraph) for kind, number, paragraph in places(question)]


def _whole_numbers(question: str) -> list[tuple[str, object, str | None]]:
    return [(kind, int(number) if number.isdigit() else number, inner) for kind, number, inner in places(question)]


def _empty_paragraph(question: str) -> Named:
    return [(kind, number, inner or "") for kind, number, inner in places(question)]


def _capital_letter(question: str) -> Named:
    written = dict.fromkeys(re.findall(r"\b\d+[A-Z]\b", question))
    return [(kind, next((w for w in written if w.lower() == n), n), inner) for kind, n, inner in places(question)]


def _table_paragraph(question: str) -> Named:
    inner = iter(re.findall(r"(?i)\btable \d+[a-z]?\b(?:\((\d+)\))?", question))
    return [(kind, n, (next(inner) or None) if kind == "table" else i) for kind, n, i in places(question)]


def _open_ended(question: str) -> Named:
    """Nothing is asked of what follows a number."""
    cut = re.sub(r"(?i)\b((?:article|table) \d++[a-z]?+)\w+", r"\1", question)
    return places(re.sub(r"(?i)\b(fiscal (?:year )?\d{4})\w+", r"\1", cut))


def _form_by_form(question: str) -> Named:
    """A pass for Articles and tables, a pass for years, and one for the Chinese form."""
    english = places(re.sub("第.*?条", ";", question))
    chinese = places(" ".join(re.findall("第(?:[0-9]+|[一二三四五六七八九十]+)条", question)))
    return [*sorted(english, key=lambda place: place[0] == "year"), *chinese]


def _english_then_chinese(question: str) -> Named:
    english = places(re.sub("第.*?条", ";", question))
    return [*english, *places(" ".join(re.findall("第(?:[0-9]+|[一二三四五六七八九十]+)条", question)))]


def _tens_lost(question: str) -> Named:
    """二十 is read as 2, for nothing stands behind the ten."""
    return places(re.sub("第([二三四五六七八九])十条", r"第\1条", question))


def _any_signs(question: str) -> Named:
    r"""第(\S+?)条 begins at the first 第, whatever stands behind it."""
    return places(re.sub(r"第三方\S*?条", "", question))


def _capitals_only(question: str) -> Named:
    return places(re.sub(r"\b(?:article|ARTICLE|table|TABLE)\b", "it", question))


def _small_letters_only(question: str) -> Named:
    return places(re.sub(r"\b(?:Article|ARTICLE|Table|TABLE)\b", "it", question))


def _inside_nonfiscal(question: str) -> Named:
    return places(question.replace("nonfiscal", "fiscal"))


def _by_kind(question: str) -> Named:
    return sorted(places(question), key=lambda place: place[0])


def _signs_one_by_one(question: str) -> Named:
    return places(re.sub("[一二三四五六七八九十]", lambda sign: str(_WRITTEN[sign[0]]), question))


def _no_one_before_ten(question: str) -> Named:
    """十二 is read as 2, for nothing stands before the ten."""
    return places(re.sub("第十(.?)条", lambda match: f"第{_WRITTEN.get(match[1], 0)}条", question))


def _every_year(question: str) -> Named:
    return places(re.sub(r"(?<!fiscal )(?<!year )\b((?:19|20)\d\d)\b", r"fiscal \1", question))


def _inside_words(question: str) -> Named:
    return places(re.sub(r"\b(?:vege|p|non)(?=table|article|fiscal)", "", question))


READING = Exercise(
    id="21.1",
    title="Read the places out of a question",
    solution=places,
    oracle=_sign_by_sign,
    cases=_cases,
    hints=(
        "One regular expression with | between the forms finds them in the order in which they stand: re.finditer.",
        r"\b in front keeps 'particle 3' out, \b behind the number keeps 'Article 12th' and 'fiscal 20245' out.",
        "Chinese: '九十三'.partition('十') gives '九', '十', '三'. Where nothing stands before the ten it is one ten.",
    ),
    mistakes=(
        Mistake(_no_paragraph, "The paragraph is lost: Article 17(2) has one, '2'."),
        Mistake(_no_letter, "Article 4a is another Article than 4. The letter belongs to the number."),
        Mistake(
            _capitals_only, "Users write article 12 and ARTICLE 12, too. Ignore the case, and return small letters."
        ),
        Mistake(_whole_numbers, "The numbers are ints. They are text: '12', as '4a' is."),
        Mistake(_empty_paragraph, "Where there is no paragraph it is None, not ''."),
        Mistake(_capital_letter, "Article 4A is ('article', '4a', None): the letter of a number is small, too."),
        Mistake(_table_paragraph, "A table has no paragraphs: 'table 3(2)' is ('table', '3', None)."),
        Mistake(_open_ended, "The number has to end there: 'fiscal 20245' is no year, 'Article 12th' no Article 12t."),
        Mistake(
            _form_by_form,
            "A pass for each form gives the places form by form. One expression with | between the forms keeps the "
            "order in which they stand.",
        ),
        Mistake(
            _english_then_chinese,
            "Two passes give the Chinese places behind all others. Put that form into the same expression, with |.",
        ),
        Mistake(_by_kind, "The places are not in the order in which the question names them."),
        Mistake(
            _signs_one_by_one,
            "The Chinese signs are read one by one, so 九十三 becomes 9103. 十 multiplies: 9 · 10 + 3.",
        ),
        Mistake(_tens_lost, "二十 is 20, not 2: where nothing stands behind the ten, there are no ones."),
        Mistake(
            _any_signs,
            "第三方 is 'third party'. Between 第 and 条 let only digits and number signs stand, or it swallows the 第 "
            "of the next Article.",
        ),
        Mistake(_no_one_before_ten, "十二 is 12: where nothing stands before the ten, it is one ten."),
        Mistake(_every_year, "A number of four digits is a year only behind 'fiscal'. Here 2024 meters became a year."),
        Mistake(_small_letters_only, "Articles are written with a capital, too. Ignore the case: re.IGNORECASE."),
        Mistake(_inside_nonfiscal, "'nonfiscal 2024' is not 'fiscal 2024'. This form has to begin with \\b, too."),
        Mistake(_inside_words, "'particle 3' is no Article. The word has to begin there: \\b."),
    ),
)
