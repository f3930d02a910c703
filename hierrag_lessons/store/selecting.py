"""Looking up instead of searching: all nodes inside a filter, all values of a column, all documents.

Lesson 21 uses it.
"""

from __future__ import annotations

from hierrag_lessons import checks
from hierrag_lessons.model import JSON, Document, Node, Where
from hierrag_lessons.store.columns import read_fields
from hierrag_lessons.store.filtering import condition, matching
from hierrag_lessons.store.index import Index
from hierrag_lessons.store.lookup import read_rows
from hierrag_lessons.store.schema import NODE_COLUMNS, to_document, to_node


def select(index: Index, where: Where | None, level: int | None = None) -> list[Node]:
    """All nodes of a level inside a filter, by document and place; nothing is ranked.

    ``level`` is one that the index has, searchable or not, and ``None`` stands for all of them. Raises ``ValueError``
    for a filter on an unknown field.
    """
    checks.able("index", index, "snapshot")
    checks.whole("level", level, 0, none="all levels")
    declared = index._columns
    rows = read_rows(index._table(), condition(where, level, declared), [*NODE_COLUMNS, *declared])
    nodes = (to_node(row, read_fields(declared, row)) for row in rows)
    return sorted(nodes, key=lambda node: (node.doc_id, node.level, node.position, node.node_id))


def column_values(index: Index, column: str) -> list[JSON]:
    """The values that a declared column has, each once, sorted; of a column of lists the members.

    Empty where the index declares no such column.
    """
    checks.able("index", index, "snapshot")
    checks.text("column", column)
    if column not in index.columns:
        return []
    declared = {column: index._columns[column]}
    found: set[JSON] = set()
    for row in read_rows(index._table(), None, [column]):
        value = read_fields(declared, row).get(column)
        found |= {*value} if isinstance(value, list) else {value}
    return sorted(found - {None}, key=repr)


def read_documents(index: Index) -> list[Document]:
    """All documents of an index, sorted by ``doc_id``, in one look-up."""
    checks.able("index", index, "snapshot")
    rows = read_rows(index._table(), matching("level", [0]), [*NODE_COLUMNS, "document"])
    return sorted(map(to_document, rows), key=lambda document: document.doc_id)
