"""When two answers count as the same, and what is said of their difference."""

import numpy as np
import pytest

from hierrag_lessons.exercises.comparing import changed, difference, same
from hierrag_lessons.model import Passage, Span


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (0.1 + 0.2, 0.3),
        (np.float32(0.1), 0.1),
        (np.int64(3), 3),
        (3, 3.0),
        (float("nan"), float("nan")),
        ([Span(0, 1)], ((0, 1),)),
        ({"a": [0.3]}, {"a": (0.1 + 0.2,)}),
        (np.array([0.3, np.nan]), [0.1 + 0.2, float("nan")]),
        (np.bool_(True), True),
        (np.array(["a"]), np.array(["a"])),
        (Passage("d", 0, 1, "a", score=0.1 + 0.2), Passage("d", 0, 1, "a", score=0.3)),
        ({1, 2}, frozenset({2, 1})),
        (None, None),
    ],
)
def test_same(a, b):
    assert same(a, b)
    assert same(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, True),
        (0, False),
        (None, False),
        (None, 0),
        (0.1, 0.101),
        (10**6, 10**6 + 1),
        ([1, 2], [1, 2, 3]),
        ([[1], 2], [[2], 2]),
        ("12", ["1", "2"]),
        ({"a": 1}, {"b": 1}),
        ({1}, [1]),
        (np.zeros((2, 1)), np.zeros(2)),
        (np.array([1.0, 2.0]), [1.0, 2.1]),
        (Passage("d", 0, 1, "a"), Passage("d", 0, 1, "b")),
        (Span(0, 1), Passage("d", 0, 1, "a")),
        ("a", b"a"),
    ],
)
def test_not_same(a, b):
    assert not same(a, b)
    assert not same(b, a)


REORDERED = "The items are the right ones, in another order"


@pytest.mark.parametrize(
    ("returned", "expected", "said"),
    [
        ([1, 2, 3], [1, 5, 3], "They differ first at index 1."),
        ([3, (1.0, 2), 2], [3, 2, [1.0, 2]], f"{REORDERED}: they differ first at index 1. A set keeps no order."),
        ([1, 1, 2], [1, 2, 2], "They differ first at index 1."),
        ([1], [1, 2], "Yours has 1 item, expected 2 items."),
        (np.zeros((3, 2)), np.zeros(3), "Your array has the shape (3, 2), expected is (3,)."),
        ("x" * 50 + "a", "x" * 50 + "b", "They differ first at character 50: 'a' is not 'b'."),
        ("x" * 50, "x" * 50 + "b", "They differ first at character 50: '' is not 'b'."),
        ("a", "b", ""),
        (1, 2, ""),
        ({}, [], "Yours is of type dict, expected is list."),
        (np.float64(0.5), 0.25, ""),
        (3, 0.25, ""),
        (True, 1, "Yours is of type bool, expected is int."),
        (np.array([0.0, 0.5]), [0.0, 1.0], "They differ first at index 1."),
        (np.zeros(2), [0.0, 0.0, 1.0], "Yours has 2 items, expected 3 items."),
    ],
)
def test_difference(returned, expected, said):
    assert difference(returned, expected) == said


def test_changed_looks_into_containers_only():
    thing = object()
    assert not changed([1, "a", {"k": np.array([1.0, np.nan])}, thing], [1, "a", {"k": np.array([1.0, np.nan])}, thing])
    assert not changed([thing], [object()])
    for before, after in [
        ([1], [1, 2]),
        ([[1]], [[2]]),
        ({"a": 1}, {"a": 2}),
        ({1}, {2}),
        ((np.ones(2),), (np.zeros(2),)),
    ]:
        assert changed(before, after)
