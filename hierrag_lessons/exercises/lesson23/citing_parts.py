"""Exercise 23.1, a citation check that checks nothing: the solution with one part exchanged.

The wrong answers are made of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hierrag_lessons.exercises.lesson23.citing import Statements

Found = dict[int, str]


def numbers_of(text: str) -> set[str]:
    """The numbers of a text, as they are written."""
    return set(re.findall(r"\d+(?:[.,]\d+)*", text))


def stands_in(quote: str, passage: str, gap: str = r"\s+", flags: int = re.IGNORECASE) -> bool:
    """Whether a passage has the quote in one piece, cut inside no word and no number."""
    words = gap.join(map(re.escape, quote.split()))
    return re.search(rf"(?<!\w)(?<!\d[.,]){words}(?!\w)(?![.,]\d)", passage, flags) is not None


def check_with(
    statements: Statements,
    passages: list[str],
    *,
    there: Callable[[int, int], bool] = lambda number, count: 1 <= number <= count,
    stands: Callable[[str, str], bool] = stands_in,
    missing: Callable[[str, str, str], bool] = lambda text, quote, passage: bool(numbers_of(text) - numbers_of(quote)),
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
