"""The units of an index in memory: their vectors, their words, and what each of them lies in.

Lesson 20 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.expr import col, lit
from lancedb.table import AsyncTable
from scipy.sparse import csr_array

from hierrag_lessons.model import Language, Node, Where
from hierrag_lessons.store.columns import Column, read_fields
from hierrag_lessons.store.engine import wait
from hierrag_lessons.store.filtering import condition
from hierrag_lessons.store.lookup import read_rows
from hierrag_lessons.store.schema import NODE_COLUMNS, to_node, unescape


@dataclass(frozen=True, eq=False)
class Units:
    """All units of an index as one commit left them, sorted by document and place.

    Attributes
    ----------
    rows:
        Their rows of the table, without vectors and terms.
    vectors:
        One row of unit length for each, float32; of zeros where a unit has no vector.
    counts:
        How often each term comes in each: units by terms.
    columns:
        The column of ``counts`` that a term has.
    above:
        What each unit lies in, from its parent up to the level below the document: numbers of nodes, from 0.
    documents:
        The number of each unit's document, from 0.
    sizes:
        The characters of each.
    follows:
        Whether each begins where the one before it ends.
    language:
        Of the index.
    """

    rows: pa.Table
    vectors: np.ndarray
    counts: csr_array
    columns: Mapping[str, int]
    above: tuple[np.ndarray, ...]
    documents: np.ndarray
    sizes: np.ndarray
    follows: np.ndarray
    language: Language
    declared: Mapping[str, Column]
    table: AsyncTable

    def __len__(self) -> int:
        return len(self.rows)

    def inside(self, where: Where | None) -> np.ndarray | None:
        """Which units a filter lets through, one truth value each, as LanceDB finds; ``None`` for no filter.

        Raises ``ValueError`` for an unknown field, and for a value of another type.
        """
        if where is None:
            return None
        found = read_rows(self.table, condition(where, None, self.declared), ["node_id"])
        ids = pa.array([row["node_id"] for row in found], pa.string())
        fits: np.ndarray = pc.is_in(self.rows["node_id"], ids).to_numpy()
        return fits

    def nodes(self, places: Sequence[int]) -> list[Node]:
        """The units at these places."""
        rows = self.rows.take(pa.array(places, pa.int64())).to_pylist()
        return [to_node(row, read_fields(self.declared, row)) for row in rows]


def read_units(table: AsyncTable, language: Language, declared: Mapping[str, Column]) -> Units:
    """All units of a table, whose vectors are read with them."""
    columns = [*NODE_COLUMNS, "terms", *declared, "vector"]
    rows = wait(table.query().where("terms IS NOT NULL").select(columns).to_arrow())
    order = pc.sort_indices(rows, [("doc_id", "ascending"), ("position", "ascending")])
    rows = rows.take(order).combine_chunks()
    counts, known = _counts(rows["terms"])
    documents, starts, ends = _numbered(rows["doc_id"]), rows["start"].to_numpy(), rows["end"].to_numpy()
    follows = np.zeros(len(rows), bool)
    follows[1:] = (documents[1:] == documents[:-1]) & (starts[1:] == ends[:-1])
    return Units(
        rows.drop_columns(["terms", "vector"]),
        _vectors(rows["vector"]),
        counts,
        known,
        _above(table, rows["parent_id"]),
        documents,
        ends - starts,
        follows,
        language,
        declared,
        table,
    )


def _vectors(column: pa.ChunkedArray) -> np.ndarray:
    dim = column.type.list_size
    filled = [pc.fill_null(chunk.values.slice(chunk.offset * dim, len(chunk) * dim), 0) for chunk in column.chunks]
    flat = np.concatenate([values.to_numpy(zero_copy_only=False) for values in filled] or [np.zeros(0, np.float32)])
    vectors = flat.reshape(-1, dim)
    vectors[column.is_null().to_numpy(zero_copy_only=False)] = 0
    return vectors


def _counts(column: pa.ChunkedArray) -> tuple[csr_array, dict[str, int]]:
    lists = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    encoded = lists.flatten().dictionary_encode()
    ends = np.concatenate([[0], np.cumsum(pc.list_value_length(lists).to_numpy(zero_copy_only=False))])
    found = encoded.indices.to_numpy(zero_copy_only=False)
    shape = (len(lists), len(encoded.dictionary))
    counts = csr_array((np.ones(len(found), np.float32), found, ends.astype(np.int64)), shape=shape)
    counts.sum_duplicates()
    return counts, {unescape(term): place for place, term in enumerate(encoded.dictionary.to_pylist())}


def _above(table: AsyncTable, parent_ids: pa.ChunkedArray) -> tuple[np.ndarray, ...]:
    """The ancestors of the units, step by step; one that has reached the level below its document stays there."""
    coarser = read_rows(table, (col("level") > lit(0)), ["node_id", "parent_id", "level"])
    parent_of = {row["node_id"]: row["parent_id"] for row in coarser if row["level"] > 1}
    found, ids = [], parent_ids
    while len(ids):
        found.append(_numbered(ids))
        names = ids.unique().to_pylist()
        higher = {name: parent_of.get(name, name) for name in names}
        if all(name == other for name, other in higher.items()):
            break
        ids = pa.chunked_array([pa.array([higher[name] for name in ids.to_pylist()], pa.string())])
    return tuple(found)


def _numbered(ids: pa.ChunkedArray) -> np.ndarray:
    """Equal ids as equal numbers, from 0 in the order in which they first come."""
    whole = pa.concat_arrays(ids.chunks) if ids.num_chunks else pa.array([], ids.type)
    numbers: np.ndarray = whole.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    return numbers
