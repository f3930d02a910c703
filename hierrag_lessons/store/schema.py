"""What an index stores: its header, the columns of its one table, nodes read from rows.

Lesson 02 builds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hierrag_lessons.model import JSON, Document, Language, Node, Span

if TYPE_CHECKING:
    from hierrag_lessons.model import Embedder

SCHEMA_VERSION = 3
TEXT_COLUMNS = ("text", "search_text", "context")
NODE_COLUMNS = (
    *("node_id", "doc_id", "level", "start", "end", *TEXT_COLUMNS),
    *("parent_id", "position", "metadata", "sources"),
)
ROW_COLUMNS = frozenset(
    {*NODE_COLUMNS, "place", "children", "searchable", "document", "terms", "vector", "query_index"}
)


@dataclass(frozen=True, slots=True)
class Header:
    """What an index was made with; it is kept in the table's schema."""

    embedder: str
    dim: int
    language: Language
    package: str
    schema: int = SCHEMA_VERSION
    columns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, embedder: Embedder, language: Language, columns: Mapping[str, str] | None = None) -> Header:
        """The header of an index made now; ``columns`` are the declared ones with their types in words."""
        return cls(embedder.name, embedder.dim, language, version("hierrag-lessons"), columns=columns or {})

    def write(self, schema: pa.Schema) -> pa.Schema:
        """The schema with this header in it."""
        values = asdict(self)
        if not self.columns:  # An index without declared columns is what it was before there were any.
            del values["columns"]
        return schema.with_metadata({"hierrag": json.dumps(values)})

    @classmethod
    def read(cls, schema: pa.Schema) -> Header:
        """Read a header. Raises ``ValueError`` where the schema has none, or one of another kind."""
        try:
            values = {"columns": {}, **json.loads((schema.metadata or {})[b"hierrag"])}
            return cls(**{each.name: values[each.name] for each in fields(cls)})
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError("its table does not say which embedder made it") from error

    def check(self, embedder: Embedder) -> None:
        """Raise ``ValueError`` where vectors of ``embedder`` or rows of this package would not fit the index."""
        if (self.embedder, self.dim) != (embedder.name, embedder.dim):
            raise ValueError(
                f"it was made with the embedder {self.embedder!r} ({self.dim} dimensions), not with {embedder.name!r} "
                f"({embedder.dim}); open it with {self.embedder!r}, or create a new index and add the documents again"
            )
        now = version("hierrag-lessons")
        if self.schema != SCHEMA_VERSION or self.package.split(".")[:2] != now.split(".")[:2]:
            raise ValueError(
                f"it was made with hierrag-lessons {self.package} (schema {self.schema}), this is {now} "
                f"(schema {SCHEMA_VERSION}); delete the folder, create a new index and add the documents again"
            )


def row_schema(dim: int, declared: Sequence[pa.Field] = ()) -> pa.Schema:
    """The columns of the nodes table.

    A node's text is stored once: in ``search_text`` together with its context where it can be searched, which is the
    column that the text index reads, otherwise in ``text``. ``children`` counts the nodes one level down. ``place`` is
    level, position and doc_id in one, so that any set of neighbours is one look-up. ``sources`` is set for derived
    texts, ``document`` on level 0, and ``terms``, the words that BM25 counts, for units, only. ``vector`` is null where
    the level is not searched, and where the vector would be all zeros. The columns that the index declares stand in
    front of it.
    """
    return pa.schema(
        [
            pa.field("node_id", pa.string(), nullable=False),
            pa.field("doc_id", pa.string(), nullable=False),
            pa.field("level", pa.int32(), nullable=False),
            pa.field("start", pa.int64(), nullable=False),
            pa.field("end", pa.int64(), nullable=False),
            pa.field("text", pa.string()),
            pa.field("search_text", pa.string()),
            pa.field("context", pa.string(), nullable=False),
            pa.field("parent_id", pa.string()),
            pa.field("position", pa.int32(), nullable=False),
            pa.field("metadata", pa.string(), nullable=False),
            pa.field("sources", pa.string()),
            pa.field("place", pa.string(), nullable=False),
            pa.field("children", pa.int32(), nullable=False),
            pa.field("searchable", pa.bool_(), nullable=False),
            pa.field("document", pa.string()),
            pa.field("terms", pa.list_(pa.string())),
            *declared,
            pa.field("vector", pa.list_(pa.float32(), dim)),
        ]
    )


def place_key(doc_id: str, level: int, position: int) -> str:
    """The one name of a position on a level of a document."""
    return f"{level}:{position}:{doc_id}"


def escape(text: str) -> str:
    """Write lone surrogates, which UTF-8 cannot hold, as U+0010 and four hexadecimal digits; nearly always a no-op."""
    return re.sub("[\x10\ud800-\udfff]", lambda found: f"\x10{ord(found[0]):04x}", text)


def unescape(text: str) -> str:
    """Undo ``escape``."""
    if "\x10" not in text:
        return text
    return re.sub("\x10([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)


def to_text(row: Mapping[str, Any]) -> str:
    """The text of the node in a row that has ``TEXT_COLUMNS``; ``text`` may be missing where ``search_text`` is set."""
    if row["search_text"] is None:
        return unescape(row["text"])
    context = unescape(row["context"])
    return unescape(row["search_text"])[len(context) + 1 if context else 0 :]


def to_sources(written: str | None) -> tuple[Span, ...]:
    """The spans in the column ``sources``."""
    return tuple(Span(start, end) for start, end in json.loads(written)) if written else ()


def to_node(row: Mapping[str, Any], fields: Mapping[str, JSON] | None = None) -> Node:
    """The node in a row that has ``NODE_COLUMNS``; ``text`` may be missing where ``search_text`` is set."""
    return Node(
        node_id=unescape(row["node_id"]),
        doc_id=unescape(row["doc_id"]),
        level=row["level"],
        start=row["start"],
        end=row["end"],
        text=to_text(row),
        context=unescape(row["context"]),
        parent_id=None if row["parent_id"] is None else unescape(row["parent_id"]),
        position=row["position"],
        metadata={} if row["metadata"] == "{}" else json.loads(row["metadata"]),
        sources=to_sources(row["sources"]),
        fields=fields or {},
    )


def to_document(row: Mapping[str, Any]) -> Document:
    """The document in the row of a level-0 node."""
    node = to_node(row)
    return Document(node.doc_id, node.text, **json.loads(row["document"]))
