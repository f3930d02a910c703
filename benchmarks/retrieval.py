"""Milliseconds per query of every retriever, embedding excluded: ``python -m benchmarks.retrieval``.

What is timed is the search, the look-ups and the merging, for 12 passages, at 10,000 and at 100,000 leaves. Queries and
texts have vectors that cost next to nothing, see ``benchmarks/synthetic.py``; models that rerank are left out for the
same reason. The yardstick is a NumPy product with all vectors and the choice of its 12 best.

Multi-level scoring searches as many units as the others search leaves, once with all vectors in memory and once with
candidates from LanceDB, as it does beyond 100,000 units.

The packages in ``peers.txt`` are measured in the same run, on the same leaves, vectors and queries, where they are
installed; how to install them beside the course stands in ``benchmarks/chunkers.py``.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any
from unittest.mock import patch

import numpy as np
from threadpoolctl import ThreadpoolController

from benchmarks.results import write
from benchmarks.retrieval_peers import PEERS
from benchmarks.synthetic import FirstSentences, Library, NumberEmbedder, make_library
from hierrag_lessons.agents import FixedPolicy, RetrievalTools, ToolRetriever
from hierrag_lessons.chunkers import make_units
from hierrag_lessons.model import Document, Embedder, Hierarchy, Retriever, Span
from hierrag_lessons.propositions import Proposition
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    CoarseToFineRetriever,
    DiverseRetriever,
    FlatRetriever,
    FourLevelRetriever,
    HybridRetriever,
    IndexLevel,
    LevelConfig,
    MultiLevelRetriever,
    ParentChildRetriever,
    RerankingRetriever,
    SentenceWindowRetriever,
    SummaryTreeRetriever,
)
from hierrag_lessons.store import Index, units
from hierrag_lessons.summaries import build_four_levels, build_summary_tree
from hierrag_lessons.text import split_sentences

SIZES = (10_000, 100_000)
HITS = 12
QUERIES = 100
LONGEST = 20.0  # seconds for one retriever, after which it has been asked enough
LEAST = 15  # queries

Ask = Callable[[str], object]


class SentencePropositions:
    """The first two sentences of each leaf as propositions."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def extract(self, document: Document, within: Span | None = None) -> list[Proposition]:
        """See ``RulePropositions``."""
        found = []
        for chunk in self.library.leaves.chunk(document, within):
            number = chunk.text.split()[0]
            for span in split_sentences(document.text, chunk.span)[:2]:
                text = document.text[slice(*span)]
                found.append(Proposition(document.doc_id, text if number in text else f"{number} {text}", (span,)))
        return found


class LengthReranker:
    """Judges a text by its length: what is left of reranking without a model."""

    def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """See :class:`~hierrag_lessons.ranking.Reranker`."""
        return np.array([len(text) % 97 for text in texts], dtype=np.float64)


def plain_retrievers(index: Index) -> dict[str, Retriever]:
    """Those that search leaves only."""
    flat = FlatRetriever(index)
    return {
        "flat": flat,
        "flat, text": FlatRetriever(index, mode="text"),
        "flat, hybrid": FlatRetriever(index, mode="hybrid"),
        "sentence window": SentenceWindowRetriever(index),
        "parent-child": ParentChildRetriever(index, coverage=0.3),
        "auto-merging": AutoMergingRetriever(index, threshold=0.5),
        "hybrid": HybridRetriever(index, fusion="reciprocal_rank"),
        "reranking, without the model": RerankingRetriever(flat, LengthReranker()),
        "diverse": DiverseRetriever(flat, index.embedder),
        "fixed policy with tools": ToolRetriever(FixedPolicy(RetrievalTools(index))),
    }


def layered_retrievers(index: Index) -> dict[str, Retriever]:
    """Those that search three levels of spans."""
    levels = [
        LevelConfig("part", IndexLevel(index, 1), 10),
        LevelConfig("section", IndexLevel(index, 2), 20, constrain_by="previous"),
        LevelConfig("leaf", IndexLevel(index, 3), 50, constrain_by="previous"),
    ]
    return {
        "hybrid, two levels": HybridRetriever(index, 3, {2: 0.5}, "reciprocal_rank"),
        "coarse to fine, three levels": CoarseToFineRetriever(levels),
    }


def tree_retrievers(index: Index) -> dict[str, Retriever]:
    """Both ways to search a tree of summaries."""
    return {
        "summary tree, collapsed": SummaryTreeRetriever(index),
        "summary tree, by layers": SummaryTreeRetriever(index, search="layers"),
    }


def units_of(library: Library, most: int) -> Iterator[Hierarchy]:
    """Hierarchies with units, of as many documents as have at most so many units together."""
    units = 0
    for document in library.documents:
        hierarchy = make_units(library.hierarchy(document))
        units += len(hierarchy.leaves)
        if units > most:
            return
        yield hierarchy


def unit_retrievers(folder: str, embedder: NumberEmbedder) -> dict[str, Retriever]:
    """Multi-level scoring with the vectors in memory, and with candidates."""
    return {
        "multi-level": MultiLevelRetriever(Index.open(folder, embedder)),
        "multi-level, candidates": MultiLevelRetriever(with_candidates(folder, embedder)),
    }


def with_candidates(folder: str, embedder: Embedder) -> Index:
    """An index that leaves the vectors of its units in LanceDB, however few they are."""
    index = Index.open(folder, embedder)
    with patch.object(units, "MOST_IN_MEMORY", 0):
        index.units()
    return index


def _tree(library: Library, embedder: NumberEmbedder, document: Document) -> Hierarchy:
    return build_summary_tree(document, [library.leaves], FirstSentences(), embedder)


def _four_levels(library: Library, document: Document) -> Hierarchy:
    chunkers, extractor = (library.parts, library.leaves), SentencePropositions(library)
    return build_four_levels(document, chunkers, summariser=FirstSentences(), extractor=extractor)


@contextmanager
def course(library: Library, embedder: NumberEmbedder) -> Iterator[tuple[dict[str, Retriever], dict[str, Any]]]:
    """Every retriever of the course on indexes of its own kind, and what the indexes hold."""
    kinds: dict[str, tuple[Callable[[Document], Hierarchy], Callable[[Index], dict[str, Retriever]]]] = {
        "leaves": (library.hierarchy, plain_retrievers),
        "three levels": (lambda d: replace(library.hierarchy(d), searched=frozenset({1, 2, 3})), layered_retrievers),
        "summary tree": (partial(_tree, library, embedder), tree_retrievers),
        "four levels": (partial(_four_levels, library), lambda index: {"four levels": FourLevelRetriever(index)}),
    }
    retrievers: dict[str, Retriever] = {}
    indexes: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name, (build, make) in kinds.items():
            index = Index.create(f"{temporary}/{name}", embedder)
            indexes[name] = added(index, [build(document) for document in library.documents])
            retrievers |= make(index)
        folder = f"{temporary}/units"
        index = Index.create(folder, embedder)
        made = list(units_of(library, sum(len(library.leaves.chunk(document)) for document in library.documents)))
        indexes["units"] = added(index, made)
        yield retrievers | unit_retrievers(folder, embedder), indexes


def added(index: Index, hierarchies: Sequence[Hierarchy]) -> dict[str, Any]:
    """Add the hierarchies, and say what the index holds."""
    started = time.perf_counter()
    index.add(hierarchies)
    return {
        "vectors": sum(level.vectors for level in index.storage()),
        "nodes": index.count(),
        "seconds_to_add": round(time.perf_counter() - started, 1),
    }


def product(library: Library, embedder: NumberEmbedder) -> Ask:
    """The yardstick: cosines with all leaves, and the best of them in order; one thread, which never waits."""
    matrix = embedder.encode([leaf.text for document in library.documents for leaf in library.leaves.chunk(document)])
    blas = ThreadpoolController()
    vectors = dict(zip(library.queries, embedder.encode(library.queries), strict=True))

    def ask(query: str) -> np.ndarray:
        with blas.limit(limits=1):
            scores = matrix @ vectors[query]
        best = np.argpartition(-scores, HITS)[:HITS]
        return best[np.argsort(-scores[best])]

    return ask


def milliseconds(asked: Mapping[str, Ask], queries: Sequence[str]) -> dict[str, list[float]]:
    """Times of each.

    They take turns of ten queries, so that a disturbance does not hit only one, and the first query of a turn is not
    counted: it pays for what the one before has left in the processor's caches.
    """
    times: dict[str, list[float]] = {name: [] for name in asked}
    for first in range(0, len(queries), 10):
        for name, ask in asked.items():
            if len(times[name]) < LEAST or sum(times[name]) < 1000 * LONGEST:
                ask(queries[first - 1])
                for query in queries[first : first + 10]:
                    started = time.perf_counter()
                    ask(query)
                    times[name].append(1000 * (time.perf_counter() - started))
    return times


def measure(leaves: int) -> dict[str, Any]:
    """All retrievers at one size."""
    library, embedder = make_library(leaves, QUERIES), NumberEmbedder(leaves)
    yardstick = {"NumPy product": product(library, embedder)}
    with course(library, embedder) as (retrievers, indexes):
        single: dict[str, Ask] = {name: partial(made.retrieve, k=HITS) for name, made in retrievers.items()}
        times = milliseconds(yardstick | single, library.queries)
        batches = {name: batch_milliseconds(made, library.queries) for name, made in retrievers.items()}
    for name, make in PEERS.items():
        if find_spec(name.split()[0]) is not None:
            times |= milliseconds(make(library, embedder, HITS), library.queries)
    one = float(np.median(times["NumPy product"]))
    return {
        "indexes": indexes,
        "milliseconds": {
            name: {
                "p50": round(float(np.median(own)), 2),
                "p90": round(float(np.quantile(own, 0.9)), 2),
                "over_numpy": round(float(np.median(own)) / one, 1),
                "queries": len(own),
            }
            for name, own in times.items()
        },
        "milliseconds_in_a_batch": batches,
    }


def batch_milliseconds(retriever: Retriever, queries: Sequence[str]) -> float:
    """Time of all queries in one call, divided by their number."""
    started = time.perf_counter()
    retriever.retrieve_batch(queries, HITS)
    return round(1000 * (time.perf_counter() - started) / len(queries), 2)


def main() -> None:
    """Measure both sizes and write ``results/retrieval.json``."""
    results = {str(leaves): measure(leaves) for leaves in SIZES}
    peers = {"llama_index": "llama-index-core", "langchain_classic": "langchain-classic"}
    installed = [package for name, package in peers.items() if find_spec(name)]
    write("retrieval", {"hits": HITS, "leaves": results}, ("lancedb", "numpy", *installed))


if __name__ == "__main__":
    main()
