"""Auto-merging: leaves are searched, and where enough leaves of a parent were found, the parent takes their place."""

from hierrag_lessons.retrievers.auto_merging.decisions import MAJORITY, KeptNode, MergeDecision, MergeOutcome
from hierrag_lessons.retrievers.auto_merging.growing import merge_by_rank
from hierrag_lessons.retrievers.auto_merging.retriever import AutoMergingRetriever, MergeScore, MergeTrace
from hierrag_lessons.retrievers.auto_merging.rule import merge_upwards, topmost

__all__ = [
    "MAJORITY",
    "AutoMergingRetriever",
    "KeptNode",
    "MergeDecision",
    "MergeOutcome",
    "MergeScore",
    "MergeTrace",
    "merge_by_rank",
    "merge_upwards",
    "topmost",
]
