"""Chunks of a fixed size: the baseline that every other chunker has to beat.

Lesson 04 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_sizes, check_within, overlap_start, to_chunks
from hierrag_lessons.model import Chunk, Document, Span
from hierrag_lessons.text import Measure, Ruler, count_tokens, make_ruler


@dataclass(frozen=True)
class FixedSizeChunker:
    """Cut a text every ``max_size`` tokens (or characters), whatever stands there.

    >>> chunks = FixedSizeChunker(12, overlap=5, measure=len).chunk(Document("d", "Pieces of one size, whatever."))
    >>> [chunk.text for chunk in chunks]
    ['Pieces of on', 'of one size,', 'size, whatev', 'er.']

    The sizes are exact and no character is broken: a cut falls on the last token end inside the limit that is also the
    end of a character as a reader sees it. Everything else is ignored, so words, sentences and tables are cut through.

    Parameters
    ----------
    max_size:
        The largest size of a chunk, in units of ``measure``.
    overlap:
        How much of a chunk its successor repeats at most, in the same unit. It starts at the start of a word.
    measure:
        ``count_tokens``, ``len`` for characters, or any function from a string to an integer.

    Raises
    ------
    ValueError
        When it is made, for ``max_size < 1``, ``overlap < 0`` or ``overlap >= max_size``, and for a measure that is no
        function.
    """

    max_size: int = 200
    overlap: int = 0
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        check_sizes(self.max_size, overlap=self.overlap)
        checks.measure("measure", self.measure)

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        return to_chunks(document, self._spans(document.text, span, ruler), ruler, self.max_size)

    def _spans(self, text: str, span: Span, ruler: Ruler) -> Iterator[Span]:
        start, covered = span.start, span.start
        while covered < span.end:
            end = ruler.reach(start, span.end, self.max_size)
            if end <= covered:  # The overlap leaves no room for the next, large character.
                start = covered
                end = ruler.reach(start, span.end, self.max_size)
            yield Span(start, end)
            start, covered = overlap_start(text, ruler, Span(start, end), self.overlap), end
