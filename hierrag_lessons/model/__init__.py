"""The data model: documents, spans, chunks, nodes, hits, passages; and what a chunker, an embedder, a retriever is.

Lesson 01 builds it.

A document is one immutable string. A chunk, a sentence, a section, a retrieved passage and a piece of gold evidence
are all half-open ranges ``[start, end)`` of it, counted in code points (Python string indices) from its beginning.
"""

from hierrag_lessons.model.documents import JSON, Chunk, Document, Kind, Language, Span, join_context
from hierrag_lessons.model.filters import AllOf, Prefix, Where, allows, both
from hierrag_lessons.model.hierarchy import Hierarchy, Node
from hierrag_lessons.model.protocols import Chunker, Embedder, Retriever
from hierrag_lessons.model.results import Hit, Passage, sort_key

__all__ = [
    "JSON",
    "AllOf",
    "Chunk",
    "Chunker",
    "Document",
    "Embedder",
    "Hierarchy",
    "Hit",
    "Kind",
    "Language",
    "Node",
    "Passage",
    "Prefix",
    "Retriever",
    "Span",
    "Where",
    "allows",
    "both",
    "join_context",
    "sort_key",
]
