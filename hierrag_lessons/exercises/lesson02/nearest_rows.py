"""Exercise 02.1, the nearest rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random

import numpy as np

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def nearest_rows(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    """Row numbers of the k highest cosines, best first; ties by row number."""
    if not query.any():
        return []
    (rows,) = np.nonzero(vectors.any(axis=1))
    lengths = np.linalg.norm(vectors[rows], axis=1) * np.linalg.norm(query)
    cosines = np.round(vectors[rows] @ query / lengths, 6)
    order = np.argsort(-cosines, kind="stable")[:k]
    return [int(row) for row in rows[order]]


def _one_at_a_time(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    """Oracle: plain Python, and the best of the rows that are left, k times."""
    wanted = [float(x) for x in query]
    cosines: dict[int, float] = {}
    for row, vector in enumerate(vectors.tolist()):
        length = math.hypot(*vector) * math.hypot(*wanted)
        if length > 0:
            cosines[row] = round(sum(x * y for x, y in zip(vector, wanted, strict=True)) / length, 6)
    best: list[int] = []
    while cosines and len(best) < k:
        highest = max(cosines.values())
        row = min(row for row, cosine in cosines.items() if cosine == highest)
        best.append(row)
        del cosines[row]
    return best


def _vectors(rng: Random) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    yield np.array([[3.0, 4.0], [1.0, 0.0], [0.0, 1.0]]), np.array([0.0, 2.0]), 2
    yield np.array([[1.0, 0.0], [2.0, 9.0]]), np.array([1.0, 0.0]), 1  # the longer vector has the larger product
    yield np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]), np.array([1.0, 0.0]), 3
    yield np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([0.0, 0.0]), 2
    yield np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]), np.array([1.0, 1.0]), 2
    yield np.array([[0.0, 0.0]]), np.array([1.0, 1.0]), 1
    yield np.zeros((0, 2)), np.array([1.0, 1.0]), 3
    for n in (1, 7, 12):  # parallel rows tie, but for the last bit of their cosines
        yield np.outer(range(1, n + 1), [1.0, 2.0, 4.0]), np.array([2.0, 1.0, 3.0]), n
        yield np.outer(range(n, 0, -1), [0.1, 0.7, 0.3]), np.array([1.0, 2.0, 3.0]), n
    numbers = np.random.default_rng(rng.getrandbits(32))
    for _ in range(25):
        n, d = int(numbers.integers(2, 8)), int(numbers.integers(2, 4))
        rows = numbers.integers(-3, 4, size=(n, d)).astype(float)
        yield rows, numbers.integers(-3, 4, size=d).astype(float), int(numbers.integers(1, n + 2))


def _dot_product(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    scores = [(-round(float(row @ query), 6), number) for number, row in enumerate(vectors) if row.any()]
    return [number for _, number in sorted(scores)][:k] if query.any() else []


def _reversed(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    cosines = _cosines(vectors, query)
    return [int(row) for row in np.argsort(cosines, kind="stable")[::-1] if np.isfinite(cosines[row])][:k]


def _lowest_first(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    cosines = _cosines(vectors, query)
    return [int(row) for row in np.argsort(cosines, kind="stable") if np.isfinite(cosines[row])][:k]


def _zero_rows_stay(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    cosines = np.nan_to_num(_cosines(vectors, query), neginf=0.0)
    return [int(row) for row in np.argsort(-cosines, kind="stable")[:k]]


def _zero_rows_last(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    return [int(row) for row in np.argsort(-_cosines(vectors, query), kind="stable")[:k]]


def _not_rounded(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    cosines = _cosines(vectors, query, decimals=20)
    return [int(row) for row in np.argsort(-cosines, kind="stable") if np.isfinite(cosines[row])][:k]


def _cosines(vectors: np.ndarray, query: np.ndarray, decimals: int = 6) -> np.ndarray:
    """Shape ``(n,)``; -inf where one of the two has no direction."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query)
    cosines = np.full(len(vectors), -np.inf)
    np.divide(vectors @ query, lengths, out=cosines, where=lengths > 0)
    return np.round(cosines, decimals)


NEAREST_ROWS = Exercise(
    id="02.1",
    title="Nearest rows",
    solution=nearest_rows,
    oracle=_one_at_a_time,
    cases=_vectors,
    hints=(
        "Cosine = dot product divided by both lengths; np.linalg.norm(vectors, axis=1) is the length of each row.",
        "Leave out zero rows before you divide, and remember which row number each remaining row had.",
        "np.argsort(-cosines, kind='stable') sorts downwards and keeps ties in the order they came in.",
    ),
    mistakes=(
        Mistake(
            _dot_product,
            "The dot product alone rewards long vectors. It is the cosine only where all lengths are 1; these "
            "vectors have any length, so divide by both.",
        ),
        Mistake(
            _reversed,
            "Sorting upwards and turning the list around turns the ties around as well: the higher row number "
            "comes first. Sort the negated cosines with a stable sort.",
        ),
        Mistake(
            _lowest_first,
            "These are the least similar rows: argsort sorts upwards, and a high cosine means near.",
        ),
        Mistake(
            _zero_rows_stay,
            "A vector of zeros is treated as if its cosine were 0. It has no direction, so it has no cosine at "
            "all, and must not be returned, nor must anything for a query of zeros.",
        ),
        Mistake(
            _zero_rows_last,
            "Rows without a direction come last, but they come: dividing by a length of 0 gives NaN, which sorts "
            "behind all numbers and is still counted among the k. Leave such rows out.",
        ),
        Mistake(
            _not_rounded,
            "Parallel rows have the same cosine, but for the last bit of a float. Without rounding that bit "
            "decides, and the order changes with the machine.",
        ),
    ),
)
