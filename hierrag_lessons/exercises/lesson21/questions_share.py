"""Exercise 21.3, the question's share in a fusion."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def fused(question: list[str], parts: list[list[str]]) -> list[str]:
    """Reciprocal rank fusion in which the question's own ranking counts as much as those of all parts together.

    A name gets 1 / (60 + rank) from each ranking that has it, ranks from 1, and the question's own ranking counts as
    often as there are parts, but at least once. Best first, equal scores by name.
    """
    scores: dict[str, float] = {}
    for ranking, weight in [(question, max(1, len(parts))), *((part, 1) for part in parts)]:
        for rank, name in enumerate(ranking, start=1):
            scores[name] = scores.get(name, 0) + weight / (60 + rank)
    return sorted(scores, key=lambda name: (-round(scores[name], 12), name))


def _repeated(question: list[str], parts: list[list[str]]) -> list[str]:
    """Oracle: the question's ranking is written down once for every part, and all are added up name by name."""
    rankings = [question] * max(1, len(parts)) + list(parts)
    names = sorted({name for ranking in rankings for name in ranking})
    total = {name: sum(1 / (61 + r.index(name)) for r in rankings if name in r) for name in names}
    return sorted(names, key=lambda name: -round(total[name], 12))


def _cases(rng: Random) -> Iterator[tuple[list[str], list[list[str]]]]:
    yield [], []
    yield ["b", "a"], []
    yield ["a", "b"], [["b", "a"]]
    yield ["a", "b", "c"], [["c", "b"], ["c", "d"], ["c"]]
    yield [], [["a"], ["b"]]
    yield ["a"], [["b", "c"], ["c", "b"]]
    for _ in range(40):
        names = "abcdefghij"
        question = rng.sample(names, rng.randrange(7))
        yield question, [rng.sample(names, rng.randrange(7)) for _ in range(rng.randrange(5))]


def _all_equal(question: list[str], parts: list[list[str]]) -> list[str]:
    scores: dict[str, float] = {}
    for ranking in [question, *parts]:
        for rank, name in enumerate(ranking, start=1):
            scores[name] = scores.get(name, 0) + 1 / (60 + rank)
    return sorted(scores, key=lambda name: (-round(scores[name], 12), name))


def _no_question(question: list[str], parts: list[list[str]]) -> list[str]:
    return _all_equal([], parts) if parts else _all_equal(question, [])


def _nothing_without_parts(question: list[str], parts: list[list[str]]) -> list[str]:
    return fused(question, parts) if parts else []


def _question_first(question: list[str], parts: list[list[str]]) -> list[str]:
    return [*question, *(name for name in _all_equal([], parts) if name not in question)]


QUESTIONS_SHARE = Exercise(
    id="21.3",
    title="The question's share",
    solution=fused,
    oracle=_repeated,
    cases=_cases,
    hints=(
        "With three parts the question's ranking weighs 3, each part's weighs 1.",
        "scores[name] = scores.get(name, 0) + weight / (60 + rank), over all rankings.",
        "Without parts the weight is 1, not 0. Round before you compare: sums of floats differ in their last digits.",
    ),
    mistakes=(
        Mistake(_all_equal, "Every ranking counts the same here, so three poor parts outvote the question."),
        Mistake(_no_question, "The question itself is not searched. Its parts have lost what joined them."),
        Mistake(
            _nothing_without_parts, "Without parts nothing is left. The question's own ranking counts at least once."
        ),
        Mistake(
            _question_first, "The parts come behind all that the question found, so they never change its first places."
        ),
    ),
)
