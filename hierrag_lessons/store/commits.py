"""The commits of an index's table: the newest one, or one that stays, to read from, and the only writer.

Lesson 02 uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path

import lancedb
from lancedb.expr import Expr, col, lit
from lancedb.table import AsyncTable

from hierrag_lessons.model import Language
from hierrag_lessons.store.columns import Column
from hierrag_lessons.store.engine import wait
from hierrag_lessons.store.lookup import read_rows
from hierrag_lessons.store.readable import Readable
from hierrag_lessons.store.table import TABLE, sole_writer
from hierrag_lessons.store.tree import Tree, read_tree
from hierrag_lessons.store.units import Units, read_units


@dataclass(frozen=True)
class Commit:
    """The table as one commit left it, or what a permission shows of it; what is read from it does not change."""

    version: int
    table: Readable
    language: Language
    declared: Mapping[str, Column]

    @cached_property
    def levels(self) -> list[int]:
        """The levels that can be searched, from coarse to fine; read once."""
        return sorted({int(row["level"]) for row in read_rows(self.table, col("searchable") == lit(True), ["level"])})

    @cached_property
    def units(self) -> Units:
        """The units; read once."""
        return read_units(self.table, self.language, self.declared)

    @cached_property
    def tree(self) -> Tree:
        """The nodes of all levels; read once."""
        return read_tree(self.table, self.language, self.declared)


class Commits:
    """The commits of the table in one folder, written by any process: always the newest one, or the one pinned."""

    def __init__(self, folder: Path, language: Language, declared: Mapping[str, Column]) -> None:
        self._folder, self._language, self._declared = folder, language, declared
        self._database = wait(lancedb.connect_async(folder))
        # One handle that follows every commit tells the version; what is read is a handle that stays at its version.
        following = wait(lancedb.connect_async(folder, read_consistency_interval=timedelta(0)))
        self._newest = wait(following.open_table(TABLE))
        self._opened: Commit | None = None
        self._pinned = False
        self._inside: Expr | None = None  # what a permission shows

    def pinned(self) -> Commits:
        """The same commits, of which only the one that is the newest now can be read, and which cannot be added to."""
        self.current()
        fixed = copy(self)
        fixed._pinned = True
        return fixed

    def narrowed(self, inside: Expr) -> Commits:
        """The same commits, of which only the rows ``inside`` can be read, and which cannot be added to."""
        commit, fewer = self.current(), copy(self)
        fewer._inside = inside if self._inside is None else self._inside & inside
        fewer._opened = replace(commit, table=commit.table.narrowed(inside))
        return fewer

    def current(self) -> Commit:
        """The commit to read; its handle is kept until there is another one, for a new handle is slow at first."""
        if self._pinned and self._opened:
            return self._opened
        version, opened = wait(self._newest.version()), self._opened
        if opened is None or opened.version != version:
            table = wait(self._database.open_table(TABLE))
            readable = Readable(table, self._inside)
            opened = self._opened = Commit(wait(table.version()), readable, self._language, self._declared)
        return opened

    @contextmanager
    def writing(self) -> Iterator[AsyncTable]:
        """The table at its newest commit, to write to, while no one else does."""
        if self._pinned:
            raise ValueError("a snapshot only reads; add to or delete from the index that it was taken of")
        if self._inside is not None:
            raise ValueError("a permitted view only reads; add to or delete from the index that it was taken of")
        with sole_writer(self._folder):
            yield wait(self._database.open_table(TABLE))
