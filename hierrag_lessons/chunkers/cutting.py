"""What the chunkers share: checked sizes, the start of an overlap, and turning spans into chunks.

Lesson 04 builds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import JSON, Chunk, Document, Span
from hierrag_lessons.spans import trim
from hierrag_lessons.text import Ruler, snap
from hierrag_lessons.text.scripts import UNSPACED

# A word starts after white space; in scripts that are written without spaces every character can start one.
_WORD_START = regex.compile(rf"(?<=\s)\S|{UNSPACED}")
_WORD_START_ASCII = re.compile(r"(?<=\s)\S")  # The same where there is nothing else, in a quarter of the time.


def check_sizes(max_size: int, *, min_size: int = 0, overlap: int = 0) -> None:
    """Refuse sizes that cannot work together.

    >>> check_sizes(400, min_size=100, overlap=40)
    >>> check_sizes(400, min_size=500)
    Traceback (most recent call last):
    ValueError: min_size is 500 with max_size 400; give a number from 0 to max_size

    Raises
    ------
    ValueError
        Where one is no whole number, ``max_size`` is below 1, ``min_size`` is negative or above ``max_size``, or
        ``overlap`` is negative or not smaller than ``max_size``.
    """
    checks.whole("max_size", max_size, 1)
    checks.whole("min_size", min_size, 0)
    checks.whole("overlap", overlap, 0)
    if min_size > max_size:
        raise ValueError(f"min_size is {min_size} with max_size {max_size}; give a number from 0 to max_size")
    if overlap >= max_size:
        raise ValueError(
            f"overlap is {overlap} with max_size {max_size}; each chunk would only repeat the one before it: "
            "10 to 20 % of max_size is usual"
        )


def check_within(document: Document, within: Span | None) -> Span:
    """The span to work on: ``within``, or the whole document.

    >>> document = Document("d", "A short text.")
    >>> check_within(document, None), check_within(document, Span(2, 7))
    (Span(start=0, end=13), Span(start=2, end=7))

    Raises
    ------
    ValueError
        Where there is no document, or ``within`` does not lie in it.
    """
    checks.instance("document", document, Document)
    if within is None:
        return document.span
    checks.span("within", within, len(document.text))
    return within


def overlap_start(text: str, ruler: Ruler, previous: Span, overlap: int) -> int:
    """Where the chunk after ``previous`` starts so that it repeats at most ``overlap`` of it, from the start of a word.

    >>> from hierrag_lessons import make_ruler
    >>> text = "one two three four"
    >>> start = overlap_start(text, make_ruler(text, len), previous=Span(0, 13), overlap=6)
    >>> text[start:13]
    'three'

    Returns ``previous.end``, no overlap, where no word starts close enough to the end.
    """
    if overlap == 0:
        return previous.end
    shown = _trim(text, previous)
    # One further than its start, because a chunk that repeats all of the one before it would be pointless.
    earliest = max(ruler.reach_back(*shown, overlap), shown.start + 1)
    word_start = _WORD_START_ASCII if text[earliest - 1 : shown.end].isascii() else _WORD_START
    for match in word_start.finditer(text, earliest, shown.end):
        start = match.start()
        if snap(text, start, shown.start) == start and ruler.size(start, shown.end) <= overlap:
            return start
    return previous.end


def join_units(units: Iterable[Span], ruler: Ruler, limit: int) -> list[Span]:
    """Join neighbouring units (sentences, blocks, turns) into spans of at most ``limit``, in document order.

    >>> from hierrag_lessons import make_ruler
    >>> text = "One. Two. Three."
    >>> join_units([Span(0, 4), Span(5, 9), Span(10, 16)], make_ruler(text, len), limit=10)
    [Span(start=0, end=9), Span(start=10, end=16)]

    A span reaches from the start of its first unit to the end of its last one. A unit that is larger than ``limit``
    stays a span of its own. Raises ``ValueError`` for a ``limit`` below 1.
    """
    checks.whole("limit", limit, 1)
    packed: list[Span] = []
    for unit in units:
        if packed and ruler.size(packed[-1].start, unit.end) <= limit:
            packed[-1] = Span(packed[-1].start, unit.end)
        else:
            packed.append(unit)
    return packed


def _trim(text: str, span: Span) -> Span:
    """``span`` without white space at its ends, unless it belongs to a cluster: a space can carry an accent."""
    start, end = trimmed = trim(text, span)
    if start == end:
        return trimmed
    if start > span.start:
        start = snap(text, start, span.start)
    if end < span.end and snap(text, end, start) < end:
        end = span.end
    return trimmed if (start, end) == trimmed else Span(start, end)


def to_chunks(document: Document, spans: Iterable[Span], ruler: Ruler, max_size: int) -> list[Chunk]:
    r"""Make chunks of spans: without white space at their ends, too large ones marked.

    >>> from hierrag_lessons import make_ruler
    >>> document = Document("d", "One two. \n Three.")
    >>> chunks = to_chunks(document, [Span(0, 9), Span(9, 17)], make_ruler(document.text, len), 10)
    >>> [(chunk.start, chunk.end, chunk.text) for chunk in chunks]
    [(0, 8, 'One two.'), (11, 17, 'Three.')]

    A span that is blank, or adds only white space to what the chunk before it repeats, is left out.
    """
    text = document.text
    pieces = [(span, _trim(text, span)) for span in spans]
    sizes = ruler.sizes([trimmed for _, trimmed in pieces])
    chunks: list[Chunk] = []
    covered = 0
    for (span, (start, end)), size in zip(pieces, sizes, strict=True):
        if start == end or end <= covered:
            continue
        metadata: dict[str, JSON] = {}
        if size > max_size:
            # A word is sometimes one token more without the space before it.
            start, end = span
            metadata = {"oversized": True} if ruler.size(start, end) > max_size else {}
        chunks.append(Chunk(document.doc_id, start, end, text[start:end], metadata=metadata))
        covered = end
    return chunks
