"""Exercise 10.2: find the bug in the switch that is postponed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Chunks = list[tuple[int, int, int]]


def topic_chunks(labels: list[int], sizes: list[int], least: int) -> list[tuple[int, int, int]]:
    """Cut where the label changes, as soon as a chunk has ``least`` characters: (first sentence, end, topic) each.

    A chunk's topic is the label that most of its sentences have, the earlier one in the chunk among equals.
    """
    starts, size = [], 0
    for i, label in enumerate(labels):
        if i == 0 or (label != labels[i - 1] and size >= least):
            starts.append(i)
            size = 0
        size += sizes[i]
    chunks = []
    for start, end in zip(starts, [*starts[1:], len(labels)], strict=True):
        inside = labels[start:end]
        chunks.append((start, end, max(inside, key=inside.count)))
    return chunks


def _published(labels: list[int], sizes: list[int], least: int) -> list[tuple[int, int, int]]:
    chunks = []
    start, size, current = 0, 0, labels[0]
    for i, label in enumerate(labels):
        if label != current and size >= least:
            chunks.append((start, i, current))
            start, size, current = i, 0, label
        size += sizes[i]
    chunks.append((start, len(labels), current))
    return chunks


def _by_definition(labels: list[int], sizes: list[int], least: int) -> Chunks:
    """Oracle: find each chunk's end by asking of every place whether it is a cut, then count every label in it."""
    chunks: Chunks = []
    start = 0
    while start < len(labels):
        ends = [i for i in range(start + 1, len(labels)) if labels[i] != labels[i - 1]]
        ends = [i for i in ends if sum(sizes[start:i]) >= least]
        end = ends[0] if ends else len(labels)
        inside = labels[start:end]
        totals = [sum(label == t for label in inside) for t in inside]
        chunks.append((start, end, inside[totals.index(max(totals))]))
        start = end
    return chunks


def _cases(rng: Random) -> Iterator[tuple[list[int], list[int], int]]:
    yield [0, 0, 1, 1], [10, 10, 10, 10], 20
    yield [0, 1, 1, 1, 1], [10, 10, 10, 10, 10], 20
    yield [0, 1, 1, 2, 2], [10, 10, 10, 10, 10], 20
    yield [0, 1, 0, 0, 0], [10, 10, 10, 10, 10], 20
    yield [0, 0, 1, 2, 2], [5, 5, 30, 5, 5], 15
    yield [1], [7], 20
    yield [0, 1, 1, 2], [10, 10, 10, 10], 30
    for _ in range(40):
        n = rng.randrange(1, 9)
        yield [rng.randrange(3) for _ in range(n)], [rng.choice((5, 10, 30)) for _ in range(n)], rng.choice((0, 15, 30))


def _last_label(labels: list[int], sizes: list[int], least: int) -> Chunks:
    return [(start, end, labels[end - 1]) for start, end, _ in _by_definition(labels, sizes, least)]


def _first_label(labels: list[int], sizes: list[int], least: int) -> Chunks:
    return [(start, end, labels[start]) for start, end, _ in _by_definition(labels, sizes, least)]


def _old_cuts(labels: list[int], sizes: list[int], least: int) -> Chunks:
    chunks = []
    for start, end, _ in _published(labels, sizes, least):
        inside = labels[start:end]
        chunks.append((start, end, max(inside, key=inside.count)))
    return chunks


def _most_characters(labels: list[int], sizes: list[int], least: int) -> Chunks:
    chunks = []
    for start, end, _ in _by_definition(labels, sizes, least):
        weights: dict[int, int] = {}
        for label, weight in zip(labels[start:end], sizes[start:end], strict=True):
            weights[label] = weights.get(label, 0) + weight
        chunks.append((start, end, max(weights, key=lambda label: weights[label])))
    return chunks


def _smallest_among_equals(labels: list[int], sizes: list[int], least: int) -> Chunks:
    chunks = []
    for start, end, _ in _by_definition(labels, sizes, least):
        inside = labels[start:end]
        chunks.append((start, end, min(inside, key=lambda label: (-inside.count(label), label))))
    return chunks


POSTPONED = Exercise(
    id="10.2",
    title="The switch that is postponed",
    solution=topic_chunks,
    start=_published,
    oracle=_by_definition,
    cases=_cases,
    hints=(
        "Follow labels [0, 1, 1, 1, 1] with least = 20 by hand: which sentences are in the first chunk, and what is it "
        "called?",
        "`current` is the label of the chunk's first sentence. Once a switch is postponed, it says nothing about the "
        "sentence before this one.",
        "Compare labels[i] with labels[i - 1] to find the cuts. Decide on the topic when the chunk is complete.",
    ),
    mistakes=(
        Mistake(_last_label, "The cuts are right, but each chunk is called what its last sentence is about."),
        Mistake(_first_label, "The cuts are right, but a chunk is still called what its first sentence is about."),
        Mistake(
            _old_cuts,
            "The topics are right for these chunks, but a postponed switch is made up for later, in the middle of a "
            "run of one label: cut only where labels[i] differs from labels[i - 1].",
        ),
        Mistake(
            _most_characters, "The topic is weighed by characters. Count sentences: `sizes` only decides on the cut."
        ),
        Mistake(
            _smallest_among_equals,
            "Among equally frequent labels the smallest number won. The one that comes first in the chunk names it.",
        ),
    ),
)
