"""Scoring merged nodes by their own text, and not by the hits in them.

Lesson 15 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hierrag_lessons.embedding import encode_queries
from hierrag_lessons.model import Hit
from hierrag_lessons.ranking import Reranker, rerank
from hierrag_lessons.retrievers.auto_merging.decisions import KeptNode

if TYPE_CHECKING:
    from hierrag_lessons.model import Embedder


@dataclass(frozen=True)
class CosineReranker:
    """Scores a text as an index does in mode ``vector``: cosine similarity with the query."""

    embedder: Embedder

    def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """One cosine similarity for each text, float64 of shape ``(len(texts),)``."""
        [asked] = np.asarray(encode_queries(self.embedder, [query]), dtype=np.float64)
        return np.asarray(np.asarray(self.embedder.encode(texts), dtype=np.float64) @ asked)


def rescore(query: str, kept: Sequence[KeptNode], reranker: Reranker, keep_scores: bool) -> list[Hit]:
    """The nodes, each with the reranker's score of its own text.

    With ``keep_scores``, a node that was hit keeps the score that it has as a hit.
    """
    known = {hit.node.node_id: hit.score for each in kept for hit in each.hits} if keep_scores else {}
    new = [Hit(each.node, 0.0) for each in kept if each.node.node_id not in known]
    if new:
        known |= {hit.node.node_id: hit.score for hit in rerank(query, new, reranker)}
    return [Hit(each.node, known[each.node.node_id]) for each in kept]
