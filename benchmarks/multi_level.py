"""What multi-level scoring costs, and what candidates lose against all units: ``python -m benchmarks.multi_level``.

On the course's largest collections, core and archive, with their development questions in users' words. Beyond 100,000
units only candidates are scored; here they are asked for although the units are few, so that both can be compared.
"""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, get_args

from benchmarks.results import best_seconds, write
from benchmarks.retrieval import with_candidates
from hierrag_lessons.chunkers import course_hierarchy, make_units
from hierrag_lessons.embedding import MiniLMEmbedder, default_embedder
from hierrag_lessons.evaluation import course_questions
from hierrag_lessons.model import Language
from hierrag_lessons.reading import Collection
from hierrag_lessons.retrievers import MultiLevelRetriever
from hierrag_lessons.store import Index

BEST = (10, 20)
EMBEDDED = 1000


def found(retriever: MultiLevelRetriever, queries: Sequence[str]) -> list[list[str]]:
    """The ids of the units in the order in which they are taken for each query."""
    traces = (retriever.trace(query, max(BEST)) for query in queries)
    return [[unit.node.node_id for unit in trace.units] for trace in traces]


def recall(whole: Sequence[Sequence[str]], part: Sequence[Sequence[str]], best: int) -> float:
    """The mean share of the ``best`` units of each query that are among the ``best`` of the other."""
    shares = [len({*a[:best]} & {*b[:best]}) / len(a[:best]) for a, b in zip(whole, part, strict=True) if a]
    return round(sum(shares) / len(shares), 4)


def kilobytes(index: Index, query: str) -> float:
    """The memory for each unit that the first search takes and keeps."""
    tracemalloc.start()
    MultiLevelRetriever(index).retrieve(query)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    units = index.units()
    return round((kept + units.rows.nbytes) / len(units) / 1000, 2)


def measure(language: Language) -> dict[str, Any]:
    """One language's collection."""
    asked = chain.from_iterable(course_questions(language, collection=c)[1] for c in get_args(Collection))
    queries = [question.question for question in asked if question.answerable]
    documents, _ = course_questions(language, collection="all")
    hierarchies = [make_units(course_hierarchy(document)) for document in documents]
    embedder = default_embedder(language)
    with tempfile.TemporaryDirectory() as temporary:
        folder = str(Path(temporary) / "units")
        index = Index.create(folder, embedder, language=language)
        index.add(hierarchies)
        candidates = with_candidates(folder, embedder)
        memory = {name: kilobytes(one, queries[0]) for name, one in (("all", index), ("candidates", candidates))}
        whole, part = (found(MultiLevelRetriever(one), queries) for one in (index, candidates))
        return {
            "units": len(index.units()),
            "queries": len(queries),
            "recall": {str(best): recall(whole, part, best) for best in BEST},
            "kilobytes_a_unit": memory,
        }


def build_over_embedding() -> float:
    """The time to make units of documents and to add them, over the time to embed them alone, which is part of it."""
    embedder = MiniLMEmbedder()  # without the cache
    documents, _ = course_questions("en")
    chosen, texts = [], list[str]()
    for document in documents:
        if len(texts) < EMBEDDED:
            chosen.append(document)
            texts += [unit.text for unit in make_units(course_hierarchy(document)).leaves]

    def build() -> None:
        with tempfile.TemporaryDirectory() as temporary:
            index = Index.create(str(Path(temporary) / "units"), embedder)
            index.add([make_units(course_hierarchy(document)) for document in chosen])

    embedder.encode(texts[:1])
    return round(best_seconds(build, 3) / best_seconds(lambda: embedder.encode(texts), 3), 2)


def main() -> None:
    """Measure both languages, and write ``results/multi_level.json``."""
    report: dict[str, Any] = {"collections": {language: measure(language) for language in get_args(Language)}}
    report["build_over_embedding"] = build_over_embedding()
    write("multi_level", report, ("lancedb", "numpy"))


if __name__ == "__main__":
    main()
