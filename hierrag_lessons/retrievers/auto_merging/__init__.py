"""Auto-merging: leaves are searched, and where enough leaves of a parent were found, the parent takes their place."""

from hierrag_lessons.retrievers.auto_merging.retriever import AutoMergingRetriever, MergeTrace, ScoreRule
from hierrag_lessons.retrievers.auto_merging.rule import Block, MergeDecision, Outcome, merge_upwards

__all__ = [
    "AutoMergingRetriever",
    "Block",
    "MergeDecision",
    "MergeTrace",
    "Outcome",
    "ScoreRule",
    "merge_upwards",
]
