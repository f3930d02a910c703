"""The text that a language model reads: numbered passages under their headings, and the way back from a number.

Lesson 19 builds it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import count, islice

import regex

from hierrag_lessons import checks
from hierrag_lessons.context.ordering import Order, reorder
from hierrag_lessons.context.packing import pack
from hierrag_lessons.model import Passage, Span
from hierrag_lessons.text import Measure, count_tokens

# [3], [1, 2], [2-4] and the full-width forms 【3】, ［1、2］ that Chinese answers have.
# Nothing in it is tried twice (*+), so that a bracket that never closes costs no more than its length.
_BRACKETS = regex.compile(r"[\[【［]\s*+(\d{1,9}+(?:\s*+[-–,，、;；]\s*+\d{1,9}+)*+)\s*+[\]】］]")
_RANGE = regex.compile(r"(\d++)(?:\s*+[-–]\s*+(\d++))?+")
_LONGEST_RANGE = 100


@dataclass(frozen=True, slots=True)
class Citation:
    """A number that an answer cites: where it stands in the answer, and the passage that it names."""

    number: int
    place: Span
    passage: Passage


@dataclass(frozen=True, slots=True)
class Prompt:
    """Passages as one text, each behind its number. ``numbers[i]`` is the number of ``passages[i]``."""

    text: str
    passages: tuple[Passage, ...]
    numbers: tuple[int, ...]

    def citations(self, answer: str) -> list[Citation]:
        """The citations in an answer, in the order in which they stand there.

        ``[2]``, ``[1, 3]`` and ``[2-4]`` are read, also in the brackets and with the commas of Chinese; a number that
        was passed over is no part of a range around it. A passage is ``document.text[passage.start:passage.end]``, so
        every citation leads to a span.

        Raises ``ValueError`` naming the numbers that no passage has: whoever wrote the answer invented them.
        """
        checks.text("answer", answer)
        known = dict(zip(self.numbers, self.passages, strict=True))
        cited = [
            (number, Span(*bracket.span()))
            for bracket in _BRACKETS.finditer(answer)
            for match in _RANGE.finditer(bracket[1])
            for number in _cited_by(match, known)
        ]
        unknown = sorted({number for number, _ in cited} - known.keys())
        if unknown:
            names = ", ".join(map(str, sorted(known))) or "none"
            raise ValueError(f"the answer cites {', '.join(map(str, unknown))}, and the passages have {names}")
        return [Citation(number, place, known[number]) for number, place in cited]


def render(passages: Iterable[Passage]) -> Prompt:
    """Write passages as one text: a line with number, document and heading path, the text, an empty line.

    >>> law = [Passage("law", 0, 9, "Pay fees.", "Art. 2"), Passage("law", 40, 46, "Daily.", "Art. 2")]
    >>> render(law).text.splitlines()
    ['[1] law: Art. 2', 'Pay fees.', '', '[2] Daily.']

    The passages stay in their order, see :func:`~hierrag_lessons.context.reorder`. A passage that stands further down
    under the heading of the one before it goes without that line. Otherwise many small passages fill a prompt with the
    same headings over and over.

    They are numbered from 1, but a number that stands in brackets in one of the texts is passed over: a paper with a
    reference [3] of its own would otherwise make ``[3]`` in an answer mean two things.
    """
    shown = tuple(checks.each("passages", passages, Passage))
    numbers = free_numbers(shown, len(shown))
    return Prompt(_write(shown, numbers), shown, numbers)


def pack_prompt(
    passages: Iterable[Passage], budget: int, order: Order = "document", measure: Measure = count_tokens
) -> Prompt:
    """Pack passages so that the *rendered* text keeps to the budget, headings, numbers and empty lines included.

    :func:`~hierrag_lessons.context.pack` counts the passages' texts alone, which is what methods are compared by. What
    a model is given is longer. Here the largest budget for ``pack`` is looked for with which the text still fits.

    Parameters
    ----------
    passages:
        Best first.
    budget:
        The largest ``measure(prompt.text)``, never exceeded.
    order:
        In which the packed passages are shown. In the order of the document neighbours stand together, so that headings
        cost least.
    measure:
        Size of a text: tokens by default.

    Raises
    ------
    ValueError
        As ``pack`` and ``reorder`` do.
    """
    checks.whole("budget", budget, 1)
    checks.one_of("order", order, Order)
    checks.measure("measure", measure)
    given = checks.each("passages", passages, Passage)
    prompt, fits, too_large = render(reorder([], order)), 0, budget + 1
    tried = budget
    while too_large - fits > 1:
        larger = render(reorder(pack(given, tried, measure), order))
        if measure(larger.text) <= budget:
            prompt, fits = larger, tried
        else:
            too_large = tried
        tried = (fits + too_large) // 2
    return prompt


def free_numbers(passages: Iterable[Passage], n: int, after: int = 0) -> tuple[int, ...]:
    """The first ``n`` numbers larger than ``after`` that stand in brackets nowhere in the passages.

    Raises ``ValueError`` for a number below 0.
    """
    checks.whole("n", n, 0)
    checks.whole("after", after, 0)
    passages = checks.each("passages", passages, Passage)
    texts = (text for passage in passages for text in (passage.doc_id, passage.context, passage.text))
    brackets = (bracket[1] for text in texts for bracket in _BRACKETS.finditer(text))
    taken = {number for inside in brackets for match in _RANGE.finditer(inside) for number in _numbers_of(match)}
    return tuple(islice((number for number in count(after + 1) if number not in taken), n))


def _cited_by(match: regex.Match[str], known: Container[int]) -> list[int]:
    """The numbers that one match of ``_RANGE`` cites; of a range between known numbers only those that are known."""
    numbers = _numbers_of(match)
    if numbers[0] in known and numbers[-1] in known:
        return [number for number in numbers if number in known]
    return numbers


def _numbers_of(match: regex.Match[str]) -> list[int]:
    """The numbers of one match of ``_RANGE``, one by one."""
    first, last = int(match[1]), int(match[2] or match[1])
    return list(range(first, last + 1)) if 0 <= last - first < _LONGEST_RANGE else [first, last]  # [2030-1999] is none


def _goes_on(before: Passage, passage: Passage) -> bool:
    """Whether a passage stands further down under the heading of the one before it."""
    return (before.doc_id, before.context) == (passage.doc_id, passage.context) and before.end <= passage.start


def _write(passages: Sequence[Passage], numbers: Sequence[int]) -> str:
    pieces = []
    for place, (number, passage) in enumerate(zip(numbers, passages, strict=True)):
        again = place > 0 and _goes_on(passages[place - 1], passage)
        heading = "" if again else f"{_one_line(passage.doc_id, passage.context)}\n"
        pieces.append(f"[{number}] {heading}{passage.text.strip()}")
    return "\n\n".join(pieces)


def _one_line(doc_id: str, context: str) -> str:
    return " ".join((f"{doc_id}: {context}" if context else doc_id).split())
