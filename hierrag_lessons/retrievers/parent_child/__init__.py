"""Search small, return large: children are searched, their parents are returned, whole or around what was hit."""

from hierrag_lessons.retrievers.parent_child.retriever import ParentChildRetriever
from hierrag_lessons.retrievers.parent_child.scoring import (
    ParentScore,
    density_score,
    reciprocal_rank_score,
    weighted_score,
)
from hierrag_lessons.retrievers.parent_child.windows import LocalWindow

__all__ = [
    "LocalWindow",
    "ParentChildRetriever",
    "ParentScore",
    "density_score",
    "reciprocal_rank_score",
    "weighted_score",
]
