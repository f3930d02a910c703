"""Embedders: texts in, vectors of unit length out, so that a dot product is the cosine similarity."""

from __future__ import annotations

from hierrag_lessons.embedding.cache import CachedEmbedder, CacheWarning
from hierrag_lessons.embedding.char_ngrams import CharNgramEmbedder
from hierrag_lessons.embedding.protocol import Embedder, EmbeddingError, LimitedEmbedder, TruncationWarning
from hierrag_lessons.embedding.sentence_transformer import MiniLMEmbedder, SentenceTransformerEmbedder
from hierrag_lessons.embedding.server import OpenAIEmbedder
from hierrag_lessons.spans import Language

__all__ = [
    "CacheWarning",
    "CachedEmbedder",
    "CharNgramEmbedder",
    "Embedder",
    "EmbeddingError",
    "LimitedEmbedder",
    "MiniLMEmbedder",
    "OpenAIEmbedder",
    "SentenceTransformerEmbedder",
    "TruncationWarning",
    "default_embedder",
]


def default_embedder(language: Language = "en") -> Embedder:
    """The embedder that the course uses for a language; both work without a network.

    English gets all-MiniLM-L6-v2 behind a cache. That model does not know most Chinese characters, so Chinese gets
    character n-grams, which take less time than a cache.

    Raises ``ValueError`` for another language.
    """
    if language == "en":
        return CachedEmbedder(MiniLMEmbedder())
    if language == "zh":
        return CharNgramEmbedder()
    raise ValueError(
        f"language is {language!r}; the course has an embedder for 'en' and one for 'zh': for another language, use "
        "SentenceTransformerEmbedder with a model that knows it"
    )
