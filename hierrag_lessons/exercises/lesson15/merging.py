"""Exercise 15.2, the bugs in merging as it is published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def auto_merge(ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction) -> list[tuple[str, float]]:
    """Nodes to return with their scores: parents in the place of their children where enough of them were found."""
    children = Counter(parent.values())
    kept: dict[str, float] = {}
    for name, score in ranked:
        kept[name] = max(score, kept.get(name, score))
    while True:
        found = Counter(parent[name] for name in kept if name in parent)
        ready = [node for node in found if found[node] >= threshold * children[node]]
        if not ready:
            return sorted(kept.items(), key=lambda pair: (-pair[1], pair[0]))
        merged = ready[0]
        inside = []
        for name in kept:
            node = name
            while node in parent and node != merged:
                node = parent[node]
            if node == merged:
                inside.append(name)
        kept[merged] = max(kept.pop(name) for name in inside)


def _published(ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction) -> list[tuple[str, float]]:
    """The code that is handed out."""
    children = Counter(parent.values())
    groups: dict[str, list[tuple[str, float]]] = {}
    for name, score in ranked:
        groups.setdefault(parent[name], []).append((name, score))
    result: list[tuple[str, float]] = []
    used: set[str] = set()
    for node, own in groups.items():
        if len(own) / children[node] > threshold:
            result.append((node, max(score for _, score in own)))
            used.update(name for name, _ in own)
    result += [(name, score) for name, score in ranked if name not in used]
    return sorted(result, key=lambda pair: (-pair[1], pair[0]))


def _from_the_top(
    ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction
) -> list[tuple[str, float]]:
    """Oracle: a node stands for itself if it was found or enough of its children stand; take the topmost ones."""
    below: dict[str, list[str]] = {}
    for child, node in parent.items():
        below.setdefault(node, []).append(child)
    leaves = {name for name, _ in ranked}

    def stands(node: str) -> bool:
        own = below.get(node, [])
        return node in leaves or (bool(own) and Fraction(sum(map(stands, own)), len(own)) >= threshold)

    def scores(node: str) -> list[float]:
        own = [score for name, score in ranked if name == node]
        return own + [score for child in below.get(node, []) for score in scores(child)]

    def topmost(node: str) -> list[str]:
        if stands(node):
            return [node]
        return [name for child in below.get(node, []) for name in topmost(child)]

    roots = sorted({*parent.values()} - {*parent})
    found = [(max(scores(name)), name) for root in roots for name in topmost(root)]
    return [(name, score) for score, name in sorted(found, key=lambda pair: (-pair[0], pair[1]))]


def _tree(sizes: list[list[int]]) -> dict[str, str]:
    """A root with parts that have as many leaves as the numbers say: ``a`` over ``a1``, ``a2``; ``top`` over all."""
    parent: dict[str, str] = {}
    for section, parts in enumerate(sizes):
        parent[f"S{section}"] = "top"
        for part, leaves in enumerate(parts):
            name = f"S{section}p{part}"
            parent[name] = f"S{section}"
            for leaf in range(leaves):
                parent[f"{name}.{leaf}"] = name
    return parent


def _cases(rng: Random) -> Iterator[tuple[list[tuple[str, float]], dict[str, str], Fraction]]:
    half, most = Fraction(1, 2), Fraction(3, 5)
    two = {"L1": "A", "L2": "A", "L3": "A", "L4": "A"}
    six = {f"L{i}": "A" for i in range(1, 7)}
    yield ([], two, half)
    yield ([("L1", 0.5)], two, half)
    yield ([("L1", 0.5), ("L2", 0.4), ("L3", 0.3)], two, half)
    yield ([("L1", 0.5), ("L2", 0.4)], two, half)
    yield ([("L1", 0.5), ("L1", 0.4), ("L1", 0.3)], two, half)
    yield ([("L2", 0.25), ("L2", 0.5)], two, half)
    yield ([("L1", 0.5), ("L2", 0.4), ("L3", 0.3), ("L4", 0.2)], six, Fraction(2, 3))
    steps = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "b3": "b", "a": "top", "b": "top"}
    yield ([("a1", 0.5), ("a2", 0.75)], steps, most)
    yield ([("a1", 0.5), ("a2", 0.75), ("b1", 0.625), ("b2", 0.125)], steps, most)
    yield ([("b3", 0.75), ("a1", 0.5), ("a2", 0.25)], steps, half)
    many = {f"L{i:02}": "A" for i in range(1, 26)}
    yield ([(f"L{i:02}", (32 - i) / 64) for i in range(1, 8)], many, Fraction(7, 25))
    for _ in range(50):
        parent = _tree([[rng.randrange(1, 4) for _ in range(rng.randrange(1, 4))] for _ in range(rng.randrange(1, 4))])
        leaves = sorted({*parent} - {*parent.values()})
        names = [rng.choice(leaves) for _ in range(rng.randrange(1, 10))]
        scores = sorted((rng.randrange(1, 64) / 64 for _ in names), reverse=True)
        yield (list(zip(names, scores, strict=True)), parent, Fraction(rng.randrange(1, 7), 6))


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
    start=_published,
    oracle=_from_the_top,
    cases=_cases,
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
