"""Chunkers: each cuts a document into chunks whose offsets are exact."""

from hierrag_lessons.chunkers.agentic import (
    SEGMENT_SCHEMA,
    AgenticChunker,
    AgenticReport,
    Estimate,
    check_answer,
    find_parts,
    questions_about,
)
from hierrag_lessons.chunkers.cutting import join_units
from hierrag_lessons.chunkers.dialogue import DialogueChunker
from hierrag_lessons.chunkers.fixed import FixedSizeChunker
from hierrag_lessons.chunkers.hierarchies import (
    BROAD_CHUNKERS,
    COURSE_CHUNKERS,
    Level,
    broad_hierarchy,
    build_hierarchy,
    course_hierarchy,
    sentence_hierarchy,
)
from hierrag_lessons.chunkers.hybrid import RUNNING_TEXT, HybridChunker
from hierrag_lessons.chunkers.recursive import CHINESE, CODE, ENGLISH, MARKDOWN, RecursiveChunker
from hierrag_lessons.chunkers.semantic.greedy import SemanticChunker, semantic_boundaries
from hierrag_lessons.chunkers.semantic.novelty import cues, sentence_vectors
from hierrag_lessons.chunkers.semantic.optimal import OptimalSemanticChunker, optimal_boundaries
from hierrag_lessons.chunkers.sentence import SentenceChunker, sentence_units
from hierrag_lessons.chunkers.structure.chunker import StructureChunker
from hierrag_lessons.chunkers.text_tiling import TextTilingChunker, lexical_boundaries, words
from hierrag_lessons.chunkers.topic.chunker import TopicChunker, topic_boundaries
from hierrag_lessons.chunkers.topic.clusters import TopicsRefusedError, distances, find_clusters
from hierrag_lessons.chunkers.topic.names import topic_names
from hierrag_lessons.chunkers.topic.smoothing import majority, viterbi
from hierrag_lessons.chunkers.units import make_units

__all__ = [
    "BROAD_CHUNKERS",
    "CHINESE",
    "CODE",
    "COURSE_CHUNKERS",
    "ENGLISH",
    "MARKDOWN",
    "RUNNING_TEXT",
    "SEGMENT_SCHEMA",
    "AgenticChunker",
    "AgenticReport",
    "DialogueChunker",
    "Estimate",
    "FixedSizeChunker",
    "HybridChunker",
    "Level",
    "OptimalSemanticChunker",
    "RecursiveChunker",
    "SemanticChunker",
    "SentenceChunker",
    "StructureChunker",
    "TextTilingChunker",
    "TopicChunker",
    "TopicsRefusedError",
    "broad_hierarchy",
    "build_hierarchy",
    "check_answer",
    "course_hierarchy",
    "cues",
    "distances",
    "find_clusters",
    "find_parts",
    "join_units",
    "lexical_boundaries",
    "majority",
    "make_units",
    "optimal_boundaries",
    "questions_about",
    "semantic_boundaries",
    "sentence_hierarchy",
    "sentence_units",
    "sentence_vectors",
    "topic_boundaries",
    "topic_names",
    "viterbi",
    "words",
]
