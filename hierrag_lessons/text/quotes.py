"""Where a quote stands in a text, for whoever copied it has changed white space and typographic marks.

Lesson 23 uses it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import Span
from hierrag_lessons.text.graphemes import snap, snap_forward

_CUT = regex.compile(r"(?<=\p{Latin})(?=\p{Latin})|(?<=\d)(?=[.,:]?\d)|(?<=\d[.,:])(?=\d)")
"""A place inside a word or a number. Scripts without blanks between words have no such place but in numbers."""
_TYPOGRAPHY = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")


def find_quote(text: str, quote: str, within: Span | None = None) -> Span | None:
    r"""The first place of a quote in ``text``, or in the part ``within`` of it; ``None`` where it does not stand there.

    >>> find_quote("She said: “Dogs\nrun.”", 'dogs run."')
    Span(start=11, end=21)

    White space, capitals, curly or straight quotation marks and the kind of dash may differ; nothing else may. A quote
    does not begin or end inside a word or a number: "$1.8 million" does not stand in "$31.8 million", nor "able" in
    "unable". A blank quote stands nowhere. Raises ``ValueError`` where ``within`` does not lie in the text.
    """
    checks.text("text", text)
    checks.text("quote", quote)
    span = Span(0, len(text)) if within is None else within
    checks.span("within", span, len(text))
    shown, wanted = text[span.start : span.end], _alike(" ".join(quote.split()))
    folded = fold(_alike(shown))
    for place in places_of(wanted, folded.text):
        first, last = folded.span(place, len(wanted))
        if not _CUT.match(shown, first) and not _CUT.match(shown, last):
            start = snap(text, span.start + first, span.start)
            return Span(start, snap_forward(text, start, span.start + last))
    return None


def _alike(text: str) -> str:
    """The text with one form of each mark and letter, as long as it was."""
    written = text.translate(_TYPOGRAPHY)
    alike = written.casefold()
    return alike if len(alike) == len(written) else "".join(map(_small, written))


def _small(character: str) -> str:
    return next(form for form in (character.casefold(), character.lower(), character) if len(form) == 1)


class Folded(NamedTuple):
    """A text with one blank for each run of white space; where each word begins there, and where in the text."""

    text: str
    begins: list[int]
    starts: list[int]

    def span(self, place: int, length: int) -> Span:
        """Where the text itself has what stands at a place of the folded one."""
        return Span(self._original(place), self._original(place + length - 1) + 1)

    def _original(self, place: int) -> int:
        word = bisect_right(self.begins, place) - 1
        return self.starts[word] + place - self.begins[word]


@lru_cache(maxsize=128)  # Every question on a document asks for it again.
def fold(text: str) -> Folded:
    """Fold the white space of a text."""
    words = text.split()
    begins = [0, *accumulate(len(word) + 1 for word in words[:-1])]
    return Folded(" ".join(words), begins, [match.start() for match in re.finditer(r"\S+", text)])


def places_of(wanted: str, text: str) -> Iterator[int]:
    """All places of a text in another one, overlapping ones too, in linear time; of an empty text none."""
    at = text.find(wanted) if wanted else -1
    period = 0
    while at >= 0:
        yield at
        # The next place that overlaps this one is a period further on, where only the end is new. Any other one lies
        # so far away that a new search, which takes the time of both texts, is worth its price (Fine and Wilf, 1965).
        period = period or _period(wanted)
        goes_on = text.startswith(wanted[-period:], at + len(wanted))
        at = at + period if goes_on else text.find(wanted, at + period)


def _period(text: str) -> int:
    """The least shift at which a text agrees with itself (Knuth, Morris and Pratt, 1977)."""
    border = [0]
    for character in text[1:]:
        length = border[-1]
        while length and text[length] != character:
            length = border[length - 1]
        border.append(length + (text[length] == character))
    return len(text) - border[-1]
