"""Exercise 18.3, all leaves below the nodes that a coarse level kept."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Tree = dict[str, list[str]]


def leaves_below(children: dict[str, list[str]], kept: list[str]) -> list[str]:
    """All nodes without children that are kept or lie below a kept node, at any depth; sorted, each once."""
    leaves: set[str] = set()
    waiting = list(kept)
    while waiting:
        node = waiting.pop()
        if children.get(node):
            waiting.extend(children[node])
        else:
            leaves.add(node)
    return sorted(leaves)


def _climb(children: Tree, kept: list[str]) -> list[str]:
    """Oracle: from each leaf up to the root; was a kept node on the way?"""
    parents = {child: parent for parent, own in children.items() for child in own}
    names = {*children, *parents, *kept}
    found = []
    for name in sorted(names):
        if children.get(name):
            continue
        above = [name]
        while above[-1] in parents:
            above.append(parents[above[-1]])
        if any(node in kept for node in above):
            found.append(name)
    return found


def _cases(rng: Random) -> Iterator[tuple[Tree, list[str]]]:
    law = {"act": ["title 1", "title 2"], "title 1": ["article 1", "article 2"], "article 1": ["1(1)", "1(2)"]}
    law |= {"article 2": ["2(1)"], "title 2": ["article 3"], "article 3": ["3(2)", "3(1)"]}
    yield {}, []
    yield {}, ["a"]
    yield law, ["article 3"]
    yield law, ["title 1"]
    yield law, ["act"]
    yield law, ["title 1", "article 1"]
    yield law, ["1(2)", "title 2"]
    yield law, []
    for _ in range(40):
        size = rng.randrange(1, 12)
        tree: Tree = {}
        for number in range(1, size):
            tree.setdefault(f"n{rng.randrange(number)}", []).append(f"n{number}")
        yield tree, rng.sample([f"n{number}" for number in range(size)], rng.randrange(size + 1))


def _one_step(children: Tree, kept: list[str]) -> list[str]:
    return sorted({child for node in kept for child in children.get(node, [])})


def _inner_nodes_too(children: Tree, kept: list[str]) -> list[str]:
    found, waiting = set(kept), list(kept)
    while waiting:
        own = children.get(waiting.pop(), [])
        found |= set(own)
        waiting.extend(own)
    return sorted(found)


def _twice(children: Tree, kept: list[str]) -> list[str]:
    return sorted(leaf for node in kept for leaf in leaves_below(children, [node]))


def _not_itself(children: Tree, kept: list[str]) -> list[str]:
    return leaves_below(children, [child for node in kept for child in children.get(node, [])])


def _two_steps(children: Tree, kept: list[str]) -> list[str]:
    level = list(kept)
    for _ in range(2):
        level = [below for node in level for below in (children.get(node) or [node])]
    return sorted({node for node in level if not children.get(node)})


LEAVES_BELOW = Exercise(
    id="18.3",
    title="All leaves below",
    solution=leaves_below,
    oracle=_climb,
    cases=_cases,
    hints=(
        "A Title's children are Articles. The leaves are one level further down, or more.",
        "Keep a list of nodes that wait. Take one; if it has children, they wait, too; if not, it is a leaf.",
        "A set takes care of leaves that are reached from two kept nodes.",
    ),
    mistakes=(
        Mistake(_one_step, "These are the direct children. A filter on the parent's id sees no further than that."),
        Mistake(_inner_nodes_too, "Nodes that have children are no leaves."),
        Mistake(_twice, "Where a kept node lies in another kept one, its leaves are reached twice. Name each once."),
        Mistake(_not_itself, "A kept node without children is a leaf itself and belongs to the result."),
        Mistake(_two_steps, "The tree was followed for two levels only. Go on until there are no children."),
    ),
)
