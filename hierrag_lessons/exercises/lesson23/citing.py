"""Exercise 23.1, a citation check that checks nothing: what is asked, and the cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

Statements = list[tuple[str, int, str]]


def failing(statements: list[tuple[str, int, str]], passages: list[str]) -> dict[int, str]:
    """The statements whose citation does not hold: place in the list, and the first reason that applies.

    A statement is (text, number of the cited passage, quote). Passages are numbered from 1.
    """

    def stands(quote: str, passage: str) -> bool:
        words = r"\s+".join(map(re.escape, quote.split()))
        return re.search(rf"(?<!\w)(?<!\d[.,]){words}(?!\w)(?![.,]\d)", passage, re.IGNORECASE) is not None

    def numbers(text: str) -> set[str]:
        return set(re.findall(r"\d+(?:[.,]\d+)*", text))

    wrong: dict[int, str] = {}
    for place, (text, number, quote) in enumerate(statements):
        if not 1 <= number <= len(passages):
            wrong[place] = "no such passage"
        elif not quote.strip():
            wrong[place] = "no quote"
        elif not stands(quote, passages[number - 1]):
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


def _inside(signs: list[str], at: int) -> bool:
    """Whether a place lies in a word or a number."""
    before, after = signs[max(0, at - 2) : at], signs[at : at + 2]
    if not before or not after:
        return False
    if before[-1].isalnum() and after[0].isalnum():
        return True
    separated = [before[-1], *after] if after[0] in ".," else [*before, after[0]]
    return len(separated) == 3 and separated[1] in ".," and separated[0].isdigit() and separated[2].isdigit()


def sign_by_sign(statements: Statements, passages: list[str]) -> dict[int, str]:
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
        elif not any(
            shown[at : at + len(words)] == words and not _inside(shown, at) and not _inside(shown, at + len(words))
            for at in range(len(shown))
        ):
            wrong[place] = "quote not there"
        elif any(value not in numbers_of(quote) for value in numbers_of(text)):
            wrong[place] = "number not in quote"
    return wrong


_PASSAGES = [
    "Spending on Kestrel was $52.6 million in fiscal 2025.\nA pilot of 11,500 meters began in June 2025.",
    "We spent $31.8 million on Bastion in fiscal 2025, the smallest\n  of the named budgets.",
    "Heron cost $39.1 million in fiscal 2025. Two field trials ended in August 2025.",
]


def cases(rng: Random) -> Iterator[tuple[Statements, list[str]]]:
    """The tricky inputs, then random ones."""
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
    yield [("Bastion grew.", 2, "Bastion on million $31.8 spent We")], _PASSAGES
    yield [("Kestrel fell.", 1, "Spending on Kestrel was $52.6 million in fiscal 2024")], _PASSAGES
    yield [("Bastion is the smallest.", 2, "in fiscal 2025 the smallest")], _PASSAGES
    yield [("Bastion was cheap.", 2, "the small est")], _PASSAGES
    yield [("It began in fiscal 2025.", 3, "in fiscal2025")], _PASSAGES
    yield [("Bastion is small.", 2, "the small")], _PASSAGES
    yield [("Heron is old.", 3, "Heron cost $39")], _PASSAGES
    yield [("Bastion cost $1.8 million.", 2, "1.8 million on Bastion")], _PASSAGES
    yield [("Bastion cost $318 million.", 2, "We spent $31.8 million on Bastion")], _PASSAGES
    yield [("Bastion cost $3.18 million.", 2, "We spent $31.8 million on Bastion")], _PASSAGES
    yield [("Bastion cost $31.80 million.", 2, "We spent $31.8 million on Bastion")], _PASSAGES
    yield [("Heron cost much.", 3, "Heron cost $39.1 million in fiscal 2025")], _PASSAGES
    yield [("Heron cost $39.1 million.", 9, "Heron cost $93.1 million"), ("So did it in 2026.", 3, "")], _PASSAGES
    # The quote is cut the first time and whole the second, and signs that a regular expression reads as its own.
    yield [("It cost 1.8 million.", 1, "1.8 million")], ["It was 31.8 million. Then 1.8 million."]
    yield [("It cost 1.8 million.", 1, "1.8 million")], ["First 1.8 million, then 31.8 million."]
    yield [("Heron cost $39.1 million, and $39.1 million is much.", 1, "Heron cost $39.1 million")], [_PASSAGES[2]]
    yield [("It cost $5.", 1, "cost $5 (net)")], ["It cost $5 (net)."]
    yield [("It cost 5.", 1, "cost 5.")], ["It cost 5. It fell."]
    yield [("It cost 5.", 1, "It cost 5.2")], ["It cost 502."]
    yield [("It costs $5.", 1, "$5 a year")], ["It is $5 a year."]
    yield [("It fell, by 5 of 7.", 1, "It fell by 5")], ["It fell by 5."]
    yield [("It fell by 5 of 7.", 1, "It fell by 7")], ["It fell by 7."]
    yield [("It fell.", 1, "fell in 2025")], ["It fell in 2025, and rose."]
    yield [("Heron fell.", 1, "cost $39")], ["It cost $39.1 million."]
    # A number cut at its comma, numbers with two separators, and signs beside a quote that are no part of it.
    yield [("The pilot has 500 meters.", 1, "500 meters")], ["A pilot of 11,500 meters."]
    yield [("It was a pilot.", 1, "A pilot of 11")], ["A pilot of 11,500 meters."]
    yield [("It cost $1,234.", 1, "It cost $1,234.50")], ["It cost $1,234.50"]
    yield [("The pilot has 11500 meters.", 1, "11,500 meters")], ["A pilot of 11,500 meters."]
    yield [("It cost 31.8 million.", 1, "31.8 million")], ["It cost $31.8 million."]
    yield [("The share is 46.0 in 100.", 1, "46.0% in 100")], ["A share of 46.0% in 100 trials."]
    yield [("The share is large.", 1, "A share of 46.0")], ["A share of 46.0% in 100 trials."]
    yield [("Q3 rose.", 1, "Q4 rose")], ["In spring Q4 rose."]
    # Marks are no white space and no capitals.
    yield [("Heron was dear.", 1, "Heron cost much.")], ["Heron cost much less."]
    yield [("It works.", 1, "it's")], ["We say it\u2019s so."]
    yield [("It is rich.", 1, "rich")], ["They live in Z\u00fcrich."]
    for _ in range(60):
        yield [_statement(rng) for _ in range(rng.randrange(2, 5))], _PASSAGES


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
        rng.choice((passage + 1, passage + 1, passage + 1, rng.randrange(-2, 6))),
        rng.choice((quote, quote, "")),
    )
