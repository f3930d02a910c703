"""Agentic chunks: a language model draws the boundaries, and code sees to it that nothing goes wrong."""

from hierrag_lessons.chunkers.agentic.answers import REPAIRS, check_answer
from hierrag_lessons.chunkers.agentic.chunker import AgenticChunker, AgenticReport
from hierrag_lessons.chunkers.agentic.parts import VERDICTS, find_parts
from hierrag_lessons.chunkers.agentic.questions import SEGMENT_SCHEMA, Estimate, questions_about

__all__ = [
    "REPAIRS",
    "SEGMENT_SCHEMA",
    "VERDICTS",
    "AgenticChunker",
    "AgenticReport",
    "Estimate",
    "check_answer",
    "find_parts",
    "questions_about",
]
