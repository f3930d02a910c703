"""The index: one LanceDB database that holds the nodes of all levels of all documents.

Lesson 02 builds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import lancedb
from lancedb.expr import col, lit
from lancedb.table import AsyncTable

from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import Document, Hierarchy, Hit, Language, Node, Span
from hierrag_lessons.store import lookup
from hierrag_lessons.store.lookup import Family, Outline
from hierrag_lessons.store.rows import searched_levels, to_rows
from hierrag_lessons.store.schema import Header, Where, matching, unescape, wait
from hierrag_lessons.store.search import Mode, plan, ranked
from hierrag_lessons.store.storage import LevelStorage, measure_levels
from hierrag_lessons.store.table import TABLE, TEXT_INDEX, delete, make, read_header, replace, sole_writer

if TYPE_CHECKING:
    from hierrag_lessons.model import Embedder


class Index:
    """Nodes of all levels of all documents, searched by vector, by words (BM25) or by both.

    ``Index.create`` makes a folder, ``Index.open`` opens one. Every read sees the newest commit of every process, and
    every ``add`` or ``delete`` is one commit: a reader sees all of it or nothing.

    An English index lower-cases and stems words and leaves stop words out; a Chinese one matches single characters and
    pairs of them, in Latin words as well.
    """

    def __init__(self, path: Path, embedder: Embedder, language: Language) -> None:
        self.path = path
        self.embedder = embedder
        self.language: Language = language
        self._database = wait(lancedb.connect_async(path))
        # One handle that follows every commit tells the version; what is read is a handle that stays at its version.
        self._newest = wait(wait(lancedb.connect_async(path, read_consistency_interval=timedelta(0))).open_table(TABLE))
        self._opened: tuple[int, AsyncTable] | None = None
        self._pinned = False

    @classmethod
    def create(cls, path: str | Path, embedder: Embedder, *, language: Language = "en") -> Index:
        """Make an empty index in the folder ``path``, which must be new or empty.

        Raises ``FileExistsError`` where something is there already, ``ValueError`` for an unknown language.
        """
        if language not in TEXT_INDEX:
            raise ValueError(f"language is {language!r}; it can be one of {', '.join(TEXT_INDEX)}")
        folder = Path(path).expanduser()
        make(folder, Header.of(embedder, language))
        return cls(folder, embedder, language)

    @classmethod
    def open(cls, path: str | Path, embedder: Embedder) -> Index:
        """Open the index in the folder ``path`` with the embedder that it was made with.

        Raises ``FileNotFoundError`` where there is no such folder, and ``ValueError`` where it is not a whole index, or
        was made with another embedder or an incompatible version of this package.
        """
        folder = Path(path).expanduser()
        header = read_header(folder)
        try:
            header.check(embedder)
        except ValueError as error:
            raise ValueError(f"{folder} cannot be used: {error}") from None
        return cls(folder, embedder, header.language)

    def snapshot(self) -> Index:
        """The index as it is now, to read from: later commits do not change what it shows.

        It is for the queries of one answer: files that later commits replace are removed after a minute or more.
        """
        self._table()
        view = copy(self)
        view._pinned = True
        return view

    def add(self, hierarchies: Hierarchy | Iterable[Hierarchy], *, levels: Collection[int] | None = None) -> None:
        """Store documents with all their nodes, in place of those with the same ``doc_id``, in one commit.

        Texts are embedded before anything is written. Give many documents at once: each call brings the indexes of the
        table up to date, which takes longer the larger it is.

        Parameters
        ----------
        hierarchies:
            One document's hierarchy, or many.
        levels:
            The levels to embed and to search; ``None`` for each hierarchy's own choice, as a rule its leaves. All
            other levels are only looked up.

        Raises
        ------
        ValueError
            For a document or a node id that is there twice, a level that a document has not, a Chinese document in an
            English index, impossible sources, metadata that JSON cannot hold, and an embedder that returns the wrong
            shape.
        """
        batch = [hierarchies] if isinstance(hierarchies, Hierarchy) else list(with_progress(hierarchies, "documents"))
        searched = {hierarchy.document.doc_id: searched_levels(hierarchy, levels, self.language) for hierarchy in batch}
        if batch:
            rows = to_rows(batch, searched, self.embedder)
            with self._writing() as table:
                replace(table, rows, self.language)

    def delete(self, doc_ids: Collection[str]) -> None:
        """Remove documents with all their nodes in one commit. Ids that are not there are ignored."""
        with self._writing() as table:
            delete(table, [doc_ids] if isinstance(doc_ids, str) else doc_ids, self.language)

    @property
    def version(self) -> int:
        """The number of the commit that is read; every ``add`` and ``delete`` raises it."""
        return self._open()[0]

    def doc_ids(self) -> list[str]:
        """The ids of all documents, sorted."""
        rows = lookup.read_rows(self._table(), matching("level", [0]), ["doc_id"])
        return sorted(unescape(row["doc_id"]) for row in rows)

    def count(self, level: int | None = None) -> int:
        """The number of nodes, of one level or of all."""
        return wait(self._table().count_rows(None if level is None else matching("level", [level]).to_sql()))

    @property
    def levels(self) -> list[int]:
        """The levels that can be searched, from coarse to fine."""
        rows = lookup.read_rows(self._table(), col("searchable") == lit(True), ["level"])
        return sorted({int(row["level"]) for row in rows})

    @property
    def depth(self) -> int:
        """The highest level number of any document; 0 for an empty index."""
        return max((int(row["level"]) for row in lookup.read_rows(self._table(), None, ["level"])), default=0)

    def check_level(self, level: int | None) -> None:
        """Raise ``ValueError`` where a level cannot be searched; ``None``, and any level of an empty index, can."""
        levels = [] if level is None else self.levels
        if levels and level not in levels:
            raise ValueError(f"level {level} is not searchable; this index has {', '.join(map(str, levels))}")

    def document(self, doc_id: str) -> Document:
        """The document as it was added, with its metadata. Raises ``KeyError`` where the index has none."""
        return lookup.find_document(self._table(), doc_id)

    def text(self, doc_id: str) -> str:
        """The whole text of a document. Raises ``KeyError`` where the index has none."""
        return self.document(doc_id).text

    def slices(self, places: Sequence[tuple[str, Span]]) -> list[str]:
        """The texts of spans of documents, each named by its ``doc_id``, in one query.

        Raises ``KeyError`` where the index has no such document, ``ValueError`` for a span outside its text.
        """
        texts = lookup.find_texts(self._table(), [doc_id for doc_id, _ in places])
        for doc_id, (start, end) in places:
            if not 0 <= start <= end <= len(texts[doc_id]):
                raise ValueError(f"{start}-{end} is no span of {doc_id!r}, which has {len(texts[doc_id])} characters")
        return [texts[doc_id][start:end] for doc_id, (start, end) in places]

    def nodes(self, node_ids: Sequence[str]) -> list[Node]:
        """The nodes with these ids, in the order asked. Raises ``KeyError`` naming one that is missing."""
        return lookup.find_nodes(self._table(), node_ids)

    def parents(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes one level up, each once, in the order in which ``nodes`` first names them; a root has none."""
        return [family.parent for family in self.families(nodes)]

    def families(self, nodes: Sequence[Node]) -> list[Family]:
        """``parents``, each with the number of all its children, for retrievers that ask which share was found."""
        return lookup.find_families(self._table(), nodes)

    def children(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes one level down: those of the first node in document order, then those of the next."""
        return lookup.find_children(self._table(), nodes)

    def neighbours(self, node: Node, before: int, after: int) -> list[Node]:
        """The node with up to ``before`` nodes in front of it and ``after`` behind it: same level, document order."""
        view = self.snapshot()  # two look-ups, which must not see two versions
        return view.nodes([outline.node_id for outline in view.windows([node], before, after)[0]])

    def windows(self, nodes: Sequence[Node], before: int, after: int) -> list[list[Outline]]:
        """``neighbours`` of each node, without texts, in one query. Raises ``ValueError`` for a negative number."""
        return lookup.find_windows(self._table(), nodes, before, after)

    def search(
        self, query: str, k: int = 10, *, mode: Mode = "vector", level: int | None = None, where: Where | None = None
    ) -> list[Hit]:
        """The ``k`` best nodes for one query; see ``search_batch``."""
        return self.search_batch([query], k, mode=mode, level=level, where=where)[0]

    def search_batch(
        self,
        queries: Sequence[str],
        k: int = 10,
        *,
        mode: Mode = "vector",
        level: int | None = None,
        where: Where | None = None,
    ) -> list[list[Hit]]:
        """The ``k`` best nodes for each query, sorted by ``sort_key``, which also settles ties at the last place.

        A blank query finds nothing. Neither does one without a known word in mode ``text``, or with a vector of zeros
        in mode ``vector``.

        Parameters
        ----------
        queries:
            Plain text; no character has a special meaning. All of them are embedded in one call.
        k:
            The most hits for each query.
        mode:
            ``vector``: cosine similarity, exact. ``text``: BM25, whose word statistics are those of all searchable
            levels, whatever ``level`` is. ``hybrid``: reciprocal rank fusion of the best 100
            of both, or the best ``k`` if that is more.
        level:
            One searchable level; ``None`` for all of them.
        where:
            A value, or a collection of values, for ``doc_id``, ``level``, ``parent_id`` or ``node_id``.

        Raises
        ------
        ValueError
            For ``k`` below 1, an unknown mode, a level that is not searchable, and a filter on another field.
        """
        return self.search_each([(mode, level)], queries, k, where)[0]

    def search_each(
        self, searches: Sequence[tuple[Mode, int | None]], queries: Sequence[str], k: int, where: Where | None = None
    ) -> list[list[list[Hit]]]:
        """``search_batch`` for each of several modes and levels, all run at once, with the queries embedded once."""
        found = ranked(self._table(), self.embedder, queries, k, searches, where)
        for (_, level), rankings in zip(searches, found, strict=True):
            if not any(rankings):
                self.check_level(level)
        return found

    def explain(
        self, query: str, k: int = 10, *, mode: Mode = "vector", level: int | None = None, where: Where | None = None
    ) -> str:
        """LanceDB's plan for a search, read from the bottom up; two plans for ``hybrid``."""
        return plan(self._table(), self.embedder, query, k, mode, level, where)

    def storage(self) -> list[LevelStorage]:
        """What each level takes, counted in the table, the levels from coarse to fine; every row is read for it."""
        return measure_levels(self._table())

    def _table(self) -> AsyncTable:
        """The table at its newest commit, to read from."""
        return self._open()[1]

    def _open(self) -> tuple[int, AsyncTable]:
        """The newest commit and the table at it; the handle is kept, for a new one is slow at first."""
        if self._pinned and self._opened:
            return self._opened
        version, opened = wait(self._newest.version()), self._opened
        if opened is None or opened[0] != version:
            table = wait(self._database.open_table(TABLE))
            opened = self._opened = (wait(table.version()), table)
        return opened

    @contextmanager
    def _writing(self) -> Iterator[AsyncTable]:
        """The table at its newest commit, to write to, while no one else does."""
        if self._pinned:
            raise ValueError("a snapshot only reads; add to or delete from the index that it was taken of")
        with sole_writer(self.path):
            yield wait(self._database.open_table(TABLE))
