"""Ranking: several rankings become one, a found text is judged again, and what repeats is left out."""

from hierrag_lessons.ranking.cross_encoder import CrossEncoderReranker
from hierrag_lessons.ranking.diversity import mmr
from hierrag_lessons.ranking.fusion import reciprocal_rank_fusion, z_score_fusion
from hierrag_lessons.ranking.late_interaction import MaxSimReranker, max_sim
from hierrag_lessons.ranking.reranking import Reranker, rerank

__all__ = [
    "CrossEncoderReranker",
    "MaxSimReranker",
    "Reranker",
    "max_sim",
    "mmr",
    "reciprocal_rank_fusion",
    "rerank",
    "z_score_fusion",
]
