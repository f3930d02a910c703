"""Look-ups in the nodes table of an index, each of them one table query for any number of nodes.

Lesson 02 uses it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from sys import maxsize
from typing import Any, NamedTuple

from lancedb.expr import Expr

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Node, Span, Where
from hierrag_lessons.store.columns import Column, read_fields
from hierrag_lessons.store.engine import wait
from hierrag_lessons.store.filtering import condition, matching
from hierrag_lessons.store.readable import Readable
from hierrag_lessons.store.schema import (
    NODE_COLUMNS,
    TEXT_COLUMNS,
    place_key,
    to_document,
    to_node,
    to_sources,
    to_text,
    unescape,
)


class Family(NamedTuple):
    """A node and the number of nodes one level down in it."""

    parent: Node
    children: int


class Outline(NamedTuple):
    """A node without its text, for what stands in a window is read as one slice of the document."""

    node_id: str
    parent_id: str | None
    position: int
    span: Span
    sources: tuple[Span, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """As ``Node.spans``."""
        return self.sources or (self.span,)


def read_rows(table: Readable, where: Expr | None, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The rows that match, as dictionaries of the columns asked for, in no particular order."""
    query = table.query().select(list(columns))
    return list(wait((query if where is None else query.where(where)).to_arrow()).to_pylist())


def count(table: Readable, level: int | None) -> int:
    """The number of nodes, of one level or of all."""
    checks.whole("level", level, 0, none="all levels")
    return table.count_rows(None if level is None else matching("level", [level]))


def find_doc_ids(table: Readable, where: Where | None, columns: Mapping[str, Column]) -> list[str]:
    """The ids of all documents, or of those with a node inside a filter, sorted."""
    filtered = condition(where, None if where else 0, columns)
    return sorted({unescape(row["doc_id"]) for row in read_rows(table, filtered, ["doc_id"])})


def find_depth(table: Readable) -> int:
    """The highest level number of any document; 0 for an empty table."""
    return max((int(row["level"]) for row in read_rows(table, None, ["level"])), default=0)


def find_document(table: Readable, doc_id: str) -> Document:
    """The document as it was added. Raises ``KeyError`` where the table has none."""
    checks.text("doc_id", doc_id)
    where = matching("doc_id", [doc_id]) & matching("level", [0])
    for row in read_rows(table, where, [*NODE_COLUMNS, "document"]):
        return to_document(row)
    raise KeyError(f"the index has no document {doc_id!r}")


def find_texts(table: Readable, doc_ids: Collection[str]) -> dict[str, str]:
    """The whole text of each document. Raises ``KeyError`` naming one that the table has not."""
    wanted = dict.fromkeys(doc_ids)
    where = matching("place", [place_key(doc_id, 0, 0) for doc_id in wanted])
    texts = {unescape(row["doc_id"]): to_text(row) for row in read_rows(table, where, ["doc_id", *TEXT_COLUMNS])}
    for doc_id in wanted:
        if doc_id not in texts:
            raise KeyError(f"the index has no document {doc_id!r}")
    return texts


def find_slices(table: Readable, spans: Sequence[tuple[str, Span]]) -> list[str]:
    """``Index.slices``: the texts of spans of documents."""
    texts = find_texts(table, [doc_id for doc_id, _ in spans])
    for doc_id, (start, end) in spans:
        if not 0 <= start <= end <= len(texts[doc_id]):
            raise ValueError(f"{start}-{end} is no span of {doc_id!r}, which has {len(texts[doc_id])} characters")
    return [texts[doc_id][start:end] for doc_id, (start, end) in spans]


def find_nodes(table: Readable, node_ids: Sequence[str], columns: Mapping[str, Column]) -> list[Node]:
    """The nodes with these ids, in the order asked. Raises ``KeyError`` naming one that is missing."""
    checks.texts("node_ids", node_ids)
    return [node for node, _ in _find(table, node_ids, columns)]


def find_families(table: Readable, nodes: Sequence[Node]) -> list[Family]:
    """The parents of the nodes, each once, in the order in which ``nodes`` first names them, with their children."""
    checks.each("nodes", nodes, Node)
    parent_ids = dict.fromkeys(node.parent_id for node in nodes if node.parent_id is not None)
    return [Family(node, children) for node, children in _find(table, list(parent_ids))]


def find_children(table: Readable, nodes: Sequence[Node]) -> list[Node]:
    """The nodes one level down: those of the first node in document order, then those of the next."""
    checks.each("nodes", nodes, Node)
    order = {node_id: rank for rank, node_id in enumerate(dict.fromkeys(node.node_id for node in nodes))}
    found = _nodes(table, matching("parent_id", list(order))) if order else []
    return sorted(found, key=lambda node: (order[str(node.parent_id)], node.position))


def find_lineages(table: Readable, nodes: Sequence[Node], top: int) -> dict[str, list[Family]]:
    """``Index.lineages``: for each node the families above it, the nearest first."""
    checks.whole("top", top, 0)
    below = {node.node_id: node for node in checks.each("nodes", nodes, Node)}
    above: dict[str, Family] = {}
    step = list(below.values())
    while step := [node for node in step if node.level > top and node.parent_id not in above]:
        found = find_families(table, step)
        above |= {family.parent.node_id: family for family in found}
        step = [family.parent for family in found]
    return {node_id: list(_climb(node, above, top)) for node_id, node in below.items()}


def find_descendants(table: Readable, nodes: Sequence[Node], bottom: int | None) -> dict[str, list[Node]]:
    """``Index.descendants``: for each node those below it, each in front of its own children."""
    checks.whole("bottom", bottom, 0, none="the leaves")
    above = {node.node_id: node for node in checks.each("nodes", nodes, Node)}
    deepest = maxsize if bottom is None else bottom
    children: dict[str, list[Node]] = {}
    step = list(above.values())
    while step := [node for node in step if node.level < deepest and node.node_id not in children]:
        children |= {node.node_id: [] for node in step}
        step = find_children(table, step)
        for child in step:
            children[str(child.parent_id)].append(child)
    return {node_id: list(_descend(node, children, deepest)) for node_id, node in above.items()}


def _climb(node: Node, above: Mapping[str, Family], top: int) -> Iterator[Family]:
    while node.level > top and node.parent_id is not None:
        yield above[node.parent_id]
        node = above[node.parent_id].parent


def _descend(node: Node, children: Mapping[str, Sequence[Node]], deepest: int) -> Iterator[Node]:
    for child in children.get(node.node_id, ()):
        if child.level <= deepest:
            yield child
            yield from _descend(child, children, deepest)


def find_windows(table: Readable, nodes: Sequence[Node], before: int, after: int) -> list[list[Outline]]:
    """For each node itself and its neighbours on the same level, in document order."""
    checks.whole("before", before, 0)
    checks.whole("after", after, 0)
    checks.each("nodes", nodes, Node)
    # No window reaches further than the table has rows; to count them is worth it for long ones only.
    most = table.count_rows() if before + after > 100 else maxsize
    windows = [
        [place_key(node.doc_id, node.level, position) for position in range(max(0, first), min(last, most))]
        for node, first, last in ((node, node.position - before, node.position + after + 1) for node in nodes)
    ]
    wanted = {name for window in windows for name in window}
    columns = ["place", "node_id", "parent_id", "position", "start", "end", "sources"]
    rows = read_rows(table, matching("place", wanted), columns) if wanted else []
    found = {unescape(row["place"]): _to_outline(row) for row in rows}
    return [[found[name] for name in window if name in found] for window in windows]


def _to_outline(row: Mapping[str, Any]) -> Outline:
    parent_id = None if row["parent_id"] is None else unescape(row["parent_id"])
    span = Span(row["start"], row["end"])
    return Outline(unescape(row["node_id"]), parent_id, row["position"], span, to_sources(row["sources"]))


def _nodes(table: Readable, where: Expr) -> list[Node]:
    return [to_node(row) for row in read_rows(table, where, NODE_COLUMNS)]


def _find(
    table: Readable, node_ids: Sequence[str], declared: Mapping[str, Column] | None = None
) -> list[tuple[Node, int]]:
    declared = declared or {}
    columns = [*NODE_COLUMNS, "children", *declared]
    rows = read_rows(table, matching("node_id", set(node_ids)), columns) if node_ids else []
    nodes = ((to_node(row, read_fields(declared, row)), int(row["children"])) for row in rows)
    found = {node.node_id: (node, children) for node, children in nodes}
    for node_id in node_ids:
        if node_id not in found:
            raise KeyError(f"the index has no node {node_id!r}")
    return [found[node_id] for node_id in node_ids]
