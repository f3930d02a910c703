"""Answers to the exercises of lesson 04 as learners write them, right and wrong."""

import math

import pytest

from hierrag_lessons.exercises import check
from tests.exercises.reading import said


def planned(documents, length, size, overlap, dim, dollars, *, tokens=None, giga=1e9):
    windows = max(1, math.ceil((length - overlap) / (size - overlap)))
    chunks = documents * windows
    stored = documents * (length + (windows - 1) * overlap) if tokens is None else tokens
    vectors = chunks * dim * 4 / giga
    return chunks, stored * dollars / 1_000_000, vectors, vectors + stored * 4 / giga


def test_a_plan_that_counts_windows_in_another_way_is_correct():
    assert check("04.3", planned).status == "correct"


def by_share(documents, length, size, overlap, dim, dollars):
    tokens = round(documents * length / (1 - overlap / size))
    return planned(documents, length, size, overlap, dim, dollars, tokens=tokens)


def in_gibibytes(*arguments):
    return planned(*arguments, giga=2**30)


def summed(chunks, tokens, dim, dollars):
    vectors = 4e-9 * chunks * dim
    return chunks, tokens * dollars / 1e6, vectors, vectors + 4e-9 * tokens


def tokens_by_the_step(documents, length, size, overlap, dim, dollars):
    chunks = documents * math.ceil(length / (size - overlap))
    return summed(chunks, chunks * size, dim, dollars)


def rounded_down(documents, length, size, overlap, dim, dollars):
    windows = max(1, (length - overlap) // (size - overlap))
    return summed(documents * windows, documents * (length + (windows - 1) * overlap), dim, dollars)


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (by_share, "1 - share"),
        (in_gibibytes, "gibibyte"),
        (tokens_by_the_step, "inside the one before"),
        (rounded_down, "round up"),
    ],
)
def test_a_wrong_plan_is_named(answer, named):
    reply = check("04.3", answer)
    assert reply.status == "incorrect"
    assert named in said(reply, "this looks like")
