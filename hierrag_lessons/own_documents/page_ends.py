"""Running heads and feet of a PDF: lines that belong to the page and not to the text.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Span

_AT_AN_END = 2  # lines at the top and at the bottom of a page
_LINE = regex.compile(r"^[^\S\n]*+\S[^\n]*+", regex.MULTILINE)
_NUMBERS = regex.compile(r"\d+")
_PRINTED = regex.compile(r"(?:ﬁle|file|https?)://\S+|\d+\s*/\s*\d+|\d+/\d+/\d+, \d+:\d+(?: [AP]M)?")


def page_ends(document: Document) -> list[Span]:
    r"""The lines at the top and the bottom of pages that come on several, numbers aside, or that a browser printed.

    >>> from hierrag_lessons import Document
    >>> text = "Lease, page 1\nPets need consent.\n\nLease, page 2\nThe rent is due."
    >>> [text[start:end] for start, end in page_ends(Document("lease.pdf", text, metadata={"pages": [0, 34]}))]
    ['Lease, page 1', 'Lease, page 2']

    A document without pages has none. Raises ``ValueError`` for what is no document.
    """
    checks.instance("document", document, Document)
    starts: Any = document.metadata.get("pages")
    if not starts:
        return []
    found: list[Span] = []
    for start, end in pairwise([*starts, len(document.text)]):
        lines = [Span(start + line.start(), start + line.end()) for line in _LINE.finditer(document.text[start:end])]
        found += dict.fromkeys([*lines[:_AT_AN_END], *lines[-_AT_AN_END:]])
    plain = {span: _NUMBERS.sub("#", document.text[span.start : span.end].strip()) for span in found}
    times = Counter(plain.values())
    return [
        span for span in found if times[plain[span]] > 1 or _PRINTED.match(document.text[span.start : span.end].strip())
    ]
