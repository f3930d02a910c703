"""Retrievers: from a query to the passages that an answer is written from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hierrag_lessons.retrievers.auto_merging import AutoMergingRetriever, MergeTrace, merge_upwards
from hierrag_lessons.retrievers.coarse_to_fine import CoarseToFineRetriever, IndexLevel, LevelConfig
from hierrag_lessons.retrievers.expanding import expand
from hierrag_lessons.retrievers.flat import FlatRetriever
from hierrag_lessons.retrievers.four_level import FourLevelRetriever
from hierrag_lessons.retrievers.hybrid import HybridRetriever
from hierrag_lessons.retrievers.parent_child import LocalWindow, ParentChildRetriever
from hierrag_lessons.retrievers.reranking import DiverseRetriever, RerankingRetriever
from hierrag_lessons.retrievers.resolving import resolve
from hierrag_lessons.retrievers.sentence_window import SentenceWindowRetriever, grow_hits
from hierrag_lessons.retrievers.summary_tree import SummaryTreeRetriever
from hierrag_lessons.spans import Passage

__all__ = [
    "AutoMergingRetriever",
    "CoarseToFineRetriever",
    "DiverseRetriever",
    "FlatRetriever",
    "FourLevelRetriever",
    "HybridRetriever",
    "IndexLevel",
    "LevelConfig",
    "LocalWindow",
    "MergeTrace",
    "ParentChildRetriever",
    "RerankingRetriever",
    "Retriever",
    "SentenceWindowRetriever",
    "SummaryTreeRetriever",
    "expand",
    "grow_hits",
    "merge_upwards",
    "resolve",
]


class Retriever(Protocol):
    """Anything that finds passages: at most ``k``, sorted by ``sort_key``, no span of a document twice."""

    def retrieve(self, query: str, k: int = 5) -> list[Passage]:
        """The passages for one query."""

    def retrieve_batch(self, queries: Sequence[str], k: int = 5) -> list[list[Passage]]:
        """The passages for each query, the same as for each alone."""
