"""Reranking: a slower, better judge reads what a search has found, and puts it into a new order.

Lesson 19 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, sort_key


class Reranker(Protocol):
    """Anything that judges how well texts answer a query."""

    def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """One score for each text, float64 of shape ``(len(texts),)``; higher is better."""
        ...


def rerank(query: str, hits: Sequence[Hit], reranker: Reranker) -> list[Hit]:
    """The hits with the reranker's scores, sorted by ``sort_key``; it reads each node's context and text.

    Raises ``ValueError`` where the reranker does not return one finite score for each text, and for a value of another
    type.
    """
    checks.text("query", query)
    hits = checks.each("hits", hits, Hit)
    checks.able("reranker", reranker, "score")
    scores = reranker_scores(query, [hit.node.embedding_text for hit in hits], reranker)
    return sorted((Hit(hit.node, score) for hit, score in zip(hits, scores, strict=True)), key=sort_key)


def reranker_scores(query: str, texts: Sequence[str], reranker: Reranker) -> list[float]:
    """The reranker's scores. Raises ``ValueError`` where it does not return one finite score for each text."""
    scores = np.asarray(reranker.score(query, texts), dtype=np.float64)
    if scores.shape != (len(texts),) or not np.isfinite(scores).all():
        raise ValueError(
            f"{reranker!r} returned scores of shape {scores.shape} for {len(texts)} texts; return a finite one for each"
        )
    return [float(score) for score in scores]
