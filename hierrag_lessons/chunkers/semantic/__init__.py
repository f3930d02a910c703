"""Semantic chunks: cut where the meaning turns. Greedily at the largest turns, or optimally by dynamic programming."""

from hierrag_lessons.chunkers.semantic.greedy import NoveltyCurve, SemanticChunker, semantic_boundaries
from hierrag_lessons.chunkers.semantic.novelty import novelty, sentence_vectors
from hierrag_lessons.chunkers.semantic.optimal import OptimalSemanticChunker, optimal_boundaries

__all__ = [
    "NoveltyCurve",
    "OptimalSemanticChunker",
    "SemanticChunker",
    "novelty",
    "optimal_boundaries",
    "semantic_boundaries",
    "sentence_vectors",
]
