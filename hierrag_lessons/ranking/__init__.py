"""Ranking: several rankings become one, a found text is judged again, and what repeats is left out."""

from hierrag_lessons.ranking.bm25 import BM25, count_terms
from hierrag_lessons.ranking.cross_encoder import CrossEncoderReranker
from hierrag_lessons.ranking.diversity import mmr
from hierrag_lessons.ranking.fusion import reciprocal_rank_fusion, z_score_fusion
from hierrag_lessons.ranking.late_interaction import MaxSimReranker, max_sim
from hierrag_lessons.ranking.page_rank import personalised_page_rank
from hierrag_lessons.ranking.reranking import Reranker, rerank
from hierrag_lessons.ranking.stopping import Stop

__all__ = [
    "BM25",
    "CrossEncoderReranker",
    "MaxSimReranker",
    "Reranker",
    "Stop",
    "count_terms",
    "max_sim",
    "mmr",
    "personalised_page_rank",
    "reciprocal_rank_fusion",
    "rerank",
    "z_score_fusion",
]
