"""Topic chunks: cluster the sentences, smooth the labels along the text, and cut where they change."""

from hierrag_lessons.chunkers.topic.chunker import TopicChunker, Topics, topic_boundaries
from hierrag_lessons.chunkers.topic.clusters import Clusters, TopicsRefusedError, distances, find_clusters
from hierrag_lessons.chunkers.topic.names import topic_names
from hierrag_lessons.chunkers.topic.smoothing import majority, viterbi

__all__ = [
    "Clusters",
    "TopicChunker",
    "Topics",
    "TopicsRefusedError",
    "distances",
    "find_clusters",
    "majority",
    "topic_boundaries",
    "topic_names",
    "viterbi",
]
