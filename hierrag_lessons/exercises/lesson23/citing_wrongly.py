"""Exercise 23.1, a citation check that checks nothing: the wrong answers, and what is said to each."""

from __future__ import annotations

import re
from collections.abc import Callable

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson23.citing import Statements, cases, failing, only_the_number, sign_by_sign

Found = dict[int, str]


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+(?:[.,]\d+)*", text))


def _stands(quote: str, passage: str, gap: str = r"\s+", flags: int = re.IGNORECASE) -> bool:
    words = gap.join(map(re.escape, quote.split()))
    return re.search(rf"(?<!\w)(?<!\d[.,]){words}(?!\w)(?![.,]\d)", passage, flags) is not None


def _check(
    statements: Statements,
    passages: list[str],
    *,
    there: Callable[[int, int], bool] = lambda number, count: 1 <= number <= count,
    stands: Callable[[str, str], bool] = _stands,
    missing: Callable[[str, str, str], bool] = lambda text, quote, passage: bool(_numbers(text) - _numbers(quote)),
    asked: bool = True,
    anywhere: bool = False,
    stated: bool = False,
    last: bool = False,
    first: bool = False,
) -> Found:
    """The solution with one part exchanged, which is how the wrong answers below are made."""
    wrong: Found = {}
    for place, (text, number, quote) in enumerate(statements):
        known = there(number, len(passages))
        passage = passages[number - 1] if known else ""
        looked_up = text if stated else quote
        reasons = {
            "no such passage": not known,
            "no quote": asked and not quote.strip(),
            "quote not there": not any(stands(looked_up, each) for each in (passages if anywhere else [passage])),
            "number not in quote": missing(text, quote, passage),
        }
        holding = [reason for reason, holds in reasons.items() if holds]
        if holding:
            wrong[place] = holding[-1 if last else 0]
        if first and wrong:
            break
    return wrong


def _from_zero(statements: Statements, passages: list[str]) -> Found:
    return _check([(text, number + 1, quote) for text, number, quote in statements], passages)


def _zero_is_last(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, there=lambda number, count: 1 - count <= number <= count)


def _places_from_one(statements: Statements, passages: list[str]) -> Found:
    return {place + 1: reason for place, reason in failing(statements, passages).items()}


def _blank_is_fine(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, asked=False)


def _last_reason(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, last=True)


def _any_passage(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, anywhere=True)


def _statement_looked_up(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, stated=True)


def _exact_space(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, stands=lambda quote, passage: _stands(quote, " ".join(passage.split(" ")), " "))


def _no_space(statements: Statements, passages: list[str]) -> Found:
    def bare(text: str) -> str:
        return "".join(text.casefold().split())

    return _check(statements, passages, stands=lambda quote, passage: bare(quote) in bare(passage))


def _exact_case(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, stands=lambda quote, passage: _stands(quote, passage, flags=0))


def _cut_inside(statements: Statements, passages: list[str]) -> Found:
    def plain(text: str) -> str:
        return " ".join(text.casefold().split())

    return _check(statements, passages, stands=lambda quote, passage: plain(quote) in plain(passage))


def _bag_of_words(statements: Statements, passages: list[str]) -> Found:
    return _check(
        statements,
        passages,
        stands=lambda quote, passage: set(quote.casefold().split()) <= set(passage.casefold().split()),
    )


def _nearly_there(statements: Statements, passages: list[str]) -> Found:
    """Four words in five are enough."""

    def stands(quote: str, passage: str) -> bool:
        words, known = quote.casefold().split(), passage.casefold().split()
        return sum(word in known for word in words) >= 0.8 * len(words)

    return _check(statements, passages, stands=stands)


def _no_marks(statements: Statements, passages: list[str]) -> Found:
    def words(text: str) -> str:
        return " ".join(re.findall(r"\w+", text.casefold()))

    return _check(statements, passages, stands=lambda quote, passage: f" {words(quote)} " in f" {words(passage)} ")


def _no_numbers(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, missing=lambda *_: False)


def _inside_numbers(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, missing=lambda text, quote, _: any(n not in quote for n in _numbers(text)))


def _in_the_passage(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, missing=lambda text, _, passage: bool(_numbers(text) - _numbers(passage)))


def _other_way_round(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, missing=lambda text, quote, _: bool(_numbers(quote) - _numbers(text)))


def _read_as(number: Callable[[str], set[object]]) -> Callable[[str, str, str], bool]:
    return lambda text, quote, _: bool(number(text) - number(quote))


def _trailing_dots(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, missing=_read_as(lambda text: set(re.findall(r"\d[\d.,]*", text))))


def _digits_alone(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, missing=_read_as(lambda text: set(re.findall(r"\d+", text))))


def _no_separators(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, missing=_read_as(lambda text: {re.sub("[.,]", "", n) for n in _numbers(text)}))


def _as_floats(statements: Statements, passages: list[str]) -> Found:
    return _check(
        statements, passages, missing=_read_as(lambda text: {float(n.replace(",", "")) for n in _numbers(text)})
    )


def _first_alone(statements: Statements, passages: list[str]) -> Found:
    return _check(statements, passages, first=True)


MISTAKES = (
    Mistake(_from_zero, "Passages are numbered from 1: passage 1 is passages[0]."),
    Mistake(_zero_is_last, "Passage 0 does not exist, and passages[-1] is the last one. Ask for 1 <= number as well."),
    Mistake(_places_from_one, "The places in the list count from 0, as enumerate does. Passages count from 1."),
    Mistake(_blank_is_fine, "A blank quote stands in every text. Without a quote nothing can be checked: 'no quote'."),
    Mistake(_last_reason, "A later reason has replaced an earlier one. Return the first that applies: use elif."),
    Mistake(
        _any_passage, "The quote stands in another passage than the cited one. That is a citation of the wrong place."
    ),
    Mistake(
        _statement_looked_up, "You looked for the statement in the passage. It is the quote that must stand there."
    ),
    Mistake(_exact_space, "White space may differ: a line break of the passage is a blank in the quote."),
    Mistake(
        _no_space, "You removed all white space. It may differ, but 'small est' is not 'smallest': keep one blank."
    ),
    Mistake(_exact_case, "Capitals may differ: a quote from the middle of a sentence may begin with a capital."),
    Mistake(
        _cut_inside,
        "The quote begins or ends inside a word or a number: '1.8 million' in '31.8 million' is another number.",
    ),
    Mistake(_bag_of_words, "The words are there, in another order. A quote stands in the passage in one piece."),
    Mistake(_nearly_there, "Nearly there is not there: a quote with one word changed is how a model invents one."),
    Mistake(_no_marks, "A comma or a point is missing. White space and capitals may differ, and nothing else."),
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
    Mistake(_digits_alone, "The numbers fell apart: 39.1 became 39 and 1, so that 39 passes for it."),
    Mistake(
        _no_separators, "Without their points 31.8, 3.18 and 318 are the same. Compare numbers as they are written."
    ),
    Mistake(_as_floats, "You compared values. Here numbers count as they are written: 31.80 is not in the quote."),
    Mistake(_first_alone, "Only the first bad statement is returned. Look at all of them."),
)

CITING = Exercise(
    id="23.1",
    title="Find the bug: a citation check that checks nothing",
    solution=failing,
    oracle=sign_by_sign,
    cases=cases,
    start=only_the_number,
    hints=(
        "Four questions, one after the other: is there such a passage, is there a quote, is it in that passage, and "
        "does it hold the numbers of the statement?",
        r"r'\s+'.join(map(re.escape, quote.split())) matches the quote whatever white space the passage has. Put "
        r"(?<!\w)(?<!\d[.,]) in front of it and (?!\w)(?![.,]\d) behind it, and no word or number is cut.",
        r"re.findall(r'\d+(?:[.,]\d+)*', text) reads whole numbers. Compare them as sets: 1.8 is no part of 31.8.",
    ),
    mistakes=MISTAKES,
)
