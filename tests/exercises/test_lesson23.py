"""Lesson 23's exercises: unusual right answers, and wrong ones that look right."""

import math
import re
from collections import Counter

import pytest

from hierrag_lessons import ContainmentJudge, find_quote, load_statements
from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.exercises.lesson23.citing_wrongly import CITING
from hierrag_lessons.exercises.lesson23.judging import corrected
from hierrag_lessons.exercises.lesson23.judging_wrongly import JUDGING
from hierrag_lessons.exercises.lesson23.refusing import REFUSING
from tests.exercises.reading import said as told
from tests.exercises.reading import text


def by_words(statements, passages):
    """The citation check with regular expressions and a list of questions, of which the first that fails counts."""

    def stands(quote, passage):
        """Word by word at each word of the passage, of which signs at the edges may be left off."""
        wanted, words = quote.lower().split(), passage.lower().split()
        return any(
            all(
                word == want or (i == 0 and cut(word, want, "")) or (i == len(wanted) - 1 and cut("", want, word))
                for i, (word, want) in enumerate(zip(words[at:], wanted, strict=False))
            )
            for at in range(len(words) - len(wanted) + 1)
        )

    def cut(front, want, behind):
        """Whether a word of the passage is the wanted one but for signs in front of it, or behind it."""
        return (front.endswith(want) and not re.search(r"\w", front[: -len(want)])) or (
            behind.startswith(want) and not re.search(r"\w", behind[len(want) :])
        )

    def found(value, quote):
        return re.search(rf"(?<![\d]){re.escape(value)}(?!\d)(?![.,]\d)", quote) and not re.search(
            rf"\d[.,]{re.escape(value)}(?!\d)", quote
        )

    wrong = {}
    for place, (said, number, quote) in enumerate(statements):
        there = number in range(1, len(passages) + 1)
        questions = (
            ("no such passage", lambda there=there: there),
            ("no quote", lambda quote=quote: quote.split()),
            ("quote not there", lambda quote=quote, number=number: stands(quote, passages[number - 1])),
            (
                "number not in quote",
                lambda said=said, quote=quote: all(found(v, quote) for v in re.findall(r"\d+(?:[.,]\d+)*", said)),
            ),
        )
        for reason, holds in questions:
            if not holds():
                wrong[place] = reason
                break
    return wrong


def over_all_limits(scores, answerable, answered, refused):
    """Every threshold between 0 scores and all, as an array of bills."""
    limits = sorted({*scores, math.inf})
    bills = [
        answered * sum(s >= limit and not good for s, good in zip(scores, answerable, strict=True))
        + refused * sum(s < limit and good for s, good in zip(scores, answerable, strict=True))
        for limit in limits
    ]
    return limits[bills.index(min(bills))]


def with_counts(said, labelled):
    a, b = labelled.count((True, True)), labelled.count((False, True))
    c, d = labelled.count((True, False)), labelled.count((False, False))
    if a + b == 0 or c + d == 0 or a * (c + d) <= c * (a + b):
        return None
    share = (said * (a + b) * (c + d) - c * (a + b)) / (a * (c + d) - c * (a + b))
    return 0 if share < 0 else 1 if share > 1 else share


@pytest.mark.parametrize(
    ("exercise", "answer"), [(CITING, by_words), (REFUSING, over_all_limits), (JUDGING, with_counts)]
)
def test_another_right_answer_is_right(exercise, answer):
    assert "Correct" in text(assess(exercise, answer))


def check_with(stands, lacks):
    """A citation check with one's own third and fourth question."""

    def failing(statements, passages):
        wrong = {}
        for place, (said, number, quote) in enumerate(statements):
            if number < 1 or number > len(passages):
                wrong[place] = "no such passage"
            elif not quote.strip():
                wrong[place] = "no quote"
            elif not stands(quote, passages[number - 1]):
                wrong[place] = "quote not there"
            elif lacks(numbers(said), numbers(quote)):
                wrong[place] = "number not in quote"
        return wrong

    return failing


def numbers(said):
    return re.findall(r"\d+(?:[.,]\d+)*", said)


def somewhere(quote, passage, before="", behind=""):
    """Whether the quote stands in the passage; signs that may not stand beside it can be added."""
    words = r"\s+".join(map(re.escape, quote.split()))
    edges = rf"(?<![\w{before}])(?<!\d[.,])", rf"(?![\w{behind}])(?![.,]\d)"
    return re.search(words.join(edges), passage, re.IGNORECASE) is not None


def straight(text):
    return text.replace("\u2019", "'")


def at_the_first_place(quote, passage):
    quote, passage = (" ".join(each.lower().split()) for each in (quote, passage))
    at = passage.find(quote)
    return at >= 0 and somewhere(quote, passage[max(0, at - 2) : at + len(quote) + 2])


def some_lack(said, there):
    return not set(said) <= set(there)


@pytest.mark.parametrize(
    ("stands", "lacks", "message"),
    [
        (at_the_first_place, some_lack, "first place"),
        (somewhere, lambda said, there: bool(Counter(said) - Counter(there)), "count how often"),
        (somewhere, lambda said, there: bool(said) and said[0] not in there, "first number"),
        (lambda quote, passage: find_quote(passage, quote) is not None, some_lack, "find_quote"),
        (lambda quote, passage: somewhere(straight(quote), straight(passage)), some_lack, "find_quote"),
        (lambda quote, passage: somewhere(quote.rstrip(".") or quote, passage), some_lack, "took marks off"),
        (lambda quote, passage: somewhere(quote, passage, before="$"), some_lack, "behind a $"),
        (lambda quote, passage: somewhere(quote, passage, behind="%"), some_lack, "before a %"),
    ],
)
def test_a_wrong_citation_check_is_told_what_is_wrong(stands, lacks, message):
    assert "Correct" in text(assess(CITING, check_with(somewhere, some_lack)))
    assert message in told(assess(CITING, check_with(stands, lacks)), "this looks like")


def test_a_judge_that_counts_words_says_nothing():
    """What the answer to exercise 23.3 claims of the labelled statements."""
    labelled = load_statements()
    said = [ContainmentJudge(language=each.language).judge(each.statement, each.quote.text) for each in labelled]
    pairs = [(verdict == "supported", each.label == "supported") for verdict, each in zip(said, labelled, strict=True)]
    assert (pairs.count((True, True)), pairs.count((True, False))) == (14, 23)
    assert corrected(0.9, pairs) is None
