"""Declared columns: what an index keeps of the metadata so that it can be filtered by, and read with every hit.

Lesson 18 uses it.
"""

from __future__ import annotations

import json
import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from types import GenericAlias
from typing import Any, TypeAlias, get_args, get_origin

import pyarrow as pa

from hierrag_lessons import checks
from hierrag_lessons.model import JSON, Document, Node
from hierrag_lessons.store.schema import ROW_COLUMNS, escape, unescape
from hierrag_lessons.text import PLACE_FIELDS, known_values
from hierrag_lessons.text.places import only_or_first

_TYPES: Mapping[str, type] = {"int": int, "float": float, "str": str, "bool": bool}
_ARROW = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}
_WHAT = {int: "a whole number below 2**63", float: "a finite number", str: "a text", bool: "True or False"}
BETWEEN = "\x1f"
"""Stands in front of, between and behind the members of a list."""
_OF_DOCUMENT = "document "


@dataclass(frozen=True, slots=True)
class OfDocument:
    """In the columns of an index: a field that only documents have, so that ``Index.permitted`` may ask for it.

    >>> columns = {"year": int, "group": OfDocument(str), "readers": OfDocument(list[str])}

    Every part of a document has its document's value. A part that has a field of this name itself is refused, for it
    could open a document that is shut, or shut one that is open.

    Raises ``ValueError`` for another type than a column can have.
    """

    kind: type | GenericAlias

    def __post_init__(self) -> None:
        _read_type("OfDocument", self.kind)


Columns: TypeAlias = Mapping[str, type | GenericAlias | OfDocument]
"""Names of fields with ``int``, ``float``, ``str`` or ``bool``, or with ``list[str]`` and so on for several values.

Any of these stands in ``OfDocument`` where permissions name the field.
"""


@dataclass(frozen=True, slots=True)
class Column:
    """A declared column: its name, the type of its values, whether a node can have many, and whether only documents do.

    Many values are kept as one text, each between two separators, because LanceDB's filter expressions can look into
    texts and not into lists.
    """

    name: str
    kind: type
    many: bool = False
    of_document: bool = False

    @property
    def declared(self) -> type | GenericAlias | OfDocument:
        """The type as it was declared."""
        kind = GenericAlias(list, (self.kind,)) if self.many else self.kind
        return OfDocument(kind) if self.of_document else kind

    @property
    def written(self) -> str:
        """The type in words, as in the header."""
        kind = f"list[{self.kind.__name__}]" if self.many else self.kind.__name__
        return _OF_DOCUMENT + kind if self.of_document else kind

    @property
    def arrow(self) -> pa.Field:
        """The column of the table."""
        return pa.field(self.name, pa.string() if self.many else _ARROW[self.kind])

    def holds(self, value: object) -> bool:
        """Whether one value is of the column's type."""
        if isinstance(value, bool) or self.kind is bool:
            return isinstance(value, bool) and self.kind is bool
        if self.kind is str:
            return isinstance(value, str)
        if self.kind is int:
            return isinstance(value, int) and -(2**63) <= value < 2**63
        return isinstance(value, int | float) and abs(value) < 1e300 and isfinite(value)

    def wanted(self) -> str:
        """What a value must be, in words."""
        return f"a list, each {_WHAT[self.kind]}" if self.many else _WHAT[self.kind]

    def literal(self, value: Any) -> Any:
        """One value as it is kept in the table, or between the separators of a list."""
        plain: Any = escape(value) if self.kind is str else float(value) + 0.0 if self.kind is float else value
        if not self.many:
            return plain
        # A separator in a text is written as `escape` writes what UTF-8 cannot hold.
        return plain.replace(BETWEEN, "\x10001f") if self.kind is str else json.dumps(plain)

    def write(self, value: Any) -> Any:
        """The cell of a value, or of a list of them."""
        if value is None or not self.many:
            return None if value is None else self.literal(value)
        return BETWEEN + "".join(f"{self.literal(member)}{BETWEEN}" for member in value)

    def read(self, cell: Any) -> JSON:
        """Undo ``write``."""
        if cell is None or not self.many:
            return unescape(cell) if isinstance(cell, str) else cell
        members = cell.split(BETWEEN)[1:-1]
        return [unescape(member) if self.kind is str else json.loads(member) for member in members]

    def value(self, node: Node, document: Document) -> Any:
        """What the node has in this column: its own metadata's value, else the document's, else what its place says.

        Raises ``ValueError`` naming the document, the field and the value, where this is of another type, or where a
        node has a field of its own that is declared for documents.
        """
        if self.of_document and self.name in node.metadata:
            raise ValueError(
                f"the metadata of {node.node_id!r}, a part of the document {node.doc_id!r}, has {self.name!r}, which "
                "the index declares for documents, so that permissions hold; take it out, or give it another name"
            )
        found: Any = node.metadata.get(self.name)
        if found is None:
            found = document.metadata.get(self.name)
        if self.name in PLACE_FIELDS:
            if found is None:
                found = known_values(self.name, document, node.spans)
            if isinstance(found, list) and not self.many:
                found = only_or_first(self.name, found)
        found = list(found) if isinstance(found, tuple) else found
        if found is None or found == []:
            return None
        if isinstance(found, list) is not self.many or not all(map(self.holds, found if self.many else [found])):
            other = f", or declare the column as list[{self.kind.__name__}]" if isinstance(found, list) else ""
            raise ValueError(
                f"the document {node.doc_id!r} has {self.name!r} = {found!r:.80} in {node.node_id!r}, and the index "
                f"declares {self.name!r} as {self.written}; give {self.wanted()}{other if not self.many else ''}"
            )
        return found


def declare(columns: Columns | None) -> dict[str, Column]:
    """The declared columns by name. Raises ``ValueError`` for a name or a type that cannot be one."""
    checks.instance("columns", columns, Mapping, none="none")
    made: dict[str, Column] = {}
    for name, declared in (columns or {}).items():
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"columns names {name!r}; give names of letters, digits and _, for example 'year'")
        if name.lower() in ROW_COLUMNS or name.startswith("_"):
            raise ValueError(f"columns names {name!r}, which is the index's own; give the field another name")
        if name.lower() in (other.lower() for other in made):
            raise ValueError(f"columns names {name!r} twice, in capitals and not; give each field a name of its own")
        of_document = isinstance(declared, OfDocument)
        if of_document and name in PLACE_FIELDS and name != "source":
            raise ValueError(
                f"columns[{name!r}] is {declared!r}, and parts of one document differ in it; declare it without "
                "OfDocument, or give the field of documents another name"
            )
        kind, many = _read_type(f"columns[{name!r}]", declared.kind if isinstance(declared, OfDocument) else declared)
        made[name] = Column(name, kind, many, of_document)
    return made


def _read_type(name: str, declared: type | GenericAlias) -> tuple[type, bool]:
    """The type of one value, and whether there can be many. Raises ``ValueError`` for what no column can have."""
    many = get_origin(declared) is list
    kind: Any = get_args(declared)[0] if many else declared
    if kind not in _TYPES.values():
        raise ValueError(f"{name} is {declared!r}; give int, float, str or bool, or list[str] and the like")
    return kind, many


def written_columns(columns: Mapping[str, Column]) -> dict[str, str]:
    """The declaration as the header keeps it."""
    return {name: column.written for name, column in columns.items()}


def read_columns(written: Mapping[str, str]) -> dict[str, Column]:
    """Undo ``written_columns``. Raises ``ValueError`` where there is another type in it."""
    try:
        return {name: _read_column(name, kind) for name, kind in written.items()}
    except (AttributeError, KeyError) as error:
        raise ValueError(f"its columns cannot be read: {written!r}") from error


def _read_column(name: str, written: str) -> Column:
    kind = written.removeprefix(_OF_DOCUMENT)
    bare = kind.removeprefix("list[").removesuffix("]")
    return Column(name, _TYPES[bare], bare != kind, kind != written)


def column_arrays(columns: Mapping[str, Column], nodes: Sequence[Node], document_of: Mapping[str, Document]) -> Any:
    """The cells of the declared columns, one for each node, by name. Raises ``ValueError`` as ``Column.value`` does."""
    return {
        name: [column.write(column.value(node, document_of[node.doc_id])) for node in nodes]
        for name, column in columns.items()
    }


def read_fields(columns: Mapping[str, Column], row: Mapping[str, Any]) -> dict[str, JSON]:
    """The values in a row; columns without one are left out."""
    return {name: column.read(row[name]) for name, column in columns.items() if row[name] is not None}
