"""Look-ups in the nodes table of an index, each of them one table query for any number of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lancedb.expr import Expr
from lancedb.table import AsyncTable

from hierrag_lessons.hierarchy import Node
from hierrag_lessons.store.schema import NODE_COLUMNS, matching, place, to_node, unescape, wait


def read_rows(table: AsyncTable, where: Expr | None, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The rows that match, as dictionaries of the columns asked for, in no particular order."""
    query = table.query().select(list(columns))
    return list(wait((query if where is None else query.where(where)).to_arrow()).to_pylist())


def find_nodes(table: AsyncTable, node_ids: Sequence[str]) -> list[Node]:
    """The nodes with these ids, in the order asked. Raises ``KeyError`` naming one that is missing."""
    found = {node.node_id: node for node in _nodes(table, matching("node_id", set(node_ids)))} if node_ids else {}
    return [found[node_id] for node_id in _present(node_ids, found)]


def find_children(table: AsyncTable, nodes: Sequence[Node]) -> list[Node]:
    """The nodes one level down: those of the first node in document order, then those of the next."""
    order = {node_id: place for place, node_id in enumerate(dict.fromkeys(node.node_id for node in nodes))}
    found = _nodes(table, matching("parent_id", list(order))) if order else []
    return sorted(found, key=lambda node: (order[str(node.parent_id)], node.position))


def count_children(table: AsyncTable, node_ids: Sequence[str]) -> list[int]:
    """How many nodes lie one level down in each node. Raises ``KeyError`` naming one that is missing."""
    rows = read_rows(table, matching("node_id", set(node_ids)), ["node_id", "children"]) if node_ids else []
    counts = {unescape(row["node_id"]): int(row["children"]) for row in rows}
    return [counts[node_id] for node_id in _present(node_ids, counts)]


def find_windows(table: AsyncTable, nodes: Sequence[Node], before: int, after: int) -> list[list[Node]]:
    """For each node itself and its neighbours on the same level, in document order.

    Raises ``ValueError`` where ``before`` or ``after`` is negative.
    """
    if before < 0 or after < 0:
        raise ValueError(f"before is {before} and after is {after}; give 0 or more neighbours")
    most = wait(table.count_rows())
    windows = [
        [place(node.doc_id, node.level, position) for position in range(max(0, first), min(last, most))]
        for node, first, last in ((node, node.position - before, node.position + after + 1) for node in nodes)
    ]
    wanted = {name for window in windows for name in window}
    rows = _nodes(table, matching("place", wanted)) if wanted else []
    found = {place(node.doc_id, node.level, node.position): node for node in rows}
    return [[found[name] for name in window if name in found] for window in windows]


def _nodes(table: AsyncTable, where: Expr) -> list[Node]:
    return [to_node(row) for row in read_rows(table, where, NODE_COLUMNS)]


def _present(node_ids: Sequence[str], found: Iterable[str]) -> Sequence[str]:
    known = set(found)
    for node_id in node_ids:
        if node_id not in known:
            raise KeyError(f"the index has no node {node_id!r}")
    return node_ids
