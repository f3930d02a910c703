"""Ranking: several rankings become one, and a found text is judged again."""

from hierrag_lessons.ranking.fusion import reciprocal_rank_fusion
from hierrag_lessons.ranking.reranking import Reranker, rerank

__all__ = ["Reranker", "reciprocal_rank_fusion", "rerank"]
