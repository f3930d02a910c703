"""Structure chunks: cut where the author did, at headings, and tell each chunk the headings that it stands under."""

from hierrag_lessons.chunkers.structure.chunker import SEPARATOR, StructureChunker

__all__ = ["SEPARATOR", "StructureChunker"]
