"""Scoring blocks by what they are, and not by the hits in them.

Lesson 15 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hierrag_lessons.model import Hit
from hierrag_lessons.ranking import Reranker, rerank
from hierrag_lessons.retrievers.auto_merging.rule import Block

if TYPE_CHECKING:
    from hierrag_lessons.model import Embedder


@dataclass(frozen=True)
class CosineReranker:
    """Scores a text as an index does in mode ``vector``: cosine similarity with the query."""

    embedder: Embedder

    def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """One cosine similarity for each text, float64 of shape ``(len(texts),)``."""
        vectors = np.asarray(self.embedder.encode([query, *texts]), dtype=np.float64)
        return np.asarray(vectors[1:] @ vectors[0])


def rescore(query: str, blocks: Sequence[Block], reranker: Reranker, keep_hits: bool) -> list[Hit]:
    """The blocks' nodes, each with the reranker's score of its own text.

    With ``keep_hits``, a node that was hit keeps the score that it has as a hit.
    """
    known = {hit.node.node_id: hit.score for block in blocks for hit in block.hits} if keep_hits else {}
    new = [Hit(block.node, 0.0) for block in blocks if block.node.node_id not in known]
    if new:
        known |= {hit.node.node_id: hit.score for hit in rerank(query, new, reranker)}
    return [Hit(block.node, known[block.node.node_id]) for block in blocks]
