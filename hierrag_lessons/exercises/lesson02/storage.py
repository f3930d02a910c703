"""Exercise 02.4, what fits into memory."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def storage(chunks: int, dim: int, gigabytes: float, overhead: float) -> str:
    """The most exact way to keep the vectors that fits into memory."""
    bytes_a_vector = {"float32": 4 * dim, "float16": 2 * dim, "int8": dim, "pq": -(-dim // 16)}
    for name, size in bytes_a_vector.items():
        if chunks * size * (1 + overhead) <= gigabytes * 10**9:
            return name
    return "disk"


def _in_fractions(chunks: int, dim: int, gigabytes: float, overhead: float) -> str:
    """Oracle: how many bytes may a vector have, exactly?"""
    if chunks == 0:
        return "float32"
    allowed = Fraction(gigabytes) * 10**9 / (chunks * (1 + Fraction(overhead)))
    sizes = [("float32", dim * 4), ("float16", dim * 2), ("int8", dim), ("pq", ceil(dim / 16))]
    return next((name for name, size in sizes if size <= allowed), "disk")


def _plans(rng: Random) -> Iterator[tuple[int, int, float, float]]:
    yield 10_000_000, 1024, 32, 0.5
    yield 1_000_000, 384, 2, 0
    yield 1_000_000, 384, 2, 0.5  # only without the overhead does it fit
    yield 1_000_000_000, 1024, 8, 0
    yield 1_000_000, 250, 1, 0  # exactly as large as the memory
    yield 1_000_000_000, 8, 1, 0  # a vector shorter than a piece of PQ
    yield 1_000_000, 1024, 1, 0  # as int8 only where 1 GB is 2^30
    yield 1_000_000_000, 40, 3, 0  # 40 numbers are three pieces
    yield 1_000_000_000, 40, 2.5, 0
    yield 0, 384, 1, 1
    for _ in range(25):
        chunks, dim = rng.choice([10**5, 10**6, 10**7, 10**8]), rng.choice([100, 384, 768, 1024, 3072])
        yield chunks, dim, chunks * dim * rng.uniform(0.05, 9) / 1e9, rng.choice([0, 0.25, 0.5, 1])


def _first(sizes: dict[str, float], limit: float) -> str:
    return next((name for name, size in sizes.items() if size <= limit), "disk")


def _bytes(chunks: int, dim: int, overhead: float) -> dict[str, float]:
    sizes = {"float32": 4 * dim, "float16": 2 * dim, "int8": dim, "pq": -(-dim // 16)}
    return {name: chunks * size * (1 + overhead) for name, size in sizes.items()}


def _binary_gigabytes(chunks: int, dim: int, gigabytes: float, overhead: float) -> str:
    return _first(_bytes(chunks, dim, overhead), gigabytes * 2**30)


def _no_overhead(chunks: int, dim: int, gigabytes: float, overhead: float) -> str:
    return _first(_bytes(chunks, dim, 0), gigabytes * 10**9)


def _overhead_alone(chunks: int, dim: int, gigabytes: float, overhead: float) -> str:
    return _first(_bytes(chunks, dim, overhead - 1), gigabytes * 10**9)


def _smallest(chunks: int, dim: int, gigabytes: float, overhead: float) -> str:
    sizes = dict(reversed(_bytes(chunks, dim, overhead).items()))
    return _first(sizes, gigabytes * 10**9)


def _rounded_down(chunks: int, dim: int, gigabytes: float, overhead: float) -> str:
    return _first(_bytes(chunks, dim, overhead) | {"pq": chunks * (dim // 16) * (1 + overhead)}, gigabytes * 10**9)


def _strictly_smaller(chunks: int, dim: int, gigabytes: float, overhead: float) -> str:
    sizes = _bytes(chunks, dim, overhead)
    return next((name for name, size in sizes.items() if size < gigabytes * 10**9), "disk")


def _bits(chunks: int, dim: int, gigabytes: float, overhead: float) -> str:
    return _first({name: 8 * size for name, size in _bytes(chunks, dim, overhead).items()}, gigabytes * 10**9)


STORAGE = Exercise(
    id="02.4",
    title="What fits into memory?",
    solution=storage,
    oracle=_in_fractions,
    cases=_plans,
    hints=(
        "Work out the bytes of one vector in each of the four forms first; PQ needs a division that rounds up.",
        "All vectors take chunks · bytes of one; with everything else, (1 + overhead) times that.",
        "Go through the four forms from the most exact one on, and return the first that is at most gigabytes · 10**9.",
    ),
    mistakes=(
        Mistake(_binary_gigabytes, "1 GB is 10⁹ bytes here. 2³⁰ bytes are a GiB, 7 % more."),
        Mistake(_no_overhead, "The overhead is missing: links, ids and the rest come on top of the vectors."),
        Mistake(
            _overhead_alone,
            "The overhead comes on top of the vectors: multiply by 1 + overhead, not by the overhead alone.",
        ),
        Mistake(_smallest, "The smallest form fits nearly always. Return the most exact one that fits."),
        Mistake(
            _rounded_down,
            "PQ keeps a byte for a last, shorter piece as well, so the number of pieces is rounded up.",
        ),
        Mistake(_strictly_smaller, "What is exactly as large as the memory fits."),
        Mistake(_bits, "This counts bits. A 32-bit number has 4 bytes."),
    ),
)
