"""What a chunker, an embedder and a retriever is: anything with these methods.

Lesson 01 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from hierrag_lessons.model.documents import Chunk, Document, Span
from hierrag_lessons.model.filters import Where
from hierrag_lessons.model.results import Passage

if TYPE_CHECKING:
    import numpy as np


class Chunker(Protocol):
    """Anything that cuts a document, or the part ``within`` of it, into chunks with offsets in the whole document."""

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut the document, or the part ``within`` of it; offsets count from the document's beginning."""
        ...


class Embedder(Protocol):
    """Anything that turns texts into vectors of unit length, so that a dot product is the cosine similarity.

    Many models are trained to embed a question in another way than a document. An embedder for one of them has the
    method ``encode_queries``, too, which takes and returns what ``encode`` does; ``encode`` is then for documents.
    """

    @property
    def name(self) -> str:
        """The name that is written into an index; two embedders with one name must give the same vectors."""
        ...

    @property
    def dim(self) -> int:
        """Length of each vector."""
        ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts.

        Returns
        -------
        np.ndarray
            float32, shape ``(len(texts), dim)``; ``(0, dim)`` for no texts. Each row has length 1, except where the
            embedder finds nothing at all in a text: that row is zero, and so is its similarity to everything.
        """
        ...


class Retriever(Protocol):
    """Anything that finds passages: at most ``k``, sorted by ``sort_key``, no span of a document twice.

    With ``where``, a filter as in ``Index.search_batch``, every hit of every passage lies inside it, and the search
    itself keeps to it: where there are ``k`` passages inside, ``k`` are found. What a retriever returns around a hit or
    in its place (a window, a parent, a merged block) may reach text outside: the filter is on what was hit.
    """

    def retrieve(self, query: str, k: int = 5, where: Where | None = None) -> list[Passage]:
        """The passages for one query."""

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The passages for each query, the same as for each alone; one filter for all of them."""
