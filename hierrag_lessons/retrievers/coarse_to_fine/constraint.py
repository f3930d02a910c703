"""Constraints: which nodes a level may find, given what an earlier level kept.

Lesson 18 builds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from hierrag_lessons.model import Hit, Node
from hierrag_lessons.store import Index, Where

Filter = dict[str, tuple[Any, ...]]


def constraint_values(
    filter_key: str, kept: Sequence[Sequence[Hit]], index: Index, level: int | None
) -> list[tuple[str, ...]]:
    """The values of ``filter_key`` that let through exactly the nodes that each query may find, sorted.

    ``kept`` holds, for each query, what the constraining level kept. For ``parent_id`` a node passes that lies below a
    kept one at any depth: the values are the kept nodes and all nodes below them that are above ``level``. They are
    looked up level by level, in one table query a level for all queries together; where the kept nodes are the direct
    parents there is none.
    """
    nodes = [[hit.node for hit in hits] for hits in kept]
    if filter_key == "doc_id":
        return [_sorted(node.doc_id for node in own) for own in nodes]
    if filter_key == "node_id":
        return [_sorted(node.node_id for node in own) for own in nodes]
    children = _children(index, (node for own in nodes for node in own), level)
    return [_sorted(_with_descendants(own, children, level)) for own in nodes]


def combine(base: Where | None, key: str, values: Sequence[str]) -> Filter | None:
    """The base filter and the constraint, both of which must hold; ``None`` where they can't hold together."""
    combined = as_filter(base)
    if key in combined:
        allowed = set(combined[key])
        values = [value for value in values if value in allowed]
    combined[key] = tuple(values)
    return combined if all(combined.values()) else None


def as_filter(where: Where | None) -> Filter:
    """A filter with a sorted tuple of values for each field."""

    def listed(wanted: Any) -> Iterable[Any]:
        return wanted if isinstance(wanted, Collection) and not isinstance(wanted, str) else [wanted]

    return {field: tuple(sorted(set(listed(wanted)))) for field, wanted in (where or {}).items()}


def _children(index: Index, nodes: Iterable[Node], level: int | None) -> Mapping[str, list[Node]]:
    """The children of the nodes, and theirs, down to the parents of the nodes of ``level``."""
    children: dict[str, list[Node]] = {}
    waiting = list({node.node_id: node for node in nodes}.values())
    while waiting := [node for node in waiting if level is None or node.level < level - 1]:
        children |= {node.node_id: [] for node in waiting}
        found = index.children(waiting)
        for child in found:
            children[str(child.parent_id)].append(child)
        waiting = [child for child in found if child.node_id not in children]
    return children


def _with_descendants(nodes: Iterable[Node], children: Mapping[str, list[Node]], level: int | None) -> set[str]:
    """The ids of the nodes above ``level`` among these and all below them."""
    ids: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.node_id not in ids and (level is None or node.level < level):
            ids.add(node.node_id)
            waiting += children.get(node.node_id, [])
    return ids


def _sorted(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values)))
