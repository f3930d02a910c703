"""Lesson 25's exercises: unusual right answers pass, and the examples by hand come out."""

import math
from itertools import takewhile

import numpy as np
import pytest

from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.exercises.lesson25.caching import CACHING, from_cache
from hierrag_lessons.exercises.lesson25.margins import MARGINS, cheapest_safe
from hierrag_lessons.exercises.lesson25.stability import STABILITY, stability
from hierrag_lessons.exercises.lesson25.updating import UPDATING, update, upsert


def shared(prompt: list[int], earlier: list[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prompt, earlier, strict=False)))


def by_pairs(prompts: list[list[int]], least: int) -> int:
    sizes = [max([0, *(shared(prompt, earlier) for earlier in prompts[:n])]) for n, prompt in enumerate(prompts)]
    return sum(size for size in sizes if size >= least)


def by_sorting(ways: dict[str, tuple[int, float, float]], margin: float) -> str | None:
    names = sorted(ways, key=lambda name: (ways[name][0], -ways[name][1], name))
    return next((name for name in names if ways[name][1] > -margin), None)


def one_by_one(stored: dict[str, str], doc_id: str, chunks: list[str]) -> dict[str, str]:
    made = dict(stored)
    for name in stored:
        if name[: name.rindex(":")] == doc_id:
            del made[name]
    for number, text in enumerate(chunks):
        made[f"{doc_id}:{number}"] = text
    return made


def with_numpy(before: list[float], after: list[float], edges: list[float]) -> np.floating:
    p, q = (
        np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1) + 0.5
        for values in (np.array(before), np.array(after))
    )
    p, q = p / p.sum(), q / q.sum()
    return ((q - p) * np.log(q / p)).sum()


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [(CACHING, by_pairs), (MARGINS, by_sorting), (UPDATING, one_by_one), (STABILITY, with_numpy)],
    ids=lambda value: getattr(value, "id", getattr(value, "__name__", "")),
)
def test_an_unusual_right_answer_passes(exercise, answer):
    assert assess(exercise, answer).status == "correct"


def test_the_same_passages_behind_another_beginning_come_from_no_cache():
    assert from_cache([[1, 7, 7, 7], [2, 7, 7, 7]], 1) == 0
    assert from_cache([[1, 7, 7, 7], [1, 7, 7, 8]], 3) == 3


def test_no_difference_shown_is_not_safe():
    ways = {"wide": (500, -0.2, 0.2), "narrow": (900, -0.01, 0.01), "behind by little": (800, -0.02, -0.01)}
    assert cheapest_safe(ways, 0.05) == "behind by little"
    assert cheapest_safe(ways, 0.005) is None


def test_a_shorter_document_leaves_no_ghost():
    stored = {"act:0": "a", "act:1": "b", "en:act:0": "c"}
    assert upsert(stored, "act", ["x"]) == {"act:0": "x", "act:1": "b", "en:act:0": "c"}
    assert update(stored, "act", ["x"]) == {"act:0": "x", "en:act:0": "c"}


def test_the_index_of_a_bin_that_fills_for_the_first_time():
    p, q = 0.5 / 3, 2.5 / 3
    assert stability([0.1, 0.2], [0.8, 0.9], [0.5]) == pytest.approx(2 * (q - p) * math.log(q / p))
    assert stability([0.1, 0.9], [0.2, 0.8], [0.5]) == 0
