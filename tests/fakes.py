"""Small, fast, deterministic stand-ins for tests: an embedder, a chunker, and documents made with them."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.model import Chunk, Document, Hierarchy, Span

ZOO = {
    "cats": "The cat sat on the mat. A second cat watched the running dog from the roof of the old barn.",
    "dogs": "Dogs run. A dog ran over the hill and the dogs were running home before the rain began.",
    "fish": "Quiet fish swim in the deep blue lake, far below the boats and the noisy gulls.",
}


@dataclass
class WordHashEmbedder:
    """A hashed bag of words (of characters in Chinese). A text without a word gets zeros: it has no direction."""

    dim: int = 64
    name: str = "word-hash"
    calls: list[list[str]] = field(default_factory=list)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.calls.append(list(texts))
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower()):
                row[zlib.crc32(word.encode()) % self.dim] += 1
            if row.any():
                row /= np.linalg.norm(row)
        return vectors


@dataclass(frozen=True)
class WordChunker:
    """Chunks of ``size`` words, or of ``size`` characters where ``pattern`` says so; white space between is dropped."""

    size: int
    pattern: str = r"\S+"
    context: str = ""

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        span = within or document.span
        words = list(re.compile(self.pattern, re.DOTALL).finditer(document.text, span.start, span.end))
        groups = [words[i : i + self.size] for i in range(0, len(words), self.size)]
        spans = [Span(group[0].start(), group[-1].end()) for group in groups]
        return [
            Chunk(document.doc_id, start, end, document.text[start:end], self.context, {"words": end - start})
            for start, end in spans
        ]


def hierarchy(document: Document | str, text: str = "", sizes: Sequence[int] = (12, 4), context: str = "") -> Hierarchy:
    """The hierarchy of a document, or of a new one from ``doc_id`` and ``text``: sections of 12 words, leaves of 4."""
    made = document if isinstance(document, Document) else Document(document, text)
    return build_hierarchy(made, [WordChunker(size, context=context) for size in sizes])
