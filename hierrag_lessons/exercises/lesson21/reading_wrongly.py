"""Exercise 21.1, places read out of a question: the wrong answers, and what is said to each."""

from __future__ import annotations

import re

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson21.reading import WRITTEN, Named, cases, places, sign_by_sign


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
    return places(re.sub("[一二三四五六七八九十]", lambda sign: str(WRITTEN[sign[0]]), question))


def _no_one_before_ten(question: str) -> Named:
    """十二 is read as 2, for nothing stands before the ten."""
    return places(re.sub("第十(.?)条", lambda match: f"第{WRITTEN.get(match[1], 0)}条", question))


def _every_year(question: str) -> Named:
    return places(re.sub(r"(?<!fiscal )(?<!year )\b((?:19|20)\d\d)\b", r"fiscal \1", question))


def _inside_words(question: str) -> Named:
    return places(re.sub(r"\b(?:vege|p|non)(?=table|article|fiscal)", "", question))


READING = Exercise(
    id="21.1",
    title="Read the places out of a question",
    solution=places,
    oracle=sign_by_sign,
    cases=cases,
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
