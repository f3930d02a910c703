"""Exercise 14.1, the score of a parent."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Hits = list[tuple[str, float]]
Scores = list[tuple[str, float]]


def parent_scores(
    hits: list[tuple[str, float]], children: dict[str, int], alpha: float, coverage: float
) -> list[tuple[str, float]]:
    """Parents with their scores, best first; ties by name."""
    found: dict[str, list[float]] = {}
    for parent, score in hits:
        found.setdefault(parent, []).append(score)
    scores = {
        parent: alpha * max(own) + (1 - alpha) * sum(own) / len(own) + coverage * len(own) / children[parent]
        for parent, own in found.items()
    }
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def _one_after_the_other(hits: Hits, children: dict[str, int], alpha: float, coverage: float) -> Scores:
    """Oracle: for each parent walk through all hits, counting."""
    ranked: Scores = []
    for parent in sorted(children):
        best, total, count = float("-inf"), 0.0, 0
        for owner, score in hits:
            if owner == parent:
                best, total, count = (score if score > best else best), total + score, count + 1
        if count == 0:
            continue
        value = best * alpha
        value += total / count * (1 - alpha)
        value += coverage * (count / children[parent])
        place = 0
        while place < len(ranked) and ranked[place][1] >= value:
            place += 1
        ranked.insert(place, (parent, value))
    return ranked


def _cases(rng: Random) -> Iterator[tuple[Hits, dict[str, int], float, float]]:
    yield ([], {}, 0.7, 0.3)
    yield ([], {"a": 3}, 0.7, 0.3)
    yield ([("a", 0.5)], {"a": 1}, 1.0, 0.0)
    yield ([("a", 0.5), ("a", 0.25)], {"a": 4}, 0.5, 0.0)
    yield ([("a", 0.5), ("a", 0.25)], {"a": 4}, 0.5, 0.5)
    yield ([("b", 0.5), ("a", 0.5)], {"a": 2, "b": 2}, 0.5, 0.5)
    yield ([("a", 0.5), ("b", 0.75)], {"a": 2, "b": 2, "c": 2}, 1.0, 0.0)
    yield ([("a", -0.25), ("b", 0.25), ("a", -0.5)], {"a": 2, "b": 8}, 0.5, 0.0)
    for _ in range(40):
        # Eighths divided by powers of two are not rounded, so equal scores are equal, however they are made.
        children = {name: rng.choice([1, 2, 4, 8]) for name in "abcd"[: rng.randrange(1, 5)]}
        hits = [
            (name, rng.randrange(-8, 9) / 8)
            for name, total in children.items()
            for _ in range(rng.choice([count for count in (0, 1, 2, 4, 8) if count <= total]))
        ]
        rng.shuffle(hits)
        yield (hits, children, rng.choice([0.0, 0.5, 1.0]), rng.choice([0.0, 0.5, 2.0]))


def _scored(hits: Hits, one: str) -> list[float]:
    return [score for parent, score in hits if parent == one]


def _ranked(scores: dict[str, float]) -> Scores:
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def _mean_of_all_children(hits: Hits, children: dict[str, int], alpha: float, coverage: float) -> Scores:
    scores = {}
    for parent, _ in hits:
        own, total = _scored(hits, parent), children[parent]
        scores[parent] = alpha * max(own) + (1 - alpha) * sum(own) / total + coverage * len(own) / total
    return _ranked(scores)


def _number_for_share(hits: Hits, children: dict[str, int], alpha: float, coverage: float) -> Scores:
    scores = {}
    for parent, _ in hits:
        own = _scored(hits, parent)
        scores[parent] = alpha * max(own) + (1 - alpha) * sum(own) / len(own) + coverage * len(own)
    return _ranked(scores)


def _share_of_all_hits(hits: Hits, children: dict[str, int], alpha: float, coverage: float) -> Scores:
    scores = {}
    for parent, _ in hits:
        own = _scored(hits, parent)
        scores[parent] = alpha * max(own) + (1 - alpha) * sum(own) / len(own) + coverage * len(own) / len(hits)
    return _ranked(scores)


def _sum_for_max(hits: Hits, children: dict[str, int], alpha: float, coverage: float) -> Scores:
    scores = {}
    for parent, _ in hits:
        own = _scored(hits, parent)
        share = len(own) / children[parent]
        scores[parent] = alpha * sum(own) + (1 - alpha) * sum(own) / len(own) + coverage * share
    return _ranked(scores)


def _best_starts_at_zero(hits: Hits, children: dict[str, int], alpha: float, coverage: float) -> Scores:
    scores = {}
    for parent, _ in hits:
        own = _scored(hits, parent)
        share = len(own) / children[parent]
        scores[parent] = alpha * max(0.0, *own) + (1 - alpha) * sum(own) / len(own) + coverage * share
    return _ranked(scores)


def _in_order_of_first_hit(hits: Hits, children: dict[str, int], alpha: float, coverage: float) -> Scores:
    scores = dict(parent_scores(hits, children, alpha, coverage))
    return [(parent, scores[parent]) for parent in dict.fromkeys(parent for parent, _ in hits)]


def _ties_as_they_come(hits: Hits, children: dict[str, int], alpha: float, coverage: float) -> Scores:
    ranked = _in_order_of_first_hit(hits, children, alpha, coverage)
    return sorted(ranked, key=lambda pair: pair[1], reverse=True)


PARENT_SCORES = Exercise(
    id="14.1",
    title="The score of a parent",
    solution=parent_scores,
    oracle=_one_after_the_other,
    cases=_cases,
    hints=(
        "First collect the scores of each parent's hits in a dictionary of lists.",
        "The mean is over the children that were hit. The share is of all children that the parent has.",
        "Sort by (-score, name), so that ties do not depend on the order of the hits.",
    ),
    mistakes=(
        Mistake(
            _mean_of_all_children,
            "The mean is over the children that were hit. A child that was not hit has no score, and it counts already "
            "in the share.",
        ),
        Mistake(
            _number_for_share,
            "The coverage is a share, from 0 to 1. With the plain number of hits a parent with many children always "
            "wins.",
        ),
        Mistake(_share_of_all_hits, "The share is of the parent's children, not of all hits of the query."),
        Mistake(_sum_for_max, "alpha weighs the best child, not the sum: with the sum, long parents win by length."),
        Mistake(
            _best_starts_at_zero,
            "A cosine can be below 0. Start the search for the best with the first score, not with 0.",
        ),
        Mistake(
            _ties_as_they_come,
            "Parents with equal scores are in the order in which their hits came, which another run may change. Sort "
            "by (-score, name).",
        ),
        Mistake(_in_order_of_first_hit, "The scores are right, but the best parent has to come first; ties by name."),
    ),
)
