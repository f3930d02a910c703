"""All nodes of an index in memory, for what looks at every one of them: an outline, a graph.

Lesson 22 uses it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from lancedb.expr import col, lit

from hierrag_lessons.model import Document, Language, Node, Where
from hierrag_lessons.store.columns import Column, read_fields
from hierrag_lessons.store.filtering import condition
from hierrag_lessons.store.lookup import read_rows
from hierrag_lessons.store.readable import Readable
from hierrag_lessons.store.remembering import Remembers
from hierrag_lessons.store.schema import NODE_COLUMNS, to_document, to_node, unescape


@dataclass(frozen=True, eq=False)
class Tree(Remembers):
    """The nodes of an index as one commit left them, without what was derived from the text and what lies below that.

    Attributes
    ----------
    levels:
        From the documents down, each level sorted by document and place. None where the index is empty.
    documents:
        The documents, by their ids.
    language:
        Of the index.
    """

    levels: tuple[tuple[Node, ...], ...]
    documents: Mapping[str, Document]
    language: Language
    declared: Mapping[str, Column]
    table: Readable

    @cached_property
    def by_id(self) -> Mapping[str, Node]:
        """All nodes, by their ids."""
        return {node.node_id: node for nodes in self.levels for node in nodes}

    @cached_property
    def children(self) -> Mapping[str | None, tuple[Node, ...]]:
        """The nodes one level down in each node that has any, in document order; in ``None`` the documents."""
        found: dict[str | None, list[Node]] = {}
        for node in self.by_id.values():
            found.setdefault(node.parent_id, []).append(node)
        return {parent_id: tuple(nodes) for parent_id, nodes in found.items()}

    def inside(self, where: Where | None) -> frozenset[str] | None:
        """The ids of the nodes that a filter lets through, as LanceDB finds them; ``None`` for no filter.

        Raises ``ValueError`` for an unknown field, and for a value of another type.
        """
        if where is None:
            return None
        found = read_rows(self.table, condition(where, None, self.declared), ["node_id"])
        return frozenset(unescape(row["node_id"]) for row in found)

    def lineage(self, node_ids: Collection[str]) -> frozenset[str]:
        """These nodes, where they are there, and all that they lie in."""
        found = {node_id for node_id in node_ids if node_id in self.by_id}
        step = found
        while step := {above for node_id in step if (above := self.by_id[node_id].parent_id)}:
            found = found | step
        return frozenset(found)


def read_tree(table: Readable, language: Language, declared: Mapping[str, Column]) -> Tree:
    """All nodes of a table."""
    rows = read_rows(table, None, [*NODE_COLUMNS, *declared])
    every = [to_node(row, read_fields(declared, row)) for row in rows]
    every.sort(key=lambda node: (node.level, node.doc_id, node.position))
    levels: list[list[Node]] = []
    known: set[str | None] = {None}
    for node in every:
        if node.parent_id in known and not node.derived:
            known.add(node.node_id)
            levels += [[] for _ in range(node.level + 1 - len(levels))]
            levels[node.level].append(node)
    roots = read_rows(table, col("level") == lit(0), [*NODE_COLUMNS, "document"])
    documents = {document.doc_id: document for document in map(to_document, roots)}
    return Tree(tuple(map(tuple, levels)), documents, language, declared, table)
