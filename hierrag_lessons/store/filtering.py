"""Filters on the rows of an index, built from values with LanceDB's expressions, and never from SQL text.

Lesson 18 uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import and_, or_
from typing import Any

from lancedb.expr import Expr, col, lit

from hierrag_lessons import checks
from hierrag_lessons.model import AllOf, Prefix, Where
from hierrag_lessons.model.filters import frozen
from hierrag_lessons.store.columns import BETWEEN, Column
from hierrag_lessons.store.schema import escape

OWN: Mapping[str, Column] = {
    name: Column(name, kind) for name, kind in {"doc_id": str, "level": int, "parent_id": str, "node_id": str}.items()
}
"""The index's own fields that can be filtered by."""

_LARGEST = 2**63 - 1  # of LanceDB's whole numbers
_MOST = 1000  # numbers of a range that are looked for one by one
_OTHERS = {str: ", or a Prefix", int: ", or a range", float: ", or a range where it has single values", bool: ""}


def matching(field: str, values: Collection[str] | Collection[int]) -> Expr:
    """A filter for the rows whose ``field`` has one of the values. They are passed as values, never as SQL text."""
    literals = [lit(escape(value) if isinstance(value, str) else value) for value in values]
    return col(field).isin(literals) if literals else _nothing()


def condition(where: Where | None, level: int | None, columns: Mapping[str, Column]) -> Expr | None:
    """Check a filter and turn it, with a level, into one expression; ``None`` for no filter.

    Raises ``ValueError`` for a field that is no column of the index, and for a value of the wrong type.
    """
    checks.instance("where", where, Mapping, none="no filter")
    parts = [] if level is None else [matching("level", [level])]
    known = {**OWN, **columns}
    for field, wanted in (where or {}).items():
        if field not in known:
            raise ValueError(f"where has the field {field!r}; it can be one of {', '.join(known)}")
        parts.append(_matches(known[field], wanted))
    return _joined(and_, parts) if parts else None


def permission(allowed: Where, columns: Mapping[str, Column]) -> Where:
    """A copy of what a user may read, checked, that nobody can change.

    Raises ``ValueError`` for what is no filter, for an empty one, for a value of another type, and for a field in which
    parts of one document can differ.
    """
    checks.instance("allowed", allowed, Mapping)
    kept = frozen(allowed)
    of_documents = ["doc_id", *(name for name, column in columns.items() if column.of_document)]
    if not kept:
        raise ValueError("allowed names no field, which would allow everything; give for example {'group': ['staff']}")
    for name in kept:
        if name not in of_documents:
            raise ValueError(
                f"allowed has the field {name!r}; it can be one of {', '.join(of_documents)}. Parts of one document "
                "can differ in any other field: for one that only documents have, declare OfDocument(str) or the like "
                "in the columns of Index.create"
            )
    condition(kept, None, columns)
    return kept


def _matches(column: Column, wanted: Any) -> Expr:
    """The rows in which one field is as wanted."""
    if isinstance(wanted, AllOf):
        return _joined(and_, [_matches(column, each) for each in wanted.wanted])
    if isinstance(wanted, Prefix):
        if column.kind is not str:
            raise _refused(column, wanted)
        return _begins(column, wanted.start)
    if isinstance(wanted, range):
        if column.kind not in (int, float):
            raise _refused(column, wanted)
        if wanted.step == 1 and not column.many:
            return _between(column, wanted)
        if abs(wanted.stop - wanted.start) > _MOST * abs(wanted.step) or (column.kind is float and wanted.step == 1):
            raise _refused(column, wanted)  # too many numbers, or all fractions between two, to look for each
    values = list(wanted) if checks.has_members(wanted) else [wanted]
    for value in values:
        if not column.holds(value):
            raise _refused(column, value)
    if not column.many:
        literals = [lit(column.literal(value)) for value in values]
        return col(column.name).isin(literals) if literals else _nothing()
    members = [col(column.name).contains(lit(f"{BETWEEN}{column.literal(value)}{BETWEEN}")) for value in values]
    return _joined(or_, members) if members else _nothing()


def _joined(join: Callable[[Expr, Expr], Expr], parts: Sequence[Expr]) -> Expr:
    """Join expressions half by half: one after the other, a thousand would nest a thousand deep."""
    half = len(parts) // 2
    return join(_joined(join, parts[:half]), _joined(join, parts[half:])) if half else parts[0]


def _between(column: Column, wanted: range) -> Expr:
    here, start, stop = col(column.name), wanted.start, wanted.stop
    if column.kind is int and stop > _LARGEST:  # no literal is larger
        return here >= lit(min(start, _LARGEST)) if start <= _LARGEST else _nothing()
    least = -_LARGEST - 1
    return (here >= lit(max(least, min(start, _LARGEST)))) & (here < lit(max(least, min(stop, _LARGEST))))


def _begins(column: Column, start: str) -> Expr:
    first = column.literal(start)
    if column.many:
        return col(column.name).contains(lit(BETWEEN + first))
    # Texts are sorted by code points in UTF-8, too, so a beginning is a range; LanceDB's expressions know no other way.
    after = _next(first)
    begins = col(column.name) >= lit(first)
    return begins if after is None else begins & (col(column.name) < lit(after))


def _next(text: str) -> str | None:
    """The first text after all that begin with this one; None where there is none."""
    for last in range(len(text) - 1, -1, -1):
        if (point := ord(text[last]) + 1) <= 0x10FFFF:
            return text[:last] + chr(0xE000 if point == 0xD800 else point)  # UTF-8 has no surrogates
    return None


def _nothing() -> Expr:
    return col("level") == lit(-1)  # where no node is


def _refused(column: Column, value: object) -> ValueError:
    return ValueError(
        f"where[{column.name!r}] has {checks.shown(value)}; give a {column.kind.__name__}, or a list of them"
        + _OTHERS[column.kind]
    )
