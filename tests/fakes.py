"""Small, fast, deterministic stand-ins for tests: an embedder, and documents made with a chunker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.contracts import shelf
from hierrag_lessons.contracts.shelf import ZOO, WordChunker
from hierrag_lessons.model import Document, Hierarchy

__all__ = ["ZOO", "WordChunker", "WordHashEmbedder", "hierarchy"]


@dataclass(frozen=True)
class WordHashEmbedder(shelf.WordHashEmbedder):
    """The embedder of the shelf, which remembers what it was asked."""

    calls: list[list[str]] = field(default_factory=list)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.calls.append(list(texts))
        return super().encode(texts)


def hierarchy(document: Document | str, text: str = "", sizes: Sequence[int] = (12, 4), context: str = "") -> Hierarchy:
    """The hierarchy of a document, or of a new one from ``doc_id`` and ``text``: sections of 12 words, leaves of 4."""
    made = document if isinstance(document, Document) else Document(document, text)
    return build_hierarchy(made, [WordChunker(size, context=context) for size in sizes])
