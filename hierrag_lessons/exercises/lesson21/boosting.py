"""Exercise 21.2, a boost that does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import pstdev, pvariance, stdev

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def boosted(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    """All names, best first, when those inside are raised by ``boost`` deviations (``pstdev``). Equal ones by name."""
    if not scores:
        return []
    added = boost * pstdev(scores.values())
    raised = {name: score + (added if name in inside else 0) for name, score in scores.items()}
    return sorted(raised, key=lambda name: (-round(raised[name], 9), name))


def too_low(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    """All names, best first, when those inside are raised by ``boost`` deviations (``pstdev``). Equal ones by name."""
    own = [score for name, score in scores.items() if name in inside]
    if not own:
        return sorted(scores, key=lambda name: (-scores[name], name))
    added = boost * pstdev(own)
    raised = {name: score + (added if name in inside else 0) for name, score in scores.items()}
    return sorted(raised, key=lambda name: (-round(raised[name], 9), name))


def _merged(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    """Oracle: the deviation from its definition, and the best of what is left, again and again."""
    count = len(scores) or 1
    mean = sum(scores.values()) / count
    deviation = (sum((score - mean) ** 2 for score in scores.values()) / count) ** 0.5
    left, order = dict(scores), []
    for name in inside & scores.keys():
        left[name] += boost * deviation
    while left:
        top = max(left.values())
        name = min(other for other, score in left.items() if abs(score - top) < 5e-10)
        order.append(name)
        del left[name]
    return order


def _cases(rng: Random) -> Iterator[tuple[dict[str, float], set[str], float]]:
    yield {}, set(), 1.0
    yield {"a": 0.9, "b": 0.1}, {"b"}, 1.0
    yield {"a": 0.9, "b": 0.1}, {"b"}, 3.0
    yield {"a": 9.0, "b": 8.0, "c": 1.0}, {"b", "c"}, 1.0
    yield {"b": 0.5, "a": 0.5}, set(), 1.0
    yield {"a": 0.9, "b": 0.5}, {"elsewhere"}, 2.0
    yield {"a": 0.9, "b": 0.5, "c": 0.4}, {"c"}, 0.0
    for _ in range(40):
        names = rng.sample("abcdefghij", rng.randrange(1, 10))
        scores = {name: rng.randrange(1, 40) / 8 for name in names}
        yield scores, set(rng.sample("abcdefghij", rng.randrange(6))), rng.choice((0.25, 0.5, 1.0, 2.0))


def _filtered(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    return [name for name in boosted(scores, inside, boost) if name in inside]


def _inside_first(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    return sorted(scores, key=lambda name: (name not in inside, -scores[name], name))


def _plain_number(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    return _raised(scores, inside, boost)


def _sample(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    return _raised(scores, inside, boost * (stdev(scores.values()) if len(scores) > 1 else 0))


def _variance(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    return _raised(scores, inside, boost * (pvariance(scores.values()) if scores else 0))


def _outside(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    others = [score for name, score in scores.items() if name not in inside]
    return _raised(scores, inside, boost * (pstdev(others) if others else 0))


def _only_where_one(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    own = [score for name, score in scores.items() if name in inside]
    return too_low(scores, inside, boost) if len(own) > 1 else boosted(scores, inside, boost)


def _raised(scores: dict[str, float], inside: set[str], added: float) -> list[str]:
    raised = {name: score + (added if name in inside else 0) for name, score in scores.items()}
    return sorted(raised, key=lambda name: (-round(raised[name], 9), name))


def _times(scores: dict[str, float], inside: set[str], boost: float) -> list[str]:
    raised = {name: score * (1 + boost if name in inside else 1) for name, score in scores.items()}
    return sorted(raised, key=lambda name: (-raised[name], name))


BOOSTING = Exercise(
    id="21.2",
    title="Find the bug: a boost that does nothing",
    solution=boosted,
    start=too_low,
    oracle=_merged,
    cases=_cases,
    hints=(
        "Try it with one name inside: boosted({'a': 0.9, 'b': 0.1}, {'b'}, 100). What is added to b?",
        "How far do the scores of a single passage lie apart? Whose deviation says what a large step is?",
        "The deviation is that of all scores: pstdev(scores.values()). No scores have none.",
    ),
    mistakes=(
        Mistake(
            _filtered, "What lies outside is gone. It shall only move down: the name can be wrong, or a year missing."
        ),
        Mistake(
            _inside_first, "Everything inside stands first, however badly it fits. That is a filter with an appendix."
        ),
        Mistake(_sample, "`stdev` divides by one less, and fails for a single score. The exercise asks for `pstdev`."),
        Mistake(
            _variance, "A variance is a square: twice the scores have four times as much. Take its root, `pstdev`."
        ),
        Mistake(
            _outside,
            "The deviation of those outside: where all are inside there is none, and an outsider that is far "
            "off makes the step too large. Whose scores are compared in the end?",
        ),
        Mistake(
            _only_where_one,
            "Only a single passage inside is mended. Two inside with nearly the same score still move "
            "by nearly nothing.",
        ),
        Mistake(_plain_number, "The boost is a plain number, so it means much for cosines and nothing for BM25."),
        Mistake(_times, "A product depends on where the scores begin, and turns round below zero. Add."),
    ),
)
