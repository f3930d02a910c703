"""Exercise 23.1, a citation check that checks nothing: wrong answers about the numbers, and what is said to each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from hierrag_lessons.exercises.exercise import Mistake
from hierrag_lessons.exercises.lesson23.citing import Statements
from hierrag_lessons.exercises.lesson23.citing_parts import Found, check_with, numbers_of


def _no_numbers(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, missing=lambda *_: False)


def _inside_numbers(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements, passages, missing=lambda text, quote, _: any(n not in quote for n in numbers_of(text))
    )


def _in_the_passage(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements, passages, missing=lambda text, _, passage: bool(numbers_of(text) - numbers_of(passage))
    )


def _other_way_round(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, missing=lambda text, quote, _: bool(numbers_of(quote) - numbers_of(text)))


def _read_as(number: Callable[[str], set[object]]) -> Callable[[str, str, str], bool]:
    return lambda text, quote, _: bool(number(text) - number(quote))


def _trailing_dots(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, missing=_read_as(lambda text: set(re.findall(r"\d[\d.,]*", text))))


def _digits_alone(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, missing=_read_as(lambda text: set(re.findall(r"\d+", text))))


def _no_separators(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements, passages, missing=_read_as(lambda text: {re.sub("[.,]", "", n) for n in numbers_of(text)})
    )


def _as_floats(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements, passages, missing=_read_as(lambda text: {float(n.replace(",", "")) for n in numbers_of(text)})
    )


def _signs_of_numbers(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, missing=_read_as(lambda text: set(re.findall(r"[\d.,]+", text))))


def _dollars_alone(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, missing=_read_as(lambda text: set(re.findall(r"\$\d+(?:[.,]\d+)*", text))))


def _first_number(statements: Statements, passages: list[str]) -> Found:
    def missing(text: str, quote: str, _: str) -> bool:
        first = re.search(r"\d+(?:[.,]\d+)*", text)
        return first is not None and first.group() not in numbers_of(quote)

    return check_with(statements, passages, missing=missing)


def _one_is_enough(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements,
        passages,
        missing=lambda text, quote, _: bool(numbers_of(text)) and not numbers_of(text) & numbers_of(quote),
    )


def _counted(statements: Statements, passages: list[str]) -> Found:
    def missing(text: str, quote: str, _: str) -> bool:
        said, there = (Counter(re.findall(r"\d+(?:[.,]\d+)*", each)) for each in (text, quote))
        return bool(said - there)

    return check_with(statements, passages, missing=missing)


def _one_separator(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, missing=_read_as(lambda text: set(re.findall(r"\d+(?:[.,]\d+)?", text))))


def _no_commas(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements, passages, missing=_read_as(lambda text: {n.replace(",", "") for n in numbers_of(text)})
    )


def _with_percent(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, missing=_read_as(lambda text: set(re.findall(r"\d+(?:[.,]\d+)*%?", text))))


def _no_letter_before(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements, passages, missing=_read_as(lambda text: set(re.findall(r"(?<!\w)\d+(?:[.,]\d+)*", text)))
    )


NUMBER_MISTAKES = (
    Mistake(_no_numbers, "The quote is there, but the statement has a number that the quote does not have."),
    Mistake(_inside_numbers, "'1.8' stands in '31.8' as text, and is another number. Compare whole numbers."),
    Mistake(
        _in_the_passage,
        "The number stands elsewhere in the passage. It has to stand in the quote, which is what is cited.",
    ),
    Mistake(
        _other_way_round,
        "The other way round: the statement's numbers have to be in the quote. A quote may have more of them.",
    ),
    Mistake(_trailing_dots, "A full stop or a comma behind a number is no part of it: '2025,' is 2025."),
    Mistake(_signs_of_numbers, "A full stop alone is read as a number. A number begins and ends with a digit."),
    Mistake(_dollars_alone, "Only amounts in dollars are compared. A year or a count is a number as well."),
    Mistake(_first_number, "Only the first number is compared. Look at all numbers of the statement."),
    Mistake(_one_is_enough, "One number in common is not enough: each number of the statement has to be in the quote."),
    Mistake(
        _counted, "You count how often a number comes. A statement may repeat one that the quote has once: use sets."
    ),
    Mistake(_digits_alone, "The numbers fell apart: 39.1 became 39 and 1, so that 39 passes for it."),
    Mistake(
        _no_separators, "Without their points 31.8, 3.18 and 318 are the same. Compare numbers as they are written."
    ),
    Mistake(_as_floats, "You compared values. Here numbers count as they are written: 31.80 is not in the quote."),
    Mistake(
        _one_separator,
        "A number may have more than one point or comma: '1,234.50' is one number, and not '1,234' with a rest.",
    ),
    Mistake(
        _no_commas, "Without its comma 11,500 passes for 11500. Here numbers count as they are written: leave it in."
    ),
    Mistake(_with_percent, "The % is no part of a number: 46.0 stands in the quote '46.0%'."),
    Mistake(
        _no_letter_before,
        "A run of digits is a number behind a letter as well: the 3 of 'Q3' is not in the quote 'Q4 rose'.",
    ),
)
