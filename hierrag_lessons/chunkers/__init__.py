"""Chunkers: each cuts a document into chunks whose offsets are exact."""

from hierrag_lessons.chunkers.fixed import FixedSizeChunker
from hierrag_lessons.chunkers.recursive import CHINESE, ENGLISH, MARKDOWN, RecursiveChunker

__all__ = ["CHINESE", "ENGLISH", "MARKDOWN", "FixedSizeChunker", "RecursiveChunker"]
