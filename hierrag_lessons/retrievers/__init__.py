"""Retrievers: from a query to the passages that an answer is written from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hierrag_lessons.retrievers.flat import FlatRetriever
from hierrag_lessons.retrievers.parent_child import ParentChildRetriever
from hierrag_lessons.spans import Passage

__all__ = ["FlatRetriever", "ParentChildRetriever", "Retriever"]


class Retriever(Protocol):
    """Anything that finds passages: at most ``k``, sorted by ``sort_key``, no span of a document twice."""

    def retrieve(self, query: str, k: int = 5) -> list[Passage]:
        """The passages for one query."""

    def retrieve_batch(self, queries: Sequence[str], k: int = 5) -> list[list[Passage]]:
        """The passages for each query, the same as for each alone."""
