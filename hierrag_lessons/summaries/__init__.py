"""Summaries: derived texts that cite what they were made from, and hierarchies of them."""

from hierrag_lessons.summaries.cached import CachedSummariser
from hierrag_lessons.summaries.clustering import Cluster, SoftClustering
from hierrag_lessons.summaries.extractive import ExtractiveSummariser, lexrank
from hierrag_lessons.summaries.four_levels import build_four_levels, cited
from hierrag_lessons.summaries.protocol import Summariser, Summary
from hierrag_lessons.summaries.tree import build_summary_tree
from hierrag_lessons.summaries.written import LLMSummariser

__all__ = [
    "CachedSummariser",
    "Cluster",
    "ExtractiveSummariser",
    "LLMSummariser",
    "SoftClustering",
    "Summariser",
    "Summary",
    "build_four_levels",
    "build_summary_tree",
    "cited",
    "lexrank",
]
