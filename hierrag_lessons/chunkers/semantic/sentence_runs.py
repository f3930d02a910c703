"""From a document to its sentences, and from the sentences that start chunks back to chunks.

Lesson 09 builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

from hierrag_lessons.chunkers.cutting import to_chunks
from hierrag_lessons.chunkers.semantic.novelty import Vectors, sentence_vectors
from hierrag_lessons.chunkers.sentence import sentence_units
from hierrag_lessons.embedding import default_embedder
from hierrag_lessons.model import Chunk, Document, Embedder, Language, Span
from hierrag_lessons.text import Ruler

Size = Callable[[int, int], int]
"""``size(i, j)`` measures the units ``i`` to ``j - 1`` together; it does not shrink when the run grows."""


@cache
def _course_embedder(language: Language) -> Embedder:
    """The course's embedder for a language, made once."""
    return default_embedder(language)


def read_sentences(
    document: Document, span: Span, ruler: Ruler, max_size: int, embedder: Embedder | None
) -> tuple[list[Span], list[str], Vectors]:
    """The sentences of a part of a document, none above ``max_size``: spans, texts and vectors."""
    units = sentence_units(document.text, span, ruler, max_size)
    texts = [document.text[start:end] for start, end in units]
    return units, texts, sentence_vectors(texts, embedder or _course_embedder(document.language))


def unit_size(units: Sequence[Span], ruler: Ruler) -> Size:
    """The measure of a run of units, the white space between them included."""
    return lambda i, j: ruler.size(units[i].start, units[j - 1].end)


def number_of_units(i: int, j: int) -> int:
    """The plainest size: how many units there are."""
    return j - i


def runs_to_chunks(
    document: Document, units: Sequence[Span], starts: Sequence[int], ruler: Ruler, max_size: int, overlap: int
) -> list[Chunk]:
    """Chunks from the units that start them, each with up to ``overlap`` whole sentences of its predecessor in front.

    Only as many are repeated as ``max_size`` leaves room for, and never all of the sentences of the chunk before.
    """
    size, spans = unit_size(units, ruler), list[Span]()
    bounds = [*starts, len(units)]
    for k, (start, end) in enumerate(pairwise(bounds)):
        first = max(start - overlap, bounds[k - 1] + 1) if k else start
        while first < start and size(first, end) > max_size:
            first += 1
        spans.append(Span(units[min(first, start)].start, units[end - 1].end))
    return to_chunks(document, spans, ruler, max_size)
