"""What may be read of an index's table: every row, or those of the documents that a permission names.

Lesson 25 uses it.
"""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from lancedb.expr import Expr
from lancedb.query import AsyncQuery, AsyncTakeQuery
from lancedb.table import AsyncTable

from hierrag_lessons.store.engine import wait


@dataclass(frozen=True)
class Readable:
    """The table as its readers have it. None of them has the table itself, so none can leave the permission out."""

    _table: AsyncTable
    _inside: Expr | None = None

    def narrowed(self, inside: Expr) -> Readable:
        """The rows of these that are ``inside`` as well."""
        return Readable(self._table, inside if self._inside is None else self._inside & inside)

    def query(self) -> AsyncQuery:
        """A query of the rows. LanceDB joins further filters by "and", so they can only take away."""
        query = self._table.query()
        return query if self._inside is None else query.where(self._inside)

    def take_row_ids(self, row_ids: list[int]) -> AsyncTakeQuery:
        """The rows with these numbers, which only a query of the rows tells."""
        return self._table.take_row_ids(row_ids)

    def count_rows(self, where: Expr | str | None = None) -> int:
        """The number of rows, or of those inside a filter."""
        query = self.query().select(["level"])
        return len(wait((query if where is None else query.where(where)).to_arrow()))

    def schema(self) -> Coroutine[Any, Any, pa.Schema]:
        """The columns of the table."""
        return self._table.schema()
