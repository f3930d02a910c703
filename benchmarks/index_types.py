"""Vector indexes of LanceDB against exact search: ``python -m benchmarks.index_types [LEAVES | texts] [KIND ...]``.

Measured are the share of the exact 10 best that is found, the milliseconds of one query (p50: half are faster; p95: 19
of 20 are), the seconds that building takes and the bytes on the disk. An index of the kind IVF divides the vectors into
lists of neighbours, about as many as the root of their number, and looks into the lists nearest to the query. Exact
search is measured twice: LanceDB reads the vectors from its files, and NumPy has them in memory and multiplies.

With a number, 100,000 by default, the vectors are synthetic, with trees as they are in texts: leaves of one section and
of one document are nearer to each other, and a query stands near four leaves, see ``benchmarks/synthetic.py``. With
``texts`` they are those of the sentences of the English texts, their archive and the Python reference, asked the
development questions; and as many synthetic ones are measured beside them.

A million leaves need 8 GB of memory and an hour: ``python -m benchmarks.index_types 1000000``. With names of kinds
behind it, such as ``"exact, in memory"``, these alone are measured, and the other rows stay as they were.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import HnswSq, IvfFlat, IvfPq, IvfSq

from benchmarks.results import RESULTS, read, write
from benchmarks.synthetic import DIM, NumberEmbedder
from hierrag_lessons.chunkers import course_hierarchy, make_units
from hierrag_lessons.embedding import default_embedder
from hierrag_lessons.evaluation import course_questions

K = 10
QUERIES = 200
PER_LIST = 256  # vectors that LanceDB wants for each list, or it makes fewer lists


@dataclass(frozen=True)
class Kind:
    """An index and how it is asked: lists to look into, hits looked at again in full, nodes of a graph to visit."""

    config: Any = None
    lists: int | None = None  # about the root of the number of vectors
    probes: tuple[int, ...] = (20, 80)
    refine: int = 0
    visited: int = 0
    memory: bool = False  # one product of NumPy with all vectors


PQ = partial(IvfPq, num_sub_vectors=DIM // 8)
KINDS = {
    "exact": Kind(probes=(0,)),
    "exact, in memory": Kind(probes=(0,), memory=True),
    "IVF_FLAT": Kind(IvfFlat),
    "IVF_SQ": Kind(IvfSq),
    "IVF_PQ": Kind(PQ),
    "IVF_PQ, 10 times as many looked at again": Kind(PQ, refine=10),
    "IVF_HNSW_SQ, 64 visited": Kind(HnswSq, lists=1, probes=(1,), visited=64),
    "IVF_HNSW_SQ, 512 visited": Kind(HnswSq, lists=1, probes=(1,), visited=512),
}


def synthetic(leaves: int) -> tuple[np.ndarray, np.ndarray]:
    """The vectors of so many leaves, and of the queries."""
    embedder = NumberEmbedder(leaves)
    vectors = embedder.rows / np.linalg.norm(embedder.rows, axis=1, keepdims=True)
    rng = Random(0)
    return vectors, embedder.encode([" ".join(f"#{rng.randrange(leaves)}" for _ in range(4)) for _ in range(QUERIES)])


def of_texts() -> tuple[np.ndarray, np.ndarray]:
    """The vectors of all units of the English texts and the Python reference, and of their development questions."""
    texts, questions = [], []
    for source, collection in (("en", "all"), ("python", "core")):
        documents, own = course_questions(source, collection=collection)  # type: ignore[arg-type]
        units = (unit for document in documents for unit in make_units(course_hierarchy(document)).leaves)
        texts += [unit.embedding_text for unit in units]
        questions += [question.question for question in own]
    questions += [question.question for question in course_questions("en")[1]]
    embedder = default_embedder("en")
    return embedder.encode(texts), embedder.encode(questions)


def measure(vectors: np.ndarray, asked: np.ndarray, names: Collection[str] = tuple(KINDS)) -> list[dict[str, Any]]:
    """The kinds on the same vectors; ``probes`` of so many ``lists`` are searched, none where the search is exact."""
    scores = asked @ vectors.T
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        data = pa.table({"number": pa.array(range(len(vectors))), "vector": rows})
        table, built, seconds = None, "", 0.0
        for name in names:
            kind = KINDS[name]
            lists = kind.lists or min(round(len(vectors) ** 0.5), len(vectors) // PER_LIST)
            index = name.partition(",")[0]
            if built != index:
                table, built = lancedb.connect(Path(folder) / index).create_table("leaves", data), index
                started = time.perf_counter()
                if kind.config is not None:
                    table.create_index("vector", config=kind.config(distance_type="cosine", num_partitions=lists))
                seconds = time.perf_counter() - started
            size = sum(path.stat().st_size for path in (Path(folder) / index).rglob("*") if path.is_file())
            for probes in kind.probes:
                ask = partial(in_memory, vectors) if kind.memory else searcher(table, kind, probes)
                figures = asked_of(ask, asked, scores)
                row = {"index": name, "probes": probes, "lists": lists, **figures}
                found.append({**row, "seconds_to_build": round(seconds, 1), "megabytes": round(size / 1e6, 1)})
                print(found[-1], flush=True)
    return found


def searcher(table: Any, kind: Kind, probes: int) -> Callable[[np.ndarray], list[int]]:
    """A function from a vector to the numbers of the ten leaves that a search finds."""

    def ask(vector: np.ndarray) -> list[int]:
        search = table.search(vector).distance_type("cosine").select(["number", "_distance"]).limit(K)
        search = search.nprobes(probes) if probes else search.bypass_vector_index()
        if kind.refine:
            search = search.refine_factor(kind.refine)
        if kind.visited:
            search = search.ef(kind.visited)
        return list(search.to_arrow()["number"].to_pylist())

    return ask


def in_memory(vectors: np.ndarray, vector: np.ndarray) -> list[int]:
    """The numbers of the ten leaves that are nearest to a vector, best first, of all that lie in memory."""
    scores = vectors @ vector
    best = np.argpartition(-scores, K)[:K]
    return [int(number) for number in best[np.argsort(-scores[best])]]


def asked_of(ask: Callable[[np.ndarray], list[int]], asked: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """Recall against the exact answer, and times; the first queries, which fill caches, are not counted.

    Found counts what scores as the tenth best does or better: of equal sentences it does not matter which one it is.
    """
    for vector in asked[:10]:
        ask(vector)
    times, shares = [], []
    for vector, own in zip(asked, scores, strict=True):
        started = time.perf_counter()
        numbers = ask(vector)
        times.append(1000 * (time.perf_counter() - started))
        least = np.partition(own, -K)[-K] - 1e-6
        shares.append(np.mean(own[numbers] >= least) * len(numbers) / K)
    return {
        "recall": round(float(np.mean(shares)), 3),
        "p50": round(float(np.quantile(times, 0.5)), 1),
        "p95": round(float(np.quantile(times, 0.95)), 1),
    }


def main() -> None:
    """Measure what is asked for, and write it beside what was measured before in ``results/index_types.json``."""
    wanted, names = (sys.argv[1] if len(sys.argv) > 1 else "100000"), sys.argv[2:] or list(KINDS)
    results = read("index_types") if (RESULTS / "index_types.json").exists() else {"leaves": {}}
    if wanted == "texts":
        vectors, asked = of_texts()
        before = results.get("texts", {}).get("found", [])
        found = beside(before, measure(vectors, asked, names))
        results["texts"] = {"leaves": len(vectors), "queries": len(asked), "found": found}
        wanted = str(len(vectors))
    before = results["leaves"].get(wanted, [])
    leaves = {**results["leaves"], wanted: beside(before, measure(*synthetic(int(wanted)), names))}
    ordered = dict(sorted(leaves.items(), key=lambda item: int(item[0])))
    kept = {name: value for name, value in results.items() if name not in ("machine", "leaves")}
    fixed = {"k": K, "queries": QUERIES, "dimensions": DIM}
    write("index_types", {**kept, **fixed, "leaves": ordered}, ("lancedb", "numpy"))


def beside(before: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was found now in place of the rows of the same kinds from before, all in the order of the kinds."""
    names = {row["index"] for row in found}
    rows = found + [row for row in before if row["index"] not in names]
    return sorted(rows, key=lambda row: (list(KINDS).index(row["index"]), row["probes"]))


if __name__ == "__main__":
    main()
