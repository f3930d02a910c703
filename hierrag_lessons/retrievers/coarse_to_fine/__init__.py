"""Coarse to fine: find the right documents, in them the right sections, in those the right passages.

Each level is a search of its own, constrained to what an earlier level found. The configuration (levels, constraints,
threshold, output level) follows the hierarchical retriever of the package ``gllm_retrieval``.
"""

from hierrag_lessons.retrievers.coarse_to_fine.level import IndexLevel, LevelConfig, LevelRetriever
from hierrag_lessons.retrievers.coarse_to_fine.retriever import CoarseToFineRetriever
from hierrag_lessons.retrievers.coarse_to_fine.trace import LevelTrace, Trace

__all__ = ["CoarseToFineRetriever", "IndexLevel", "LevelConfig", "LevelRetriever", "LevelTrace", "Trace"]
