"""Where a quote stands in a text, for whoever copied it has changed white space and typographic marks.

Lesson 17 uses it.
"""

from __future__ import annotations

import re

from hierrag_lessons import checks
from hierrag_lessons.model import Span
from hierrag_lessons.text.graphemes import snap, snap_forward

_TYPOGRAPHY = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")


def find_quote(text: str, quote: str, within: Span | None = None) -> Span | None:
    r"""The first place of a quote in ``text``, or in the part ``within`` of it; ``None`` where it does not stand there.

    >>> find_quote("She said: “Dogs\nrun.”", 'dogs run."')
    Span(start=11, end=21)

    White space, capitals, curly or straight quotation marks and the kind of dash may differ; nothing else may. A blank
    quote stands nowhere. Raises ``ValueError`` where ``within`` does not lie in the text.
    """
    checks.text("text", text)
    checks.text("quote", quote)
    span = Span(0, len(text)) if within is None else within
    checks.span("within", span, len(text))
    words = [re.escape(word) for word in quote.translate(_TYPOGRAPHY).split()]
    shown = text[span.start : span.end].translate(_TYPOGRAPHY)
    match = re.search(r"\s+".join(words), shown, re.IGNORECASE) if words else None
    if match is None or match.start() == match.end():
        return None
    start = snap(text, span.start + match.start(), span.start)
    return Span(start, snap_forward(text, start, span.start + match.end()))
