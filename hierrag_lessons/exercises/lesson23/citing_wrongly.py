"""Exercise 23.1, a citation check that checks nothing: wrong answers about quotes, and what is said to each."""

from __future__ import annotations

import re
from collections.abc import Callable

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson23.citing import Statements, cases, failing, only_the_number, sign_by_sign
from hierrag_lessons.exercises.lesson23.citing_numbers import NUMBER_MISTAKES
from hierrag_lessons.exercises.lesson23.citing_parts import Found, check_with, stands_in
from hierrag_lessons.text.quotes import find_quote


def _from_zero(statements: Statements, passages: list[str]) -> Found:
    return check_with([(text, number + 1, quote) for text, number, quote in statements], passages)


def _zero_is_last(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, there=lambda number, count: 1 - count <= number <= count)


def _places_from_one(statements: Statements, passages: list[str]) -> Found:
    return {place + 1: reason for place, reason in failing(statements, passages).items()}


def _blank_is_fine(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, asked=False)


def _last_reason(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, last=True)


def _any_passage(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, anywhere=True)


def _statement_looked_up(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stated=True)


def _exact_space(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements, passages, stands=lambda quote, passage: stands_in(quote, " ".join(passage.split(" ")), " ")
    )


def _no_space(statements: Statements, passages: list[str]) -> Found:
    def bare(text: str) -> str:
        return "".join(text.casefold().split())

    return check_with(statements, passages, stands=lambda quote, passage: bare(quote) in bare(passage))


def _exact_case(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stands=lambda quote, passage: stands_in(quote, passage, flags=0))


def _cut_inside(statements: Statements, passages: list[str]) -> Found:
    def plain(text: str) -> str:
        return " ".join(text.casefold().split())

    return check_with(statements, passages, stands=lambda quote, passage: plain(quote) in plain(passage))


def _bag_of_words(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements,
        passages,
        stands=lambda quote, passage: set(quote.casefold().split()) <= set(passage.casefold().split()),
    )


def _nearly_there(statements: Statements, passages: list[str]) -> Found:
    """Four words in five are enough."""

    def stands(quote: str, passage: str) -> bool:
        words, known = quote.casefold().split(), passage.casefold().split()
        return sum(word in known for word in words) >= 0.8 * len(words)

    return check_with(statements, passages, stands=stands)


def _no_marks(statements: Statements, passages: list[str]) -> Found:
    def words(text: str) -> str:
        return " ".join(re.findall(r"\w+", text.casefold()))

    return check_with(statements, passages, stands=lambda quote, passage: f" {words(quote)} " in f" {words(passage)} ")


def _first_place(statements: Statements, passages: list[str]) -> Found:
    """Only the first place of the quote is looked at, and the signs beside it."""

    def stands(quote: str, passage: str) -> bool:
        wanted, text = (" ".join(each.lower().split()) for each in (quote, passage))
        at = text.find(wanted)
        return at >= 0 and stands_in(wanted, text[max(0, at - 2) : at + len(wanted) + 2])

    return check_with(statements, passages, stands=stands)


def _matched(pattern: str, escape: Callable[[str], str] = re.escape) -> Callable[[str, str], bool]:
    """A regular expression of one's own: the quote stands in the place of ``QUOTE``."""

    def stands(quote: str, passage: str) -> bool:
        words = r"\s+".join(map(escape, quote.split()))
        return re.search(pattern.replace("QUOTE", words), passage, re.IGNORECASE) is not None

    return stands


def _not_escaped(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stands=_matched(r"(?<!\w)(?<!\d[.,])QUOTE(?!\w)(?![.,]\d)", str))


def _word_edges(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stands=_matched(r"\bQUOTE\b"))


def _words_alone(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stands=_matched(r"(?<!\w)QUOTE(?!\w)"))


def _cut_at_commas(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stands=_matched(r"(?<!\w)(?<!\d\.)QUOTE(?!\w)(?!\.\d)"))


def _dollar_before(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stands=_matched(r"(?<![\w$])(?<!\d[.,])QUOTE(?!\w)(?![.,]\d)"))


def _percent_behind(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stands=_matched(r"(?<!\w)(?<!\d[.,])QUOTE(?![\w%])(?![.,]\d)"))


def _letters_of_english(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stands=_matched(r"(?<![a-z0-9])(?<!\d[.,])QUOTE(?![a-z0-9])(?![.,]\d)"))


def _end_marks_off(statements: Statements, passages: list[str]) -> Found:
    return check_with(
        statements,
        passages,
        stands=lambda quote, passage: stands_in(quote.strip(".,;:!?\"'") or quote, passage),
    )


def _marks_forgiven(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, stands=lambda quote, passage: find_quote(passage, quote) is not None)


def _between_blanks(statements: Statements, passages: list[str]) -> Found:
    def plain(text: str) -> str:
        return f" {' '.join(text.casefold().split())} "

    return check_with(statements, passages, stands=lambda quote, passage: plain(quote) in plain(passage))


def _none_for_good(statements: Statements, passages: list[str]) -> dict[int, str | None]:
    wrong = failing(statements, passages)
    return {place: wrong.get(place) for place in range(len(statements))}


def _first_alone(statements: Statements, passages: list[str]) -> Found:
    return check_with(statements, passages, first=True)


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
    Mistake(
        _first_place, "You looked at the first place of the quote alone. It may be cut there, and whole further on."
    ),
    Mistake(_not_escaped, "In a regular expression $ and . are signs of their own. Escape the words: re.escape(word)."),
    Mistake(
        _word_edges,
        r"\b asks for a letter or digit on one side. Beside '$5' or 'fell.' there is none. Say what may not stand "
        r"there: (?<!\w) and (?!\w).",
    ),
    Mistake(_words_alone, "Words are not cut, but numbers are: 'cost $39' is not in 'cost $39.1 million'."),
    Mistake(
        _cut_at_commas,
        "A number may be cut at a comma as well as at a point: neither '500 meters' nor 'A pilot of 11' is in "
        "'A pilot of 11,500 meters'.",
    ),
    Mistake(
        _dollar_before,
        "You refuse a quote behind a $. That sign is no part of the number: '31.8 million' stands in '$31.8 million'.",
    ),
    Mistake(
        _percent_behind,
        "You refuse a quote before a %. That sign is no part of the number: '46.0' stands in '46.0%'.",
    ),
    Mistake(
        _letters_of_english,
        "Letters are not a to z alone: 'rich' is inside the word 'Zürich'. In a regular expression \\w knows them.",
    ),
    Mistake(
        _end_marks_off,
        "You took marks off the ends of the quote. 'Heron cost much.' is not in 'Heron cost much less.': white space "
        "and capitals may differ, and nothing else.",
    ),
    Mistake(
        _marks_forgiven,
        "A straight ' was taken for a curly one, as find_quote does. Here white space and capitals may differ, and "
        "nothing else. Write the search yourself.",
    ),
    Mistake(
        _between_blanks, "A quote need not end at a blank: '2025' stands in 'in 2025, and'. A comma is no part of it."
    ),
    Mistake(_bag_of_words, "The words are there, in another order. A quote stands in the passage in one piece."),
    Mistake(_nearly_there, "Nearly there is not there: whoever forgives one word also forgives a 'not'."),
    Mistake(_no_marks, "A comma or a point is missing. White space and capitals may differ, and nothing else."),
    Mistake(_none_for_good, "Good statements are in your result as well. Return only those that fail."),
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
        "For the third: make every run of white space one blank, on both sides, and use one case. Then look at each "
        "place of the quote. Which sign may not stand before it, and which not after it? For numbers two signs count.",
        r"r'\s+'.join(map(re.escape, quote.split())) matches the quote whatever white space the passage has. Put "
        r"(?<!\w)(?<!\d[.,]) in front of it and (?!\w)(?![.,]\d) behind it, and no word or number is cut.",
        r"re.findall(r'\d+(?:[.,]\d+)*', text) reads whole numbers. Compare them as sets: 1.8 is no part of 31.8.",
    ),
    mistakes=(*MISTAKES, *NUMBER_MISTAKES),
)
