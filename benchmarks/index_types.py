"""Vector indexes of LanceDB against exact search: ``python -m benchmarks.index_types [LEAVES]``, 100,000 by default.

Measured are the share of the exact 10 best that is found, the milliseconds of one query (p50: half are faster; p95: 19
of 20 are), the seconds that building takes and the bytes on the disk. The vectors are synthetic, with trees as they are
in texts: leaves of one section and of one document are nearer to each other, and a query stands near four leaves, see
``benchmarks/synthetic.py``. Vectors of a language model may do better or worse; so does a larger ``nprobes``.

A million leaves need 8 GB of memory and an hour: ``python -m benchmarks.index_types 1000000``.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa

from benchmarks.results import RESULTS, read, write
from benchmarks.synthetic import DIM, NumberEmbedder

K = 10
QUERIES = 200
PROBES = (20, 80)
KINDS: dict[str, dict[str, Any]] = {
    "exact": {},
    "IVF_FLAT": {},
    "IVF_SQ": {},
    "IVF_PQ": {"num_sub_vectors": DIM // 8},
    "IVF_PQ, 10 times as many looked at again": {"num_sub_vectors": DIM // 8, "refine": 10},
    "IVF_HNSW_SQ": {},
}


def measure(leaves: int) -> list[dict[str, Any]]:
    """All kinds at one size; ``probes`` of so many ``lists`` are searched, none where the search is exact."""
    embedder = NumberEmbedder(leaves)
    vectors = embedder.rows / np.linalg.norm(embedder.rows, axis=1, keepdims=True)
    rng = Random(0)
    asked = embedder.encode([" ".join(f"#{rng.randrange(leaves)}" for _ in range(4)) for _ in range(QUERIES)])
    scores = asked @ vectors.T
    wanted = [set(row.tolist()) for row in np.argpartition(-scores, K)[:, :K]]
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        rows = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIM)
        data = pa.table({"number": pa.array(range(leaves)), "vector": rows})
        built: tuple[str, Any, float] | None = None
        for name, options in KINDS.items():
            kind, parameters = name.partition(",")[0], {k: v for k, v in options.items() if k != "refine"}
            if built is None or built[0] != kind:
                table = lancedb.connect(Path(folder) / kind).create_table("leaves", data)
                started = time.perf_counter()
                if kind != "exact":
                    partitions = round(leaves**0.5)
                    table.create_index("cosine", partitions, index_type=kind, **parameters)
                built = (kind, table, time.perf_counter() - started)
            _, table, seconds = built
            size = sum(path.stat().st_size for path in (Path(folder) / kind).rglob("*") if path.is_file())
            for probes in PROBES if kind != "exact" else (0,):
                figures = asked_of(searcher(table, kind, probes, options.get("refine")), asked, wanted)
                row = {"index": name, "probes": probes, "lists": round(leaves**0.5), **figures}
                found.append({**row, "seconds_to_build": round(seconds, 1), "megabytes": round(size / 1e6, 1)})
                print(found[-1], flush=True)
    return found


def searcher(table: Any, kind: str, probes: int, refine: int | None) -> Callable[[np.ndarray], list[int]]:
    """A function from a vector to the numbers of the ten leaves that a search finds."""

    def ask(vector: np.ndarray) -> list[int]:
        search = table.search(vector).distance_type("cosine").select(["number", "_distance"]).limit(K)
        search = search.bypass_vector_index() if kind == "exact" else search.nprobes(probes)
        if refine:
            search = search.refine_factor(refine)
        return list(search.to_arrow()["number"].to_pylist())

    return ask


def asked_of(ask: Callable[[np.ndarray], list[int]], asked: np.ndarray, wanted: list[set[int]]) -> dict[str, float]:
    """Recall against the exact answer, and times; the first queries, which fill caches, are not counted."""
    for vector in asked[:10]:
        ask(vector)
    times, shares = [], []
    for vector, exact in zip(asked, wanted, strict=True):
        started = time.perf_counter()
        numbers = ask(vector)
        times.append(1000 * (time.perf_counter() - started))
        shares.append(len(exact & set(numbers)) / K)
    return {
        "recall": round(float(np.mean(shares)), 3),
        "p50": round(float(np.quantile(times, 0.5)), 1),
        "p95": round(float(np.quantile(times, 0.95)), 1),
    }


def main() -> None:
    """Measure one size and write it beside the others in ``results/index_types.json``."""
    leaves = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    known = read("index_types")["leaves"] if (RESULTS / "index_types.json").exists() else {}
    sizes = {**known, str(leaves): measure(leaves)}
    ordered = dict(sorted(sizes.items(), key=lambda item: int(item[0])))
    write("index_types", {"k": K, "queries": QUERIES, "dimensions": DIM, "leaves": ordered}, ("lancedb", "numpy"))


if __name__ == "__main__":
    main()
