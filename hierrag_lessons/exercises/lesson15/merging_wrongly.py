"""Exercise 15.2, the bugs in merging as it is published: the wrong answers, and what is said to each."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson15.merging import auto_merge, cases, from_the_top, published


def _distinct(ranked: list[tuple[str, float]]) -> list[tuple[str, float]]:
    best = dict(sorted(ranked, key=lambda pair: pair[1]))
    return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))


def _one_level(ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction) -> list[tuple[str, float]]:
    own = {child: node for child, node in parent.items() if child not in parent.values()}
    return auto_merge(ranked, own, threshold)


def _strict(ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction) -> list[tuple[str, float]]:
    more = min(threshold + Fraction(1, 10**6), Fraction(1))
    return auto_merge(ranked, parent, Fraction(2) if threshold == 1 else more)


def _float_share(
    ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction
) -> list[tuple[str, float]]:
    children, kept = Counter(parent.values()), {name: {name: score} for name, score in _distinct(ranked)}
    while True:
        found = Counter(parent[name] for name in kept if name in parent)
        ready = [node for node in found if found[node] / children[node] >= threshold]
        if not ready:
            return _distinct([(name, max(leaves.values())) for name, leaves in kept.items()])
        inside = [name for name in kept if ready[0] in _ancestors(name, parent)]
        kept[ready[0]] = {leaf: score for name in inside for leaf, score in kept.pop(name).items()}


def _float_threshold(
    ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction
) -> list[tuple[str, float]]:
    children, kept = Counter(parent.values()), {name: {name: score} for name, score in _distinct(ranked)}
    while True:
        found = Counter(parent[name] for name in kept if name in parent)
        ready = [node for node in found if found[node] >= float(threshold) * children[node]]
        if not ready:
            return _distinct([(name, max(leaves.values())) for name, leaves in kept.items()])
        inside = [name for name in kept if ready[0] in _ancestors(name, parent)]
        kept[ready[0]] = {leaf: score for name in inside for leaf, score in kept.pop(name).items()}


def _root_left_out(
    ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction
) -> list[tuple[str, float]]:
    children, kept = Counter(parent.values()), dict(_distinct(ranked))
    while True:
        found = Counter(parent[name] for name in kept if name in parent)
        ready = [node for node in found if node in parent and found[node] >= threshold * children[node]]
        if not ready:
            return _distinct(list(kept.items()))
        inside = [name for name in kept if ready[0] in _ancestors(name, parent)]
        kept[ready[0]] = max(kept.pop(name) for name in inside)


def _mean_score(
    ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction
) -> list[tuple[str, float]]:
    leaves = dict(_distinct(ranked))
    means: list[tuple[str, float]] = []
    for name, _ in auto_merge(ranked, parent, threshold):
        own = [score for leaf, score in leaves.items() if name in _ancestors(leaf, parent)]
        means.append((name, sum(own) / len(own)))
    return _distinct(means)


def _ancestors(name: str, parent: dict[str, str]) -> list[str]:
    return [name, *_ancestors(parent[name], parent)] if name in parent else [name]


def _listed_twice(
    ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction
) -> list[tuple[str, float]]:
    children, counted = Counter(parent.values()), Counter(parent[name] for name, _ in ranked)
    merged = {node for node in counted if counted[node] >= threshold * children[node]}
    first = [(parent[name] if parent[name] in merged else name, score) for name, score in ranked]
    return auto_merge(first, parent, threshold)


def _left_beside(
    ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction
) -> list[tuple[str, float]]:
    children, kept = Counter(parent.values()), dict(_distinct(ranked))
    while True:
        found = Counter(parent[name] for name in kept if name in parent)
        ready = [node for node in found if node not in kept and found[node] >= threshold * children[node]]
        if not ready:
            return _distinct(list(kept.items()))
        own = [name for name in kept if parent.get(name) == ready[0]]
        kept[ready[0]] = max(kept.pop(name) for name in own)


def _children_stay(
    ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction
) -> list[tuple[str, float]]:
    return _distinct([*ranked, *auto_merge(ranked, parent, threshold)])


def _first_score(
    ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction
) -> list[tuple[str, float]]:
    last = dict(ranked)
    return auto_merge(list(last.items()), parent, threshold)


MERGING = Exercise(
    id="15.2",
    title="Find the bugs: merging as published",
    solution=auto_merge,
    start=published,
    oracle=from_the_top,
    cases=cases,
    hints=(
        "Four things are missing: equality, leaves listed twice, the levels above, leaves that stay behind.",
        "Keep a dictionary from name to score. Merge one parent in it, and start again until no parent is ready.",
        "When a node is merged, remove everything that lies in it, however deep: walk up from each name that is kept.",
    ),
    mistakes=(
        Mistake(_one_level, "It stops at the parents. A merged parent is a found child of its own parent: ask again."),
        Mistake(_strict, "A share equal to the threshold merges: >= and not >."),
        Mistake(
            _float_share,
            "2 / 3 as a float is a little less than Fraction(2, 3). Compare Fraction(found, children), or found with "
            "threshold * children.",
        ),
        Mistake(
            _float_threshold,
            "As a float, Fraction(7, 25) times 25 is a little more than 7, and 7 children are not enough. Keep the "
            "Fraction: found >= threshold * children is exact.",
        ),
        Mistake(_root_left_out, "The root can be merged as well: it has no parent, but it has children."),
        Mistake(_mean_score, "A merged node has the best score of the leaves in it, not their mean."),
        Mistake(_listed_twice, "A leaf that is listed twice is one child. Counted twice, it merges a parent alone."),
        Mistake(
            _left_beside,
            "A leaf whose own parent was not merged can lie in a merged grandparent. It is part of it, not a second "
            "passage beside it.",
        ),
        Mistake(_children_stay, "A merged parent takes the place of its children: they are not returned as well."),
        Mistake(_first_score, "Of a leaf that is listed twice the better score counts, wherever it stands."),
    ),
)
