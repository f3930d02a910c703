"""Auto-merging: leaves are searched, and where enough leaves of a parent were found, the parent takes their place."""

from hierrag_lessons.retrievers.auto_merging.retriever import AutoMergingRetriever, MergeScore, MergeTrace
from hierrag_lessons.retrievers.auto_merging.rule import KeptNode, MergeDecision, MergeOutcome, merge_upwards, topmost

__all__ = [
    "AutoMergingRetriever",
    "KeptNode",
    "MergeDecision",
    "MergeOutcome",
    "MergeScore",
    "MergeTrace",
    "merge_upwards",
    "topmost",
]
