"""Recursive chunks: cut at the coarsest separator that works, and only where a piece is too large at a finer one.

Lesson 06 builds it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_sizes, check_within, overlap_start, to_chunks
from hierrag_lessons.model import Chunk, Document, Span
from hierrag_lessons.text import Measure, Ruler, count_tokens, make_ruler, snap

_PARAGRAPH = r"\n\s*\n"
_LINE = r"\n"
_WORD = r"\s+"
_SENTENCE_EN = r"[.!?…][\"'”’)\]]*\s+"
_SENTENCE_ZH = r"[。！？；…!?]+[”’」』）》\"')]*"
_CLAUSE_EN = r"[,;:—][\"'”’)\]]*\s+"
_CLAUSE_ZH = r"[，、：][”’」』）》]*"
# The same for both languages. `re` looks for one set of first characters faster than for one of two alternatives.
_SENTENCE = r"[.!?…。！？；](?:(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？；…!?])[。！？；…!?]*[”’」』）》\"')]*)"
_CLAUSE = r"[,;:—，、：](?:(?<=[,;:—])[\"'”’)\]]*\s+|(?<=[，、：])[”’」』）》]*)"
_KEYWORDS = "class|def|async def|func|function|fn|pub|impl|struct|enum|trait|interface|public|private|export"

ENGLISH = (_PARAGRAPH, _LINE, _SENTENCE_EN, _CLAUSE_EN, _WORD)
"""Separators for English: paragraph, line, sentence, clause, word."""

CHINESE = (_PARAGRAPH, _LINE, _SENTENCE_ZH, _CLAUSE_ZH, _WORD)
"""Separators for Chinese: paragraph, line, sentence with its closing quote, clause, white space."""

MARKDOWN = (
    *(rf"\n(?={'#' * level}\s)" for level in range(1, 7)),
    _PARAGRAPH,
    _LINE,
    _SENTENCE,
    _CLAUSE,
    _WORD,
)
"""Separators for Markdown in either language: before headings of level 1 to 6, then as for plain text."""

CODE = (
    rf"(?m)^(?![ \t]*@)[^\n]*\n(?=(?:@|{_KEYWORDS})\b)",
    rf"(?m)^(?![ \t]*@)[^\n]*\n(?=[ \t]+(?:@|{_KEYWORDS})\b)",
    _PARAGRAPH,
    _LINE,
    _WORD,
)
"""Separators for program text: before a definition and its decorators, before one inside it, blank line, line, word."""


@dataclass(frozen=True)
class RecursiveChunker:
    r"""Cut at paragraphs; what is still too large at lines, then sentences, clauses, words, and at last anywhere.

    >>> document = Document("d", "A paragraph.\n\nAnother one. It is a longer one.")
    >>> [chunk.text for chunk in RecursiveChunker(20, measure=len).chunk(document)]
    ['A paragraph.', 'Another one.', 'It is a longer one.']

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
        Regular expressions (module ``re``) from coarse to fine. A cut is made where a match ends, so that a full
        stop stays with its sentence; a lookahead cuts in front, as ``\n(?=# )`` does before a heading. After the last
        one cuts are made as in :class:`~hierrag_lessons.chunkers.fixed.FixedSizeChunker`.

    Raises
    ------
    ValueError
        When it is made, for impossible sizes, a measure that is no function, or a separator that is not a regular
        expression.
    """

    max_size: int = 400
    overlap: int = 0
    measure: Measure = count_tokens
    separators: tuple[str, ...] = ENGLISH

    def __post_init__(self) -> None:
        check_sizes(self.max_size, overlap=self.overlap)
        checks.measure("measure", self.measure)
        for pattern in checks.texts("separators", self.separators):
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"separator {pattern!r} is not a regular expression: {error}") from error

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        # Each chunk is new text up to this limit, and behind it there is room for what it repeats.
        bodies = split_recursively(document.text, span, ruler, self.max_size - self.overlap, self.separators)
        longer = [
            Span(overlap_start(document.text, ruler, previous, self.overlap), body.end)
            for previous, body in pairwise(bodies)
        ]
        fits = [size <= self.max_size for size in ruler.sizes(longer)]
        spans = bodies[:1] + [a if fit else b for a, b, fit in zip(longer, bodies[1:], fits, strict=True)]
        return to_chunks(document, spans, ruler, self.max_size)


def split_recursively(text: str, span: Span, ruler: Ruler, limit: int, separators: Sequence[str]) -> list[Span]:
    """Cut ``span`` into neighbouring pieces of at most ``limit``, as few as the separators allow, in document order.

    Only a single character as a reader sees it can be larger than ``limit``. The pieces touch: nothing is left out.
    """
    if ruler.reach(*span, limit) == span.end:
        return [span]
    pieces: list[Span] = []
    _split(text, span, ruler, limit, [re.compile(separator) for separator in separators], pieces)
    return pieces


def _split(
    text: str, span: Span, ruler: Ruler, limit: int, patterns: Sequence[re.Pattern[str]], pieces: list[Span]
) -> None:
    """Append the pieces of ``span``, which is too large; it is cut at the first pattern that occurs in it."""
    inner: list[int] = []
    while patterns and not inner:
        ends = [match.end() for match in patterns[0].finditer(text, *span)]
        inner = ends[bisect_right(ends, span.start) : bisect_left(ends, span.end)]
        patterns = patterns[1:]
    if not inner:
        _split_anywhere(span, ruler, limit, pieces)
        return
    cuts = [span.start, *dict.fromkeys(inner), span.end]
    before = ruler.before(cuts)
    here = 0
    while here < len(cuts) - 1:
        # As far as the limit goes by what stands before each cut, and back from there; nearly always the first fits.
        there = bisect_right(before, before[here] + limit, here + 1) - 1
        while there > here and not (
            _is_permitted(text, cuts[there], span) and ruler.size(cuts[here], cuts[there]) <= limit
        ):
            there -= 1
        if there > here:
            pieces.append(Span(cuts[here], cuts[there]))
        else:
            there = next(i for i in range(here + 1, len(cuts)) if _is_permitted(text, cuts[i], span))
            _split(text, Span(cuts[here], cuts[there]), ruler, limit, patterns, pieces)
        here = there


def _split_anywhere(span: Span, ruler: Ruler, limit: int, pieces: list[Span]) -> None:
    """Append pieces of ``span`` that are as large as the limit allows."""
    start = span.start
    while start < span.end:
        end = ruler.reach(start, span.end, limit)
        pieces.append(Span(start, end))
        start = end


def _is_permitted(text: str, cut: int, span: Span) -> bool:
    """Whether a cut breaks no character; the end of the span was given and is not questioned."""
    return cut == span.end or snap(text, cut, span.start) == cut
