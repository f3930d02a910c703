"""What an index takes: counted in its table, level by level.

Lesson 17 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from hierrag_lessons.store.engine import wait
from hierrag_lessons.store.readable import Readable

_TEXTS = frozenset({"text", "search_text", "context"})


@dataclass(frozen=True, slots=True)
class LevelStorage:
    """What the nodes of one level of all documents take, in bytes, before the files are compressed.

    Attributes
    ----------
    level:
        0 is the documents themselves.
    nodes, vectors:
        The number of nodes, and of those that have a vector.
    text_bytes:
        Texts and contexts in UTF-8. A node that can be searched has its context a second time, in front of its text.
    vector_bytes:
        Four bytes for each dimension of each vector.
    other_bytes:
        Everything else: ids, offsets, parents, metadata, sources.
    """

    level: int
    nodes: int
    vectors: int
    text_bytes: int
    vector_bytes: int
    other_bytes: int

    @property
    def total_bytes(self) -> int:
        """Text, vectors and everything else."""
        return self.text_bytes + self.vector_bytes + self.other_bytes


def measure_levels(table: Readable) -> list[LevelStorage]:
    """Count the bytes of each level, the levels in order. Every row is read, but no vector."""
    schema = wait(table.schema())
    columns = {field.name: f"`{field.name}`" for field in schema if field.name != "vector"}  # "end" is a word of SQL
    rows = wait(table.query().select({**columns, "has_vector": "vector IS NOT NULL"}).to_arrow())
    sizes = pa.table(
        {
            "level": rows["level"],
            "vectors": pc.cast(rows["has_vector"], pa.int64()),
            "text": _bytes(rows, (name for name in columns if name in _TEXTS)),
            "other": _bytes(rows, (name for name in columns if name not in _TEXTS)),
        }
    )
    totals = sizes.group_by("level").aggregate([([], "count_all"), *((name, "sum") for name in sizes.column_names[1:])])
    dimension = schema.field("vector").type.list_size
    return [
        LevelStorage(
            row["level"],
            row["count_all"],
            row["vectors_sum"],
            row["text_sum"],
            4 * dimension * row["vectors_sum"],
            row["other_sum"],
        )
        for row in totals.sort_by("level").to_pylist()
    ]


def _bytes(rows: pa.Table, names: Iterable[str]) -> pa.Array:
    """For each row the bytes of its values in these columns; a missing string has none."""
    total = pa.array([0] * len(rows), pa.int64())
    for name in names:
        column = rows[name]
        if pa.types.is_list(column.type):
            column = pc.binary_join(column, "")
        if pa.types.is_string(column.type):
            total = pc.add(total, pc.fill_null(pc.binary_length(column), 0))
        else:
            total = pc.add(total, (column.type.bit_width + 7) // 8)
    return total
