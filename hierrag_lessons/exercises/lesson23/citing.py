"""Exercise 23.1, a citation check that checks nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Statements = list[tuple[str, int, str]]


def failing(statements: list[tuple[str, int, str]], passages: list[str]) -> dict[int, str]:
    """The statements whose citation does not hold: place in the list, and the first reason that applies.

    A statement is (text, number of the cited passage, quote). Passages are numbered from 1.
    """

    def plain(text: str) -> str:
        return " ".join(text.casefold().split())

    def numbers(text: str) -> set[str]:
        return set(re.findall(r"\d+(?:[.,]\d+)*", text))

    wrong: dict[int, str] = {}
    for place, (text, number, quote) in enumerate(statements):
        if not 1 <= number <= len(passages):
            wrong[place] = "no such passage"
        elif not quote.strip():
            wrong[place] = "no quote"
        elif plain(quote) not in plain(passages[number - 1]):
            wrong[place] = "quote not there"
        elif numbers(text) - numbers(quote):
            wrong[place] = "number not in quote"
    return wrong


def only_the_number(statements: list[tuple[str, int, str]], passages: list[str]) -> dict[int, str]:
    """The statements whose citation does not hold: place in the list, and the first reason that applies.

    A statement is (text, number of the cited passage, quote). Passages are numbered from 1.
    """
    wrong: dict[int, str] = {}
    for place, (_text, number, _quote) in enumerate(statements):
        if number > len(passages):
            wrong[place] = "no such passage"
    return wrong


def _sign_by_sign(statements: Statements, passages: list[str]) -> dict[int, str]:
    """Oracle: words are compared at every place of the passage, and numbers are read sign by sign."""

    def numbers_of(text: str) -> list[str]:
        found, at = [], 0
        while at < len(text):
            start = at
            while at < len(text) and (
                text[at].isdigit()
                or (at > start and text[at] in ".," and text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit())
            ):
                at += 1
            if at > start:
                found.append(text[start:at])
            else:
                at += 1
        return found

    wrong = {}
    for place, (text, number, quote) in enumerate(statements):
        cited = dict(enumerate(passages, start=1)).get(number)
        words = [sign for word in quote.lower().split() for sign in (*word, " ")][:-1]
        shown = [sign for word in (cited or "").lower().split() for sign in (*word, " ")][:-1]
        if cited is None:
            wrong[place] = "no such passage"
        elif not words:
            wrong[place] = "no quote"
        elif not any(shown[at : at + len(words)] == words for at in range(len(shown))):
            wrong[place] = "quote not there"
        elif any(value not in numbers_of(quote) for value in numbers_of(text)):
            wrong[place] = "number not in quote"
    return wrong


_PASSAGES = [
    "Spending on Kestrel was $52.6 million in fiscal 2025.\nA pilot of 11,500 meters began in June 2025.",
    "We spent $31.8 million on Bastion in fiscal 2025, the smallest\n  of the named budgets.",
    "Heron cost $39.1 million in fiscal 2025. Two field trials ended in August 2025.",
]


def _cases(rng: Random) -> Iterator[tuple[Statements, list[str]]]:
    yield [], _PASSAGES
    yield [("Kestrel cost $52.6 million.", 1, "Spending on Kestrel was $52.6 million")], _PASSAGES
    yield [("Nobody knows.", 4, "Nobody knows")], _PASSAGES
    yield [("Heron cost $39.1 million.", 0, "Heron cost $39.1 million")], _PASSAGES
    yield [("Bastion was cheap.", 2, "")], _PASSAGES
    yield [("Bastion was cheap.", 2, " \n")], _PASSAGES
    yield [("Bastion made money.", 2, "Bastion made a profit")], _PASSAGES
    yield [("Heron cost $39.1 million.", 2, "Heron cost $39.1 million")], _PASSAGES
    yield [("Bastion is the smallest of all.", 2, "the smallest of the named budgets")], _PASSAGES
    yield [("Bastion cost $31.8 million.", 2, "we spent $31.8 million on Bastion")], _PASSAGES
    yield [("Bastion cost $38.1 million.", 2, "We spent $31.8 million on Bastion")], _PASSAGES
    yield [("Bastion cost $1.8 million.", 2, "We spent $31.8 million on Bastion")], _PASSAGES
    yield [("Heron cost $39 million.", 3, "Heron cost $39.1 million")], _PASSAGES
    yield [("Kestrel cost $52.6 million in 2025.", 1, "Spending on Kestrel was $52.6 million")], _PASSAGES
    yield [("In fiscal 2025, Heron cost $39.1 million.", 3, "Heron cost $39.1 million in fiscal 2025")], _PASSAGES
    yield [("The trials ended in August 2025.", 3, "Two field trials ended in August 2025")], _PASSAGES
    yield [("The pilot has 11,500 meters.", 1, "A pilot of 11,500 meters")], _PASSAGES
    yield [("The pilot has 500 meters.", 1, "A pilot of 11,500 meters")], _PASSAGES
    yield [("Kestrel cost $52.6 million.", 7, ""), ("Bastion fell.", 2, "Bastion fell")], _PASSAGES
    for _ in range(40):
        yield [_statement(rng) for _ in range(rng.randrange(1, 5))], _PASSAGES[: rng.randrange(1, 4)]


def _statement(rng: Random) -> tuple[str, int, str]:
    passage = rng.randrange(3)
    words = _PASSAGES[passage].split()
    start = rng.randrange(len(words) - 4)
    quote = " ".join(words[start : start + rng.randrange(2, 8)])
    text = rng.choice(
        ("It rose.", "In 2025, it rose.", "It cost $31.8 million.", "It was $39.1 million in 2025.", quote.upper())
    )
    return (
        text,
        rng.choice((passage + 1, passage + 1, passage + 1, rng.randrange(-1, 6))),
        rng.choice((quote, quote, "")),
    )


def _check(
    statements: Statements,
    passages: list[str],
    *,
    there: Callable[[int, int], bool] = lambda number, count: 1 <= number <= count,
    plain: Callable[[str], str] = lambda text: " ".join(text.casefold().split()),
    numbers: Callable[[str], set[str]] = lambda text: set(re.findall(r"\d+(?:[.,]\d+)*", text)),
    asked: bool = True,
    anywhere: bool = False,
    beside: bool = False,
    inside: bool = False,
    first: bool = False,
) -> dict[int, str]:
    """The solution with one part exchanged, which is how the wrong answers below are made."""
    wrong: dict[int, str] = {}
    for place, (text, number, quote) in enumerate(statements):
        if not there(number, len(passages)):
            wrong[place] = "no such passage"
        elif asked and not quote.strip():
            wrong[place] = "no quote"
        elif not any(plain(quote) in plain(p) for p in (passages if anywhere else [passages[number - 1]])):
            wrong[place] = "quote not there"
        elif inside:
            wrong |= {place: "number not in quote"} if any(n not in quote for n in numbers(text)) else {}
        elif numbers(text) - numbers(passages[number - 1] if beside else quote):
            wrong[place] = "number not in quote"
        if first and wrong:
            break
    return wrong


def _from_zero(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check([(text, number + 1, quote) for text, number, quote in statements], passages)


def _zero_is_last(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, there=lambda number, count: 1 - count <= number <= count)


def _blank_is_fine(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, asked=False)


def _any_passage(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, anywhere=True)


def _exact_space(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, plain=str.casefold)


def _exact_case(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, plain=lambda text: " ".join(text.split()))


def _no_numbers(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, numbers=lambda _: set())


def _inside_numbers(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, inside=True)


def _in_the_passage(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, beside=True)


def _trailing_dots(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, numbers=lambda text: set(re.findall(r"\d[\d.,]*", text)))


def _digits_alone(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, numbers=lambda text: set(re.findall(r"\d+", text)))


def _first_alone(statements: Statements, passages: list[str]) -> dict[int, str]:
    return _check(statements, passages, first=True)


CITING = Exercise(
    id="23.1",
    title="Find the bug: a citation check that checks nothing",
    solution=failing,
    oracle=_sign_by_sign,
    cases=_cases,
    start=only_the_number,
    hints=(
        "Four questions, one after the other: is there such a passage, is there a quote, is it in that passage, and "
        "does it hold the numbers of the statement?",
        "Compare quote and passage after ' '.join(text.casefold().split()): a line break is no other word.",
        r"re.findall(r'\d+(?:[.,]\d+)*', text) reads whole numbers. Compare them as sets: 1.8 is no part of 31.8.",
    ),
    mistakes=(
        Mistake(_from_zero, "Passages are numbered from 1: passage 1 is passages[0]."),
        Mistake(
            _zero_is_last, "Passage 0 does not exist, and passages[-1] is the last one. Ask for 1 <= number as well."
        ),
        Mistake(
            _blank_is_fine, "A blank quote stands in every text. Without a quote nothing can be checked: 'no quote'."
        ),
        Mistake(
            _any_passage,
            "The quote stands in another passage than the cited one. That is a citation of the wrong place.",
        ),
        Mistake(_exact_space, "White space may differ: a line break of the passage is a blank in the quote."),
        Mistake(_exact_case, "Capitals may differ: a quote from the middle of a sentence may begin with a capital."),
        Mistake(_no_numbers, "The quote is there, but the statement has a number that the quote does not have."),
        Mistake(_inside_numbers, "'1.8' stands in '31.8' as text, and is another number. Compare whole numbers."),
        Mistake(
            _in_the_passage,
            "The number stands elsewhere in the passage. It has to stand in the quote, which is what is cited.",
        ),
        Mistake(_trailing_dots, "A full stop or a comma behind a number is no part of it: '2025,' is 2025."),
        Mistake(_digits_alone, "The numbers fell apart: 39.1 became 39 and 1, so that 39 passes for it."),
        Mistake(_first_alone, "Only the first bad statement is returned. Look at all of them."),
    ),
)
