"""Milliseconds per query of the retrievers against a plain NumPy product: ``python -m benchmarks.retrieval``.

Vectors are random and made beforehand, so that only retrieval is timed: the search, the look-ups and the merging.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from statistics import median

import numpy as np

from benchmarks.results import write
from hierrag_lessons.chunkers import FixedSizeChunker
from hierrag_lessons.hierarchy import build_hierarchy
from hierrag_lessons.retrievers import FlatRetriever, ParentChildRetriever
from hierrag_lessons.spans import Document
from hierrag_lessons.store import Index

DIM = 384
QUERIES = 200


class RandomEmbedder:
    """Gives the n-th text that it is shown the n-th random unit vector; a query's number is its text."""

    name = "random"
    dim = DIM

    def __init__(self, rows: int) -> None:
        vectors = np.random.default_rng(0).standard_normal((rows + QUERIES, DIM), dtype=np.float32)
        self.vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        self.seen = 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """The next vectors, or those of the numbered queries."""
        if texts and texts[0].startswith("query "):
            return self.vectors[[-1 - int(text.split()[1]) for text in texts]]
        self.seen += len(texts)
        return self.vectors[self.seen - len(texts) : self.seen]


def milliseconds(run: Callable[[int], object]) -> float:
    """Median over the queries."""
    seconds = []
    for number in range(QUERIES):
        started = time.perf_counter()
        run(number)
        seconds.append(time.perf_counter() - started)
    return 1000 * median(seconds[10:])


def main() -> None:
    """Index documents of 100 leaves in 10 parents each, and time 12 hits."""
    results = {}
    for leaves in (10_000, 100_000):
        embedder = RandomEmbedder(leaves)
        chunkers = [FixedSizeChunker(500, measure=len), FixedSizeChunker(50, measure=len)]
        documents = [Document(f"d{n:04}", "word " * 1000) for n in range(leaves // 100)]
        with tempfile.TemporaryDirectory() as folder:
            index = Index.create(folder, embedder)
            started = time.perf_counter()
            index.add(build_hierarchy(document, chunkers) for document in documents)
            added = time.perf_counter() - started
            assert index.count(2) == leaves
            matrix = embedder.vectors[:leaves]

            def product(number: int, matrix: np.ndarray = matrix, embedder: RandomEmbedder = embedder) -> np.ndarray:
                scores = matrix @ embedder.vectors[-1 - number]
                best = np.argpartition(-scores, 12)[:12]
                return best[np.argsort(-scores[best])]

            flat, parents = FlatRetriever(index), ParentChildRetriever(index, children=12)
            times = {
                "NumPy product and top 12": milliseconds(product),
                "FlatRetriever, 12 passages": milliseconds(lambda n, r=flat: r.retrieve(f"query {n}", 12)),
                "ParentChildRetriever, 12 children": milliseconds(lambda n, r=parents: r.retrieve(f"query {n}", 12)),
                "FlatRetriever, 200 queries at once, per query": milliseconds_of_a_batch(flat),
            }
            results[f"{leaves} leaves"] = {
                "milliseconds": {name: round(value, 2) for name, value in times.items()},
                "seconds to add": round(added, 1),
            }
    write("retrieval", results, ("lancedb", "numpy"))


def milliseconds_of_a_batch(retriever: FlatRetriever) -> float:
    """Time of all queries in one call, divided by their number."""
    queries = [f"query {number}" for number in range(QUERIES)]
    started = time.perf_counter()
    retriever.retrieve_batch(queries, 12)
    return 1000 * (time.perf_counter() - started) / QUERIES


if __name__ == "__main__":
    main()
