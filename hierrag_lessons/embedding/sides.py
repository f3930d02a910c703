"""The two sides of an embedder: many models are trained to embed a question in another way than a document.

Lesson 02 uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self, cast

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.embedding.protocol import LimitedEmbedder
from hierrag_lessons.model import Embedder


class HypotheticalDocument(str):
    """A query that is worded as a document, such as a passage that `HyDE` asks for, and so is embedded as a document.

    >>> HypotheticalDocument("Deliveries after 08:00 count as late.")
    'Deliveries after 08:00 count as late.'

    In all else it is a text like any other. Raises ``ValueError`` for what is no text.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """The text, marked."""
        checks.text("text", text)
        return super().__new__(cls, text)


def encode_queries(embedder: Embedder, texts: Sequence[str]) -> np.ndarray:
    """Embed questions with an embedder's ``encode_queries``, or with its ``encode`` where it has no such method.

    >>> from hierrag_lessons import CharNgramEmbedder
    >>> encode_queries(CharNgramEmbedder(64), ["When is a delivery late?"]).shape
    (1, 64)

    A `HypotheticalDocument` is embedded with ``encode``. Returns float32 of shape ``(len(texts), embedder.dim)``, one
    row of unit length for each text, or of zeros. Raises ``ValueError`` for what is no embedder.
    """
    checks.able("embedder", embedder, "encode")
    ask: Callable[[Sequence[str]], np.ndarray] | None = getattr(embedder, "encode_queries", None)
    if ask is None:
        return embedder.encode(texts)
    documents = np.array([isinstance(text, HypotheticalDocument) for text in texts], dtype=bool)
    if not documents.any():
        return ask(texts)
    vectors = np.empty((len(texts), embedder.dim), dtype=np.float32)
    for side, encode in ((documents, embedder.encode), (~documents, ask)):
        vectors[side] = encode([texts[row] for row in np.flatnonzero(side).tolist()])
    return vectors


def two_sided(embedder: Embedder) -> bool:
    """Whether one text can have two vectors, that of a question and that of a document.

    An embedder with a method ``encode_queries`` is, unless its attribute ``two_sided`` says otherwise.
    """
    return hasattr(embedder, "encode_queries") and bool(getattr(embedder, "two_sided", True))


def named(model: str, **settings: str | bool) -> str:
    """A name that says all that vectors depend on: the model, and the settings that are not empty.

    >>> named("e5-small", query_prompt="query: ", document_prompt="passage: ", bf16=False)
    "e5-small (query_prompt='query: ', document_prompt='passage: ')"
    """
    said = ", ".join(f"{name}={value!r}" for name, value in settings.items() if value)
    return f"{model} ({said})" if said else model


class QuerySide:
    """The query side of a two-sided embedder as an embedder of its own, with a name of its own."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.max_tokens: int | None = embedder.max_tokens if isinstance(embedder, LimitedEmbedder) else None

    @property
    def name(self) -> str:
        """The embedder's name, and that these are queries."""
        return f"{self.embedder.name} (queries)"

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return self.embedder.dim

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed questions."""
        return encode_queries(self.embedder, texts)

    def count_word_pieces(self, texts: Sequence[str]) -> list[int]:
        """Number of word pieces of each question, counted as ``max_tokens`` is."""
        return cast("LimitedEmbedder", self.embedder).count_word_pieces(texts, query=True)
