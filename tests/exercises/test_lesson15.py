"""Lesson 15's exercises: wrong answers that look right."""

from collections import Counter
from fractions import Fraction

import pytest

from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.exercises.lesson15.merging import auto_merge
from hierrag_lessons.exercises.lesson15.merging_wrongly import MERGING
from tests.exercises.reading import text


def at_once(ranked: list[tuple[str, float]], parent: dict[str, str], compare) -> list[tuple[str, float]]:
    """Merging as in the solution, with a comparison of found and all children that is handed in."""
    children, below = Counter(parent.values()), dict[str, list[str]]()
    for child, node in parent.items():
        below.setdefault(node, []).append(child)
    scores = {name: max(score for other, score in ranked if other == name) for name, _ in ranked}

    def stands(node: str) -> bool:
        return node in scores or (node in children and compare(sum(map(stands, below[node])), children[node]))

    def best(node: str) -> float:
        return max([scores.get(node, 0.0), *map(best, below.get(node, []))])

    def topmost(node: str) -> list[str]:
        return [node] if stands(node) else [name for child in below.get(node, []) for name in topmost(child)]

    roots = sorted({*parent.values()} - {*parent})
    return sorted(
        ((name, best(name)) for root in roots for name in topmost(root)), key=lambda pair: (-pair[1], pair[0])
    )


@pytest.mark.parametrize("exact", [True, False])
def test_a_threshold_turned_into_a_float_is_named(exact: bool) -> None:
    def answer(ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction) -> list[tuple[str, float]]:
        share = threshold if exact else float(threshold)
        return at_once(ranked, parent, lambda found, n: found >= share * n)

    assert ("Keep the Fraction" in " ".join(text(assess(MERGING, answer)).split())) is not exact


def test_seven_of_twenty_five_are_seven_twenty_fifths() -> None:
    parent = {f"L{i:02}": "A" for i in range(25)}
    ranked = [(f"L{i:02}", 0.5) for i in range(7)]
    assert auto_merge(ranked, parent, Fraction(7, 25)) == [("A", 0.5)]
    assert float(Fraction(7, 25)) * 25 > 7
