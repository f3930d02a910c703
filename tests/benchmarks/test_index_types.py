"""The benchmark of vector indexes: what it measures, on few vectors, and what was recorded."""

import numpy as np
import pytest

from benchmarks import index_types
from benchmarks.results import read


def test_an_answer_is_scored_against_the_exact_ten():
    vectors, asked = index_types.synthetic(400)
    scores = asked[:5] @ vectors.T
    exact = index_types.asked_of(lambda v: np.argsort(-(vectors @ v))[:10].tolist(), asked[:5], scores)
    half = index_types.asked_of(lambda v: np.argsort(-(vectors @ v))[:5].tolist(), asked[:5], scores)
    assert (exact["recall"], half["recall"]) == (1.0, 0.5)
    assert 0 <= exact["p50"] <= exact["p95"]


def test_of_equal_vectors_any_will_do():
    vectors = np.ones((30, 4), np.float32) / 2
    found = index_types.asked_of(lambda _: list(range(20, 30)), vectors[:1], vectors[:1] @ vectors.T)
    assert found["recall"] == 1.0


def test_what_lies_in_memory_is_searched_exactly():
    vectors, asked = index_types.synthetic(400)
    figures = index_types.asked_of(lambda v: index_types.in_memory(vectors, v), asked[:5], asked[:5] @ vectors.T)
    assert figures["recall"] == 1.0


def test_a_kind_that_is_measured_again_takes_the_place_of_its_rows():
    before = [{"index": "IVF_PQ", "probes": 20, "p50": 1}, {"index": "exact", "probes": 0, "p50": 1}]
    found = index_types.beside(before, [{"index": "exact", "probes": 0, "p50": 2}])
    assert [(row["index"], row["p50"]) for row in found] == [("exact", 2), ("IVF_PQ", 1)]


@pytest.mark.slow
def test_every_kind_is_built_and_searched(monkeypatch):
    monkeypatch.setattr(index_types, "QUERIES", 10)
    found = index_types.measure(*index_types.synthetic(1_200))
    assert {row["index"] for row in found} == set(index_types.KINDS)
    assert found[0] == {**found[0], "index": "exact", "recall": 1.0}
    assert all(0.3 < row["recall"] <= 1 for row in found)


def test_the_record_holds_every_kind_at_every_size():
    for rows in read("index_types")["leaves"].values():
        assert {row["index"] for row in rows} == set(index_types.KINDS)
        assert all(row["recall"] == 1.0 for row in rows if row["index"].startswith("exact"))
        assert all(row["p50"] <= row["p95"] for row in rows)
