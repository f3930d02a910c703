"""Exercise 15.2, the bugs in merging as it is published: the solution, another to check it, and the cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random


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


def published(ranked: list[tuple[str, float]], parent: dict[str, str], threshold: Fraction) -> list[tuple[str, float]]:
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


def from_the_top(
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


def cases(rng: Random) -> Iterator[tuple[list[tuple[str, float]], dict[str, str], Fraction]]:
    """By hand what is easily missed, then many at random."""
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
