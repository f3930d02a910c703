"""Exercise 18.3, a document's score by its best leaves."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import fmean

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Pairs = list[tuple[str, float]]


def documents_by_leaves(hits: list[tuple[str, float]], count: int) -> list[tuple[str, float]]:
    """Documents with the mean of their ``count`` best hits, best first; a missing hit counts as the lowest of all."""
    lowest = min((score for _, score in hits), default=0.0)
    own: dict[str, list[float]] = {}
    for name, score in hits:
        own.setdefault(name, []).append(score)
    means = []
    for name, scores in own.items():
        best = sorted(scores + [lowest] * count, reverse=True)[:count]
        means.append((name, sum(best) / count))
    return sorted(means, key=lambda pair: (-pair[1], pair[0]))


def _document_by_document(hits: Pairs, count: int) -> Pairs:
    """Oracle: take away a document's best hit ``count`` times, then take away the best document again and again."""
    scores: dict[str, float] = {}
    for name, _ in hits:
        left = [score for other, score in hits if other == name]
        taken: list[float] = []
        while len(taken) < count:
            taken.append(left.pop(left.index(max(left))) if left else min(score for _, score in hits))
        scores[name] = fmean(taken)
    ranked: Pairs = []
    while scores:
        name = min(name for name, score in scores.items() if score == max(scores.values()))
        ranked.append((name, scores.pop(name)))
    return ranked


def _cases(rng: Random) -> Iterator[tuple[Pairs, int]]:
    yield [], 3
    yield [("a", 0.5)], 1
    yield [("b", 0.75), ("a", 0.25)], 1
    yield [("a", 0.75), ("b", 0.5), ("b", 0.5), ("c", 0.25)], 2
    yield [("a", 0.25), ("a", 1.0), ("a", 0.75), ("b", 0.5)], 2
    yield [("a", -0.5), ("b", -0.25), ("b", -1.0)], 2
    yield [("b", 0.5), ("a", 0.5), ("c", 0.5)], 3
    yield [("a", 2.0), ("b", 1.5), ("b", 1.5), ("b", 1.5)], 3
    for _ in range(40):
        # Sixteenths, so that sums of them are exact in any order.
        many = [(rng.choice("abcde"), rng.randrange(-16, 17) / 16) for _ in range(rng.randrange(1, 14))]
        yield many, rng.choice([1, 2, 4])


def _of_what_is_there(hits: Pairs, count: int) -> Pairs:
    own: dict[str, list[float]] = {}
    for name, score in sorted(hits, key=lambda hit: -hit[1]):
        own.setdefault(name, []).append(score)
    return sorted(((name, fmean(s[:count])) for name, s in own.items()), key=lambda pair: (-pair[1], pair[0]))


def _filled(hits: Pairs, count: int, missing: float, *, lowest_first: bool = False) -> Pairs:
    own: dict[str, list[float]] = {}
    for name, score in sorted(hits, key=lambda hit: hit[1] if lowest_first else -hit[1]):
        own.setdefault(name, []).append(score)
    means = [(name, sum((s + [missing] * count)[:count]) / count) for name, s in own.items()]
    return sorted(means, key=lambda pair: (-pair[1], pair[0]))


def _missing_is_zero(hits: Pairs, count: int) -> Pairs:
    return _filled(hits, count, 0.0)


def _own_lowest(hits: Pairs, count: int) -> Pairs:
    own: dict[str, list[float]] = {}
    for name, score in hits:
        own.setdefault(name, []).append(score)
    means = [(n, sum(sorted(s + [min(s)] * count, reverse=True)[:count]) / count) for n, s in own.items()]
    return sorted(means, key=lambda pair: (-pair[1], pair[0]))


def _first_hits(hits: Pairs, count: int) -> Pairs:
    lowest = min((score for _, score in hits), default=0.0)
    own: dict[str, list[float]] = {}
    for name, score in hits:
        own.setdefault(name, []).append(score)
    means = [(name, sum((s + [lowest] * count)[:count]) / count) for name, s in own.items()]
    return sorted(means, key=lambda pair: (-pair[1], pair[0]))


def _lowest_hits(hits: Pairs, count: int) -> Pairs:
    return _filled(hits, count, min((score for _, score in hits), default=0.0), lowest_first=True)


def _sums(hits: Pairs, count: int) -> Pairs:
    return [(name, score * count) for name, score in documents_by_leaves(hits, count)]


def _ties_as_found(hits: Pairs, count: int) -> Pairs:
    scores = dict(documents_by_leaves(hits, count))
    return sorted(((name, scores[name]) for name in dict(hits)), key=lambda pair: -pair[1])


def _only_the_best(hits: Pairs, count: int) -> Pairs:
    return documents_by_leaves(hits, 1)


def _all_hits(hits: Pairs, count: int) -> Pairs:
    own: dict[str, list[float]] = {}
    for name, score in hits:
        own.setdefault(name, []).append(score)
    return sorted(((name, fmean(scores)) for name, scores in own.items()), key=lambda pair: (-pair[1], pair[0]))


def _left_out(hits: Pairs, count: int) -> Pairs:
    names = [name for name, _ in hits]
    return [pair for pair in documents_by_leaves(hits, count) if names.count(pair[0]) >= count]


def _worst_first(hits: Pairs, count: int) -> Pairs:
    return sorted(documents_by_leaves(hits, count), key=lambda pair: (pair[1], pair[0]))


BEST_LEAVES = Exercise(
    id="18.3",
    title="A document by its best leaves",
    solution=documents_by_leaves,
    oracle=_document_by_document,
    cases=_cases,
    hints=(
        "First collect the scores of each document in a list.",
        "Sort each list downwards and take the first `count`. If there are fewer, what fills the places that are left?",
        "The lowest score of all hits can be found once, before you look at single documents.",
    ),
    mistakes=(
        Mistake(
            _of_what_is_there,
            "The mean was taken of the hits that are there. So one good hit alone beats three that are nearly as good.",
        ),
        Mistake(
            _missing_is_zero,
            "A missing hit counted as 0. With scores below 0 that is better than a hit: count it as the lowest of all.",
        ),
        Mistake(
            _own_lowest,
            "A missing hit counted as the document's own lowest. Take the lowest among the hits of all.",
        ),
        Mistake(_first_hits, "These are the first hits in the list. They come in any order: take the best ones."),
        Mistake(_lowest_hits, "These are the lowest hits of each document. Higher is better."),
        Mistake(_sums, "This is the sum. The score is the mean of `count` values."),
        Mistake(_only_the_best, "This is the best hit of each document. The score is the mean of its `count` best."),
        Mistake(
            _all_hits, "The mean was taken of all hits of a document. Only its `count` best count, and a missing one."
        ),
        Mistake(
            _left_out,
            "A document with fewer than `count` hits is missing from your list. Fill its missing hits instead.",
        ),
        Mistake(_worst_first, "The lowest means come first. Higher is better."),
        Mistake(_ties_as_found, "Documents with equal scores stand in the order of their hits. Settle them by name."),
    ),
)
