"""Pitfall 6: a cut through a table.

Lesson 25 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable

from hierrag_lessons import checks
from hierrag_lessons.evaluation.pieces import Located
from hierrag_lessons.model import Document, Span
from hierrag_lessons.production.pitfalls.finding import Finding
from hierrag_lessons.text import read_blocks


def detect_torn_tables(document: Document, chunks: Iterable[Located]) -> Finding | None:
    r"""Pitfall 6: a table of which no chunk holds all rows.

    >>> from hierrag_lessons import FixedSizeChunker, StructureChunker
    >>> rents = Document("rents", "| year | rent |\n|---|---|\n| 2024 | 900 |\n| 2025 | 950 |", "markdown")
    >>> detect_torn_tables(rents, FixedSizeChunker(30, 0, measure=len).chunk(rents)).said
    '1 of 1 tables torn, whole in no chunk'
    >>> detect_torn_tables(rents, StructureChunker(60, 0, measure=len).chunk(rents))

    ``figure`` is the share of the document's tables that are torn; ``where`` their places.

    Raises ``ValueError`` for what is no document, and chunks of another one.
    """
    spans = spans_of(document, chunks)
    tables = [block.span for block in read_blocks(document) if block.kind == "table"]
    torn = [table for table in tables if not any(a <= table.start and table.end <= b for a, b in spans)]
    if not torn:
        return None
    said = f"{len(torn)} of {len(tables)} tables torn, whole in no chunk"
    repair = "cut by structure: StructureChunker divides a table only where it is larger than max_size, between rows"
    places = tuple(f"{document.doc_id}:{start}-{end}" for start, end in torn)
    return Finding(6, said, len(torn) / len(tables), repair, places)


def spans_of(document: Document, chunks: Iterable[Located]) -> list[Span]:
    """The spans of chunks or nodes. Raises ``ValueError`` where one is of another document, or is none."""
    checks.instance("document", document, Document)
    given: list[Located] = checks.each("chunks", chunks, object)
    for chunk in given:
        if getattr(chunk, "doc_id", None) != document.doc_id:
            raise ValueError(f"chunks holds {chunk!r:.80}; give chunks or nodes of {document.doc_id!r}")
    return [Span(chunk.start, chunk.end) for chunk in given]
