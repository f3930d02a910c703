"""What the chunkers share: checked sizes, the start of an overlap, and turning spans into chunks."""

from __future__ import annotations

from collections.abc import Iterable

import regex

from hierrag_lessons.graphemes import snap
from hierrag_lessons.rulers import Ruler
from hierrag_lessons.spans import Chunk, Document, Span, trim

# A word starts after white space; in scripts that are written without spaces every character can start one.
_WORD_START = regex.compile(r"(?<=\s)(?=\S)|(?=[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}])")


def check_sizes(max_size: int, overlap: int) -> None:
    """Refuse sizes that cannot work.

    Raises
    ------
    ValueError
        Where ``max_size`` is below 1, or ``overlap`` is negative or not smaller than ``max_size``.
    """
    if max_size < 1:
        raise ValueError(f"max_size is {max_size}; a chunk needs room for at least 1")
    if overlap < 0:
        raise ValueError(f"overlap is {overlap}; use 0 for none")
    if overlap >= max_size:
        raise ValueError(
            f"overlap is {overlap} with max_size {max_size}; each chunk would only repeat the one before it: "
            "10 to 20 % of max_size is usual"
        )


def check_within(document: Document, within: Span | None) -> Span:
    """The span to work on: ``within``, or the whole document.

    Raises
    ------
    ValueError
        Where ``within`` does not lie in the document.
    """
    if within is None:
        return document.span
    if not 0 <= within.start <= within.end <= len(document.text):
        raise ValueError(
            f"within is {within.start}-{within.end}, but {document.doc_id!r} has {len(document.text)} characters"
        )
    return within


def overlap_start(text: str, ruler: Ruler, previous: Span, overlap: int) -> int:
    """Where the chunk after ``previous`` starts so that it repeats at most ``overlap`` of it, from the start of a word.

    Returns ``previous.end``, no overlap, where no word starts close enough to the end.
    """
    if overlap == 0:
        return previous.end
    shown = _trim(text, previous)
    # One further than its start, because a chunk that repeats all of the one before it would be pointless.
    earliest = max(ruler.reach_back(*shown, overlap), shown.start + 1)
    for match in _WORD_START.finditer(text, earliest, shown.end):
        start = match.start()
        if start < shown.end and snap(text, start, shown.start) == start and ruler.size(start, shown.end) <= overlap:
            return start
    return previous.end


def _trim(text: str, span: Span) -> Span:
    """``span`` without white space at its ends, unless it belongs to a cluster: a space can carry an accent."""
    trimmed = trim(text, span)
    start = snap(text, trimmed.start, span.start)
    return Span(start, trimmed.end if snap(text, trimmed.end, start) == trimmed.end else span.end)


def to_chunks(document: Document, spans: Iterable[Span], ruler: Ruler, max_size: int) -> list[Chunk]:
    """Make chunks of spans: without white space at their ends, too large ones marked.

    A span that is blank, or adds only white space to what the chunk before it repeats, is left out.
    """
    chunks: list[Chunk] = []
    for span in spans:
        trimmed = _trim(document.text, span)
        if trimmed.start == trimmed.end or (chunks and trimmed.end <= chunks[-1].end):
            continue
        size = ruler.size(*trimmed)
        if size > max_size:
            # A word is sometimes one token more without the space before it.
            trimmed, size = span, ruler.size(*span)
        chunks.append(
            Chunk(
                document.doc_id,
                *trimmed,
                document.text[trimmed.start : trimmed.end],
                metadata={"oversized": True} if size > max_size else {},
            )
        )
    return chunks
