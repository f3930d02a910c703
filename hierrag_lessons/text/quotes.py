"""Where a quote stands in a text, for whoever copied it has changed white space and typographic marks.

Lesson 23 uses it.
"""

from __future__ import annotations

import re

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
    words = [re.escape(word) for word in quote.translate(_TYPOGRAPHY).split()]
    shown = text[span.start : span.end].translate(_TYPOGRAPHY)
    pattern, at = re.compile(r"\s+".join(words), re.IGNORECASE), 0
    while words and (match := pattern.search(shown, at)) is not None:
        if not _CUT.match(shown, match.start()) and not _CUT.match(shown, match.end()):
            start = snap(text, span.start + match.start(), span.start)
            return Span(start, snap_forward(text, start, span.start + match.end()))
        at = match.start() + 1
    return None
