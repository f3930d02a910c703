"""Constraints: which nodes a level may find, given what an earlier level kept.

Lesson 18 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hierrag_lessons.model import Hit, Where, allows
from hierrag_lessons.model.filters import frozen
from hierrag_lessons.store import Index

Filter = dict[str, Any]
"""For each field a sorted tuple of values, or what stands for values: a range, a prefix, all of several."""


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
    # The parents of what is searched are one level above it.
    below = index.descendants([node for own in nodes for node in own], None if level is None else max(0, level - 1))
    families = [[each for node in own for each in (node, *below[node.node_id])] for own in nodes]
    return [_sorted(each.node_id for each in own if level is None or each.level < level) for own in families]


def combine(base: Where | None, key: str, values: Sequence[str]) -> Filter | None:
    """The base filter and the constraint, both of which must hold; ``None`` where they can't hold together."""
    combined = dict(frozen(base))
    if key in combined:
        values = [value for value in values if allows(combined[key], value)]
    combined[key] = tuple(values)
    return combined if all(combined.values()) else None


def _sorted(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values)))
