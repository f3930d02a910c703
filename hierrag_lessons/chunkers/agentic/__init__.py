"""Agentic chunks: a language model draws the boundaries, and code sees to it that nothing goes wrong."""

from hierrag_lessons.chunkers.agentic.chunker import AgenticChunker
from hierrag_lessons.chunkers.agentic.parts import VERDICTS
from hierrag_lessons.chunkers.agentic.reports import AgenticReport, Estimate
from hierrag_lessons.chunkers.agentic.validator import REPAIRS

__all__ = ["REPAIRS", "VERDICTS", "AgenticChunker", "AgenticReport", "Estimate"]
