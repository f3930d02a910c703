"""Exercise 09.1, the bug in the mean of the earlier sentences."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from random import Random

import numpy as np

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def novelties(vectors: list[list[float]], window: int) -> list[float]:
    """1 − cosine of each sentence and the mean of up to ``window`` sentences before it; the first one has 0."""
    rows = np.array(vectors, dtype=float)
    values = [0.0]
    for i in range(1, len(rows)):
        mean = rows[max(0, i - window) : i].mean(axis=0)
        values.append(float(1 - rows[i] @ mean / np.linalg.norm(rows[i]) / np.linalg.norm(mean)))
    return values


def _mean_around(vectors: list[list[float]], window: int) -> list[float]:
    """The code that is handed out."""
    rows = np.array(vectors, dtype=float)
    values = [0.0]
    for i in range(1, len(rows)):
        middle = i - 1
        mean = rows[max(0, middle - window) : middle + window + 1].mean(axis=0)
        values.append(float(1 - rows[i] @ mean / np.linalg.norm(rows[i]) / np.linalg.norm(mean)))
    return values


def _by_coordinates(vectors: list[list[float]], window: int) -> list[float]:
    """Oracle: plain loops; a sum has the same direction as a mean."""
    values = []
    for i, vector in enumerate(vectors):
        total = [0.0] * len(vector)
        for earlier in vectors[:i][-window:]:
            total = [a + b for a, b in zip(total, earlier, strict=True)]
        dot = sum(a * b for a, b in zip(vector, total, strict=True))
        lengths = sqrt(sum(a * a for a in vector)) * sqrt(sum(b * b for b in total))
        values.append(1 - dot / lengths if i else 0.0)
    return values


def _cases(rng: Random) -> Iterator[tuple[list[list[float]], int]]:
    yield [[1.0, 0.0]], 1
    yield [[1.0, 0.0], [1.0, 0.0]], 1
    yield [[1.0, 0.0], [0.0, 1.0]], 1
    yield [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], 2
    yield [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], 1
    yield [[3.0, 0.0], [0.0, 1.0], [1.0, 1.0]], 2
    for _ in range(30):
        n = rng.randrange(1, 6)
        yield [[float(rng.randrange(1, 5)), float(rng.randrange(5))] for _ in range(n)], rng.randrange(1, 4)


def _with_itself(vectors: list[list[float]], window: int) -> list[float]:
    rows = np.array(vectors, dtype=float)
    means = [rows[max(0, i - window) : i + 1].mean(axis=0) for i in range(len(rows))]
    values = [float(1 - row @ m / np.linalg.norm(row) / np.linalg.norm(m)) for row, m in zip(rows, means, strict=True)]
    return [0.0, *values[1:]]


def _one_too_many(vectors: list[list[float]], window: int) -> list[float]:
    return novelties(vectors, window + 1)


def _only_the_last(vectors: list[list[float]], window: int) -> list[float]:
    return novelties(vectors, 1)


def _similarity(vectors: list[list[float]], window: int) -> list[float]:
    return [1 - value for value in novelties(vectors, window)]


def _no_lengths(vectors: list[list[float]], window: int) -> list[float]:
    rows = np.array(vectors, dtype=float)
    return [0.0, *(float(1 - rows[i] @ rows[max(0, i - window) : i].mean(axis=0)) for i in range(1, len(rows)))]


def _everything_before(vectors: list[list[float]], window: int) -> list[float]:
    return novelties(vectors, len(vectors))


EARLIER_SENTENCES = Exercise(
    id="09.1",
    title="Find the bug: the earlier sentences",
    solution=novelties,
    oracle=_by_coordinates,
    cases=_cases,
    start=_mean_around,
    hints=(
        "Take two sentences that have nothing in common, [1, 0] and [0, 1], and a window of 1. The novelty of the "
        "second one should be 1. What is the mean that it is compared with?",
        "The slice is centred on the sentence before, and so it reaches as far forwards as backwards.",
        "The sentences before sentence i are rows[:i]; the last `window` of them are rows[max(0, i - window) : i].",
    ),
    mistakes=(
        Mistake(
            _with_itself,
            "The mean still holds the sentence itself. Compared with a mean that it is part of, nothing looks quite "
            "new: the slice has to stop before i.",
        ),
        Mistake(
            _one_too_many,
            "The mean reaches one sentence too far back. That was right for a slice centred on i - 1; "
            "the sentences before i start at i - window.",
        ),
        Mistake(
            _only_the_last,
            "This is right for a window of 1, but looks at one sentence only, whatever the window is.",
        ),
        Mistake(
            _similarity,
            "These are similarities, high where nothing changes. Novelty is 1 minus that.",
        ),
        Mistake(
            _no_lengths,
            "A dot product is the cosine only where both vectors have length 1. The mean of several vectors is shorter "
            "than they are.",
        ),
        Mistake(
            _everything_before,
            "Each sentence is compared with everything before it. The window is there so that a topic of long ago does "
            "not count.",
        ),
    ),
)
