"""Embedders: texts in, vectors of unit length out, so that a dot product is the cosine similarity.

Lesson 02 uses it.
"""

from __future__ import annotations

from hierrag_lessons import checks
from hierrag_lessons.embedding.cache import CachedEmbedder
from hierrag_lessons.embedding.char_ngrams import CharNgramEmbedder
from hierrag_lessons.embedding.sentence_transformer import MiniLMEmbedder
from hierrag_lessons.model import Embedder, Language


def default_embedder(language: Language = "en", *, bf16: bool = False) -> Embedder:
    """The embedder that the course uses for a language; both work without a network.

    English gets all-MiniLM-L6-v2 behind a cache. That model does not know most Chinese characters, so Chinese gets
    character n-grams, which take less time than a cache.

    With ``bf16`` all-MiniLM-L6-v2 computes with 16-bit numbers, see `SentenceTransformerEmbedder`.

    Raises ``ValueError`` for another language, and for ``bf16`` on a processor without instructions for it.
    """
    checks.instance("bf16", bf16, bool)
    if language == "en":
        return CachedEmbedder(MiniLMEmbedder(bf16))
    if language == "zh":
        return CharNgramEmbedder()
    raise ValueError(
        f"language is {language!r}; the course has an embedder for 'en' and one for 'zh': for another language, use "
        "SentenceTransformerEmbedder with a model that knows it"
    )
