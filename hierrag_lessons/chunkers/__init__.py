"""Chunkers: each cuts a document into chunks whose offsets are exact."""

from hierrag_lessons.chunkers.agentic import AgenticChunker
from hierrag_lessons.chunkers.dialogue import DialogueChunker
from hierrag_lessons.chunkers.fixed import FixedSizeChunker
from hierrag_lessons.chunkers.hybrid import HybridChunker
from hierrag_lessons.chunkers.recursive import CHINESE, CODE, ENGLISH, MARKDOWN, RecursiveChunker
from hierrag_lessons.chunkers.semantic import OptimalSemanticChunker, SemanticChunker
from hierrag_lessons.chunkers.sentence import SentenceChunker
from hierrag_lessons.chunkers.structure import StructureChunker
from hierrag_lessons.chunkers.text_tiling import TextTilingChunker
from hierrag_lessons.chunkers.topic import TopicChunker

__all__ = [
    "CHINESE",
    "CODE",
    "ENGLISH",
    "MARKDOWN",
    "AgenticChunker",
    "DialogueChunker",
    "FixedSizeChunker",
    "HybridChunker",
    "OptimalSemanticChunker",
    "RecursiveChunker",
    "SemanticChunker",
    "SentenceChunker",
    "StructureChunker",
    "TextTilingChunker",
    "TopicChunker",
]
