"""Recursive chunks: cut at the coarsest separator that works, and only where a piece is too large at a finer one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import regex

from hierrag_lessons.chunkers.cutting import check_sizes, check_within, overlap_start, to_chunks
from hierrag_lessons.graphemes import snap
from hierrag_lessons.rulers import Ruler, make_ruler
from hierrag_lessons.spans import Chunk, Document, Span
from hierrag_lessons.tokens import Measure, count_tokens

_PARAGRAPH = r"\n(?:[^\S\n]*\n)+"
_LINE = r"\n"
_WORD = r"\s+"
_SENTENCE_EN = r"[.!?…][\"'”’)\]]*\s+"
_SENTENCE_ZH = r"[。！？；…!?]+[”’」』）》\"')]*"
_CLAUSE_EN = r"[,;:—][\"'”’)\]]*\s+"
_CLAUSE_ZH = r"[，、：][”’」』）》]*"

ENGLISH = (_PARAGRAPH, _LINE, _SENTENCE_EN, _CLAUSE_EN, _WORD)
"""Separators for English: paragraph, line, sentence, clause, word."""

CHINESE = (_PARAGRAPH, _LINE, _SENTENCE_ZH, _CLAUSE_ZH, _WORD)
"""Separators for Chinese: paragraph, line, sentence with its closing quote, clause, white space."""

MARKDOWN = (
    *(rf"\n(?=#{{{level}}}\s)" for level in range(1, 7)),
    _PARAGRAPH,
    _LINE,
    rf"(?:{_SENTENCE_EN})|(?:{_SENTENCE_ZH})",
    rf"(?:{_CLAUSE_EN})|(?:{_CLAUSE_ZH})",
    _WORD,
)
"""Separators for Markdown in either language: before headings of level 1 to 6, then as for plain text."""


@dataclass(frozen=True)
class RecursiveChunker:
    r"""Cut at paragraphs; what is still too large at lines, then sentences, clauses, words, and at last anywhere.

    At each step neighbouring pieces are packed together as long as they fit. This is the idea of LangChain's
    ``RecursiveCharacterTextSplitter`` (2023), worked out on spans: pieces are never copied and joined again, so offsets
    are exact whatever repeats in the text.

    Parameters
    ----------
    max_size:
        The largest size of a chunk, in units of ``measure``.
    overlap:
        How much of a chunk its successor repeats at most, in the same unit. It starts at the start of a word.
    measure:
        ``count_tokens``, ``len`` for characters, or any function from a string to an integer.
    separators:
        Regular expressions (module ``regex``) from coarse to fine. A cut is made where a match ends, so that a full
        stop stays with its sentence; a lookahead cuts in front, as ``\n(?=# )`` does before a heading. After the last
        one cuts are made as in :class:`~hierrag_lessons.chunkers.fixed.FixedSizeChunker`.

    Raises
    ------
    ValueError
        When it is made, for impossible sizes or a separator that is not a regular expression.
    """

    max_size: int = 400
    overlap: int = 0
    measure: Measure = count_tokens
    separators: tuple[str, ...] = ENGLISH

    def __post_init__(self) -> None:
        check_sizes(self.max_size, self.overlap)
        if isinstance(self.separators, str):
            raise ValueError(f"separators is the string {self.separators!r}; give a tuple of regular expressions")
        for pattern in self.separators:
            try:
                regex.compile(pattern)
            except regex.error as error:
                raise ValueError(f"separator {pattern!r} is not a regular expression: {error}") from error

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        # Each chunk is new text up to this limit, and behind it there is room for what it repeats.
        bodies = list(self._split(document.text, span, ruler, self.max_size - self.overlap, 0))
        spans = bodies[:1]
        for previous, body in pairwise(bodies):
            start = overlap_start(document.text, ruler, previous, self.overlap)
            fits = ruler.size(start, body.end) <= self.max_size
            spans.append(Span(start, body.end) if fits else body)
        return to_chunks(document, spans, ruler, self.max_size)

    def _split(self, text: str, span: Span, ruler: Ruler, limit: int, level: int) -> Iterator[Span]:
        """Cut ``span`` into pieces of at most ``limit``, with the separators from ``level`` on."""
        if ruler.reach(*span, limit) == span.end:
            yield span
            return
        while len(cuts := self._cuts(text, span, level)) == 1:
            level += 1
        start = span.start
        while start < span.end:
            reach = ruler.reach(start, span.end, limit)
            first, after = bisect_right(cuts, start), bisect_right(cuts, reach)
            fitting = (cut for cut in reversed(cuts[first:after]) if ruler.size(start, cut) <= limit)
            end = next(fitting, None)
            if end is not None:
                yield Span(start, end)
            elif level < len(self.separators):
                end = cuts[first]
                yield from self._split(text, Span(start, end), ruler, limit, level + 1)
            else:
                end = reach
                yield Span(start, end)
            start = end

    def _cuts(self, text: str, span: Span, level: int) -> list[int]:
        """Where the separators of ``level`` end inside ``span``, and its end; no cut breaks a character."""
        if level == len(self.separators):
            return []
        matches = regex.finditer(self.separators[level], text, pos=span.start, endpos=span.end)
        ends = {snap(text, match.end(), span.start) for match in matches}
        return [*sorted(end for end in ends if span.start < end < span.end), span.end]
