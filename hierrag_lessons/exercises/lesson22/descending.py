"""Exercise 22.1, down the outline with a beam."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Tree = dict[str, list[str]]


def descend(children: dict[str, list[str]], scores: dict[str, float], root: str, beam: int) -> list[str]:
    """The sections without parts that a walk from the root reaches, best first; equal scores by name.

    On each level the ``beam`` best of all sections in view are opened. All sections without parts are equally deep.
    """
    level = [root]
    while children.get(level[0]):
        opened = sorted(level, key=lambda name: (-scores[name], name))[:beam]
        level = [child for name in opened for child in children[name]]
    return sorted(level, key=lambda name: (-scores[name], name))


def _ask_of_each_leaf(children: Tree, scores: dict[str, float], root: str, beam: int) -> list[str]:
    """Oracle: a node is opened if all above it are, and fewer than ``beam`` of those in view beside it are better."""
    parents = {child: parent for parent, own in children.items() for child in own}

    def depth(name: str) -> int:
        return 0 if name == root else 1 + depth(parents[name])

    def opened(name: str) -> bool:
        rivals = [other for other in [root, *parents] if depth(other) == depth(name) and in_view(other)]
        better = [other for other in rivals if (-scores[other], other) < (-scores[name], name)]
        return in_view(name) and len(better) < beam

    def in_view(name: str) -> bool:
        return name == root or opened(parents[name])

    reached = [name for name in [root, *parents] if not children.get(name) and in_view(name)]
    return sorted(reached, key=lambda name: (-scores[name], name))


def _grown(rng: Random, widths: list[int]) -> tuple[Tree, dict[str, float]]:
    tree: Tree = {}
    level, scores = ["r"], {"r": 0.1}
    for width in widths:
        below = []
        for name in level:
            tree[name] = [f"{name}{letter}" for letter in "abcd"[: rng.randrange(1, width + 1)]]
            below += tree[name]
        scores |= {name: rng.randrange(1, 9) / 10 for name in below}
        level = below
    return tree, scores


def _cases(rng: Random) -> Iterator[tuple[Tree, dict[str, float], str, int]]:
    book = {"book": ["cats", "dogs"], "cats": ["food", "sleep"], "dogs": ["walks", "vets"]}
    scores = {"book": 0.0, "cats": 0.5, "dogs": 0.4, "food": 0.2, "sleep": 0.1, "walks": 0.9, "vets": 0.3}
    yield {}, {"book": 1.0}, "book", 1
    yield book, scores, "book", 1
    yield book, scores, "book", 2
    deep = {"r": ["a", "b"], "a": ["a1", "a2"], "b": ["b1", "b2"], "a1": ["x"], "a2": ["y"], "b1": ["z"], "b2": ["w"]}
    yield deep, dict.fromkeys(["r", "a", "b", "a1", "a2", "b1", "b2", "x", "y", "z", "w"], 0.5), "r", 2
    high = {"r": 0.1, "a": 0.9, "b": 0.8, "a1": 0.7, "a2": 0.6, "b1": 0.2, "b2": 0.1}
    yield deep, {**high, "x": 0.1, "y": 0.2, "z": 0.9, "w": 0.9}, "r", 2
    for _ in range(40):
        tree, made = _grown(rng, [3] * rng.randrange(1, 4))
        yield tree, made, "r", rng.randrange(1, 4)


def _for_each_parent(children: Tree, scores: dict[str, float], root: str, beam: int) -> list[str]:
    level = [root]
    while children.get(level[0]):
        below = [sorted(children[name], key=lambda child: (-scores[child], child)) for name in level]
        deeper = bool(children.get(below[0][0]))
        level = [child for own in below for child in (own[:beam] if deeper else own)]
    return sorted(level, key=lambda name: (-scores[name], name))


def _greedy(children: Tree, scores: dict[str, float], root: str, beam: int) -> list[str]:
    return descend(children, scores, root, 1)


def _cut_the_last(children: Tree, scores: dict[str, float], root: str, beam: int) -> list[str]:
    return descend(children, scores, root, beam)[:beam]


def _no_walk(children: Tree, scores: dict[str, float], root: str, beam: int) -> list[str]:
    leaves = [name for name in scores if not children.get(name)]
    return sorted(leaves, key=lambda name: (-scores[name], name))


def _sums(children: Tree, scores: dict[str, float], root: str, beam: int) -> list[str]:
    added = dict(scores)
    for parent in sorted(children, key=lambda name: len(_above(children, name))):
        for child in children[parent]:
            added[child] += added[parent]
    return descend(children, added, root, beam)


def _above(children: Tree, name: str) -> list[str]:
    parents = [parent for parent, own in children.items() if name in own]
    return [*parents, *(above for parent in parents for above in _above(children, parent))]


DESCENDING = Exercise(
    id="22.1",
    title="Down the outline with a beam",
    solution=descend,
    oracle=_ask_of_each_leaf,
    cases=_cases,
    hints=(
        "Keep one list: the sections that are in view on the present level. At first it is the root alone.",
        "Sort it by score, keep the first `beam`, and put the children of these into a new list.",
        "Stop when what is in view has no children. Nothing is cut on that level: it is what was reached.",
    ),
    mistakes=(
        Mistake(
            _for_each_parent,
            "The best of each parent were opened. The beam is one for the whole level: a good parent may open "
            "more, and a bad one none.",
        ),
        Mistake(_greedy, "Only the best section of each level was opened. Open as many as `beam` says."),
        Mistake(_cut_the_last, "The last level was cut to the beam. All that was reached comes back, best first."),
        Mistake(_no_walk, "All sections without parts came back. Only those below opened ones are reached."),
        Mistake(_sums, "The scores of the sections above were added. Each section is judged by its own score."),
    ),
)
