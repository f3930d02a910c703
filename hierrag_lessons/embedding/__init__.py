"""Embedders: texts in, vectors of unit length out, so that a dot product is the cosine similarity."""

from hierrag_lessons.embedding.cache import CachedEmbedder, CacheWarning
from hierrag_lessons.embedding.char_ngrams import CharNgramEmbedder
from hierrag_lessons.embedding.default import default_embedder
from hierrag_lessons.embedding.late_chunking import embed_late
from hierrag_lessons.embedding.protocol import EmbeddingError, LimitedEmbedder, TruncationWarning
from hierrag_lessons.embedding.sentence_transformer import MiniLMEmbedder, SentenceTransformerEmbedder, minilm_folder
from hierrag_lessons.embedding.server import OpenAIEmbedder
from hierrag_lessons.embedding.sides import HypotheticalDocument, encode_queries
from hierrag_lessons.embedding.word_pieces import WordPieces

__all__ = [
    "CacheWarning",
    "CachedEmbedder",
    "CharNgramEmbedder",
    "EmbeddingError",
    "HypotheticalDocument",
    "LimitedEmbedder",
    "MiniLMEmbedder",
    "OpenAIEmbedder",
    "SentenceTransformerEmbedder",
    "TruncationWarning",
    "WordPieces",
    "default_embedder",
    "embed_late",
    "encode_queries",
    "minilm_folder",
]
