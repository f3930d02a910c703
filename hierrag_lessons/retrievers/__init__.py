"""Retrievers: from a query to the passages that an answer is written from."""

from hierrag_lessons.retrievers.auto_merging.decisions import MAJORITY, MergeDecision
from hierrag_lessons.retrievers.auto_merging.growing import merge_by_rank
from hierrag_lessons.retrievers.auto_merging.retriever import AutoMergingRetriever, MergeTrace
from hierrag_lessons.retrievers.auto_merging.rule import merge_upwards, topmost
from hierrag_lessons.retrievers.coarse_to_fine.level import IndexLevel, LevelConfig
from hierrag_lessons.retrievers.coarse_to_fine.retriever import CoarseToFineRetriever
from hierrag_lessons.retrievers.coarse_to_fine.trace import LevelTrace, Trace
from hierrag_lessons.retrievers.entity_graph import EntityGraphRetriever
from hierrag_lessons.retrievers.expanding import expand
from hierrag_lessons.retrievers.flat import FlatRetriever
from hierrag_lessons.retrievers.four_level import BANDS, FourLevelRetriever, grade
from hierrag_lessons.retrievers.hybrid import HybridRetriever
from hierrag_lessons.retrievers.multi_level.retriever import MultiLevelRetriever
from hierrag_lessons.retrievers.multi_level.trace import LevelScores, MultiLevelTrace, UnitTrace
from hierrag_lessons.retrievers.parent_child.retriever import ParentChildRetriever
from hierrag_lessons.retrievers.parent_child.scoring import density_score, reciprocal_rank_score, weighted_score
from hierrag_lessons.retrievers.parent_child.windows import LocalWindow
from hierrag_lessons.retrievers.reranking import DiverseRetriever, RerankingRetriever
from hierrag_lessons.retrievers.resolving import resolve
from hierrag_lessons.retrievers.segments import SegmentRetriever
from hierrag_lessons.retrievers.sentence_window import SentenceWindowRetriever, grow_hits
from hierrag_lessons.retrievers.summary_tree import SummaryTreeRetriever

__all__ = [
    "BANDS",
    "MAJORITY",
    "AutoMergingRetriever",
    "CoarseToFineRetriever",
    "DiverseRetriever",
    "EntityGraphRetriever",
    "FlatRetriever",
    "FourLevelRetriever",
    "HybridRetriever",
    "IndexLevel",
    "LevelConfig",
    "LevelScores",
    "LevelTrace",
    "LocalWindow",
    "MergeDecision",
    "MergeTrace",
    "MultiLevelRetriever",
    "MultiLevelTrace",
    "ParentChildRetriever",
    "RerankingRetriever",
    "SegmentRetriever",
    "SentenceWindowRetriever",
    "SummaryTreeRetriever",
    "Trace",
    "UnitTrace",
    "density_score",
    "expand",
    "grade",
    "grow_hits",
    "merge_by_rank",
    "merge_upwards",
    "reciprocal_rank_score",
    "resolve",
    "topmost",
    "weighted_score",
]
