"""Indexes of any size for timing: texts of random sentences, and vectors that cost nothing and still have a meaning.

Each leaf's vector is made of noise of its own, of its section and of its document; a larger text has the mean of the
leaves in it. A query stands near four leaves, so that its hits are siblings here and single leaves there, as in texts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from zlib import crc32

import numpy as np

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.model import Chunk, Document, Hierarchy, Node, Span
from hierrag_lessons.reading import read_python_reference
from hierrag_lessons.summaries import Summary

DIM = 384
LEAVES = 200  # of each document
PER_SECTION, PER_PART = 10, 40
_NUMBER = re.compile(r"#(\d+)")


class NumberEmbedder:
    """Looks up the vectors of the leaves whose numbers stand in a text, ``#17``, in place of embedding it."""

    name, dim = "number", DIM

    def __init__(self, leaves: int) -> None:
        rng = np.random.default_rng(0)

        def noise(rows: int) -> np.ndarray:
            return rng.standard_normal((rows, DIM), dtype=np.float32)

        places = np.arange(leaves)
        own, sections, documents = noise(leaves), noise(leaves // PER_SECTION + 1), noise(leaves // LEAVES + 1)
        self.rows = own + 0.7 * sections[places // PER_SECTION] + 0.5 * documents[places // LEAVES]
        self._noise = 0.3 * noise(4096)  # Two texts of one leaf are not the same text.

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Float32 of shape ``(len(texts), 384)``, rows of unit length."""
        vectors = np.empty((len(texts), DIM), np.float32)
        for row, text in enumerate(texts):
            numbers = [int(number) for number in _NUMBER.findall(text)]
            vectors[row] = self.rows[numbers].sum(axis=0) + self._noise[crc32(text.encode()) % 4096]
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@dataclass(frozen=True)
class Cuts:
    """A chunker that knows the spans of every document beforehand."""

    spans: dict[str, list[Span]]

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """The spans inside ``within``."""
        limit, spans = within or document.span, self.spans[document.doc_id]
        first, last = bisect_left(spans, (limit.start, 0)), bisect_right(spans, limit.end, key=lambda span: span.end)
        return [Chunk(document.doc_id, *span, document.text[slice(*span)]) for span in spans[first:last]]


@dataclass(frozen=True)
class Library:
    """Documents with the spans of their leaves, sections of 10 leaves and parts of 40; and queries."""

    documents: list[Document]
    parts: Cuts
    sections: Cuts
    leaves: Cuts
    queries: list[str]

    def hierarchy(self, document: Document) -> Hierarchy:
        """Three levels below a document."""
        return build_hierarchy(document, [self.parts, self.sections, self.leaves])


def make_library(leaves: int, queries: int) -> Library:
    """Random documents of 200 leaves, each of six sentences of the Python reference and about 85 tokens."""
    rng = Random(0)
    texts = "\n".join(document.text for document in read_python_reference())
    sentences: list[str] = re.findall(r"[A-Z][^\n.#]{60,160}\.", texts)
    documents: list[Document] = []
    cuts: dict[int, dict[str, list[Span]]] = {1: {}, PER_SECTION: {}, PER_PART: {}}
    for first in range(0, leaves, LEAVES):
        pieces = [f"#{number} {' '.join(rng.choices(sentences, k=6))}" for number in range(first, first + LEAVES)]
        starts = [0]
        for piece in pieces:
            starts.append(starts[-1] + len(piece) + 2)
        document = Document(f"doc {first // LEAVES:04}", "\n\n".join(pieces))
        documents.append(document)
        for size, spans in cuts.items():
            edges = starts[::size]
            spans[document.doc_id] = [Span(a, b - 2) for a, b in pairwise(edges)]
    asked = [
        " ".join([*(f"#{rng.randrange(leaves)}" for _ in range(4)), *rng.choice(sentences).split()[:8]])
        for _ in range(queries)
    ]
    return Library(documents, Cuts(cuts[PER_PART]), Cuts(cuts[PER_SECTION]), Cuts(cuts[1]), asked)


class FirstSentences:
    """Sums up nodes by the first sentence of each of the first five: what a summary says does not change its price."""

    name = "first sentences"

    def summarise(self, document: Document, nodes: Sequence[Node], max_tokens: int) -> Summary:
        """See :class:`~hierrag_lessons.summaries.Summariser`."""
        starts = [node.spans[0].start for node in nodes[:5]]
        cites = tuple(Span(start, document.text.index(".", start) + 1) for start in starts)
        return Summary("\n".join(document.text[slice(*cite)] for cite in cites), cites)
