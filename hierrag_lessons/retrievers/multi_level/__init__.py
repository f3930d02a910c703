"""Multi-level scoring: every level that a unit lies in speaks for its score."""

from hierrag_lessons.retrievers.multi_level.retriever import MultiLevelRetriever
from hierrag_lessons.retrievers.multi_level.trace import LevelScores, MultiLevelTrace, UnitTrace

__all__ = ["LevelScores", "MultiLevelRetriever", "MultiLevelTrace", "UnitTrace"]
