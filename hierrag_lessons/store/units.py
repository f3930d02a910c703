"""The units of an index in memory: their words, what each of them lies in, and their vectors if they are few.

Lesson 20 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.expr import Expr, col, lit
from scipy.sparse import csr_array

from hierrag_lessons.model import Language, Node, Where
from hierrag_lessons.store.columns import Column, read_fields
from hierrag_lessons.store.engine import wait
from hierrag_lessons.store.filtering import condition, matching
from hierrag_lessons.store.lookup import read_rows
from hierrag_lessons.store.readable import Readable
from hierrag_lessons.store.remembering import Remembers
from hierrag_lessons.store.schema import NODE_COLUMNS, to_node, unescape
from hierrag_lessons.store.search import nearest

MOST_IN_MEMORY = 100_000
"""With more units than these, their vectors stay in LanceDB."""

_UNITS = "terms IS NOT NULL"
_ROW = "_rowid"


@dataclass(frozen=True, eq=False)
class Units(Remembers):
    """All units of an index as one commit left them, sorted by document and place.

    Attributes
    ----------
    rows:
        Their rows of the table, without vectors and terms.
    vectors:
        One row of unit length for each, float32; of zeros where a unit has no vector. ``None`` where there are too many
        units for it: ask ``vectors_at``.
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
    vectors: np.ndarray | None
    counts: csr_array
    columns: Mapping[str, int]
    above: tuple[np.ndarray, ...]
    documents: np.ndarray
    sizes: np.ndarray
    follows: np.ndarray
    language: Language
    declared: Mapping[str, Column]
    table: Readable
    row_ids: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def inside(self, where: Where | None) -> np.ndarray | None:
        """Which units a filter lets through, one truth value each, as LanceDB finds; ``None`` for no filter.

        Raises ``ValueError`` for an unknown field, and for a value of another type.
        """
        if where is None:
            return None
        return self._named([row["node_id"] for row in read_rows(self.table, self._where(where), ["node_id"])])

    def nearest(self, vector: np.ndarray, k: int, where: Where | None) -> np.ndarray:
        """The places of the ``k`` units with the highest cosine inside a filter, as LanceDB finds them."""
        levels = matching("level", self.rows["level"].unique().to_pylist())
        inside = self._where(where)
        found = nearest(self.table, vector, k, levels if inside is None else levels & inside)
        return np.flatnonzero(self._named(found))

    def vectors_at(self, places: np.ndarray | slice) -> np.ndarray:
        """The vectors of the units at these places, ``slice(None)`` for all, from memory or from LanceDB."""
        if self.vectors is not None:
            found: np.ndarray = self.vectors[places]
            return found
        ids = self.row_ids[places]
        rows = wait(self.table.take_row_ids(ids.tolist()).select(["vector"]).with_row_id().to_arrow())
        got = rows[_ROW].to_numpy()
        order = np.argsort(got)
        ordered: np.ndarray = _vectors(rows["vector"])[order[np.searchsorted(got[order], ids)]]
        return ordered

    def vector_blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All vectors, some thousands at a time, each block with the places of its units."""
        order = np.argsort(self.row_ids)
        blocks = wait(self.table.query().where(_UNITS).select(["vector"]).with_row_id().to_batches())
        while (block := wait(anext(blocks, None))) is not None:
            rows = pa.Table.from_batches([block])
            yield order[np.searchsorted(self.row_ids[order], rows[_ROW].to_numpy())], _vectors(rows["vector"])

    def _where(self, where: Where | None) -> Expr | None:
        return condition(where, None, self.declared)

    def _named(self, node_ids: Sequence[str]) -> np.ndarray:
        """Which units have one of these ids, as the table has them."""
        fits: np.ndarray = pc.is_in(self.rows["node_id"], pa.array(node_ids, pa.string())).to_numpy()
        return fits

    def nodes(self, places: Sequence[int]) -> list[Node]:
        """The units at these places."""
        rows = self.rows.take(pa.array(places, pa.int64())).to_pylist()
        return [to_node(row, read_fields(self.declared, row)) for row in rows]


def read_units(table: Readable, language: Language, declared: Mapping[str, Column]) -> Units:
    """All units of a table, with their vectors unless there are too many."""
    few = table.count_rows(_UNITS) <= MOST_IN_MEMORY
    columns = [*NODE_COLUMNS, "terms", *declared, *(["vector"] if few else [])]
    rows = wait(table.query().where(_UNITS).select(columns).with_row_id().to_arrow())
    order = pc.sort_indices(rows, [("doc_id", "ascending"), ("position", "ascending")])
    rows = rows.take(order).combine_chunks()
    counts, known = _counts(rows["terms"])
    documents, starts, ends = _numbered(rows["doc_id"]), rows["start"].to_numpy(), rows["end"].to_numpy()
    follows = np.zeros(len(rows), bool)
    follows[1:] = (documents[1:] == documents[:-1]) & (starts[1:] == ends[:-1])
    return Units(
        rows.select([*NODE_COLUMNS, *declared]),
        _vectors(rows["vector"]) if few else None,
        counts,
        known,
        _above(table, rows["parent_id"]),
        documents,
        ends - starts,
        follows,
        language,
        declared,
        table,
        rows[_ROW].to_numpy(),
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


def _above(table: Readable, parent_ids: pa.ChunkedArray) -> tuple[np.ndarray, ...]:
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
