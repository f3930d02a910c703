"""The index: one LanceDB database that holds the nodes of all levels of all documents.

Lesson 02 builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hierrag_lessons import checks
from hierrag_lessons.model import Hierarchy, Hit, Language, Node, Where, both
from hierrag_lessons.model.filters import frozen
from hierrag_lessons.store.columns import Column, Columns, declare, read_columns, written_columns
from hierrag_lessons.store.commits import Commits
from hierrag_lessons.store.filtering import condition, permission
from hierrag_lessons.store.reader import Reader
from hierrag_lessons.store.remembering import Remembers
from hierrag_lessons.store.rows import as_hierarchies, check_embedder, embedding_once, searched_levels, to_rows
from hierrag_lessons.store.schema import Header
from hierrag_lessons.store.search import Mode, plan, ranked
from hierrag_lessons.store.storage import LevelStorage, measure_levels
from hierrag_lessons.store.table import as_folder, delete, fitting_header, make, replace
from hierrag_lessons.store.tree import Tree
from hierrag_lessons.store.units import Units

if TYPE_CHECKING:
    import numpy as np
    from lancedb.expr import Expr

    from hierrag_lessons.model import Embedder


class Index(Reader, Remembers):
    """Nodes of all levels of all documents, searched by vector, by words (BM25) or by both.

    Every read sees the newest commit of every process, and every ``add`` or ``delete`` is one commit: a reader sees all
    of it or nothing. An English index lower-cases and stems words and leaves stop words out; a Chinese one matches
    single characters and pairs of them. Every method raises ``ValueError`` for an argument that it can do nothing with,
    and ``OSError`` with what to do where files cannot be used.
    """

    def __init__(self, path: Path, embedder: Embedder, language: Language, columns: Mapping[str, Column]) -> None:
        self.path, self.embedder = path, embedder
        self.language: Language = language
        self._columns = columns
        self.allowed: Where = frozen(None)  # what a view permits; of a whole index nothing is named
        self._commits = Commits(path, language, columns)
        self._embed_once: Callable[[Sequence[str]], np.ndarray] | None = None  # of a snapshot

    @classmethod
    def create(
        cls, path: str | Path, embedder: Embedder, *, language: Language = "en", columns: Columns | None = None
    ) -> Index:
        """Make an empty index in the folder ``path``, which must be new or empty, else ``FileExistsError`` is raised.

        ``columns`` are fields of the metadata to filter by and to cite, for example ``{"year": int, "page": int}``. A
        node has the value of its own metadata, else its document's, else for a name in ``PLACE_FIELDS`` its place's.
        Those declared ``OfDocument(str)`` and the like are the document's alone; ``permitted`` may name them.
        """
        folder = as_folder(path)
        check_embedder(embedder)
        checks.one_of("language", language, Language)
        declared = declare(columns)
        make(folder, Header.of(embedder, language, written_columns(declared)))
        return cls(folder, embedder, language, declared)

    @classmethod
    def open(cls, path: str | Path, embedder: Embedder) -> Index:
        """Open the index in the folder ``path`` with the embedder that it was made with.

        Raises ``FileNotFoundError`` where there is no such folder, ``ValueError`` where it is not a whole index, or was
        made with another embedder or version of this package.
        """
        folder = as_folder(path)
        check_embedder(embedder)
        header = fitting_header(folder, embedder)
        return cls(folder, embedder, header.language, read_columns(header.columns))

    def snapshot(self) -> Index:
        """The index as it is now, to read one answer from: files that later commits replace go after a minute or more.

        Each text is embedded once.
        """
        view = copy(self)
        view._commits, view._embed_once = self._commits.pinned(), embedding_once(self.embedder)
        return view

    def permitted(self, allowed: Where) -> Index:
        """What a user may read of the index: a view in which every other document is not there.

        >>> import tempfile
        >>> from hierrag_lessons import CharNgramEmbedder, Document, OfDocument, SentenceChunker, build_hierarchy
        >>> texts = [Document("beach", "Dogs run.", metadata={"group": "guests"}), Document("yard", "Dogs bark.")]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index = Index.create(f"{folder}/pets", CharNgramEmbedder(), columns={"group": OfDocument(str)})
        ...     index.add(build_hierarchy(text, [SentenceChunker()]) for text in texts)
        ...     guest = index.permitted({"group": ["guests"]})
        ...     [hit.doc_id for hit in guest.search("dogs bark")], guest.doc_ids()
        (['beach'], ['beach'])

        The view is an index that only reads. What is built on it, a retriever, an agent's tools, a graph of names,
        reads through it, so nothing can leave the permission out. It follows later commits, and a view of a view only
        takes away. ``units`` and ``tree`` are read for each view: keep one for each set of rights.

        What else there is can be felt in four things. By ``text`` and ``hybrid``, BM25 knows how rare a word of a
        permitted text is among all documents. ``version`` counts all commits, ``explain`` shows the plan of the whole
        table, and the time of a search depends on all. Who must not learn even that needs an index of his own.

        ``allowed`` is a filter as in ``search_batch`` that must hold, made from the user's rights, never from the
        question. It is copied. It names ``doc_id`` or columns declared ``OfDocument``: parts of one document can differ
        in others, and what stands around a permitted part would show them. An empty list of values permits nothing.
        Raises ``ValueError`` for anything else.
        """
        kept, view = permission(allowed, self._columns), copy(self)
        view.allowed = frozen(both(self.allowed, kept))
        view._commits = self._commits.narrowed(cast("Expr", condition(kept, None, self._columns)))
        return view

    def add(self, hierarchies: Hierarchy | Iterable[Hierarchy], *, levels: Collection[int] | None = None) -> None:
        """Store documents with all their nodes, in place of those with the same ``doc_id``, in one commit.

        Texts are embedded before anything is written. Give many documents at once: each call brings the table's indexes
        up to date, which takes longer the larger it is. ``levels`` are those to embed and to search, ``None`` for each
        hierarchy's own choice, as a rule its leaves; all others are only looked up.

        Raises ``ValueError`` for a document or a node id that is there twice, a level that a document has not, a
        Chinese document in an English index, impossible sources, metadata that would not come back as it was given or
        is not of the type of its column, a field of documents in the metadata of a node, and an embedder that returns
        anything but one vector of unit length, or of zeros, for each text. Warns with an ``IndexWarning`` where the
        documents were stored, and what tidies the files afterwards failed.
        """
        batch = as_hierarchies(hierarchies)
        searched = {hierarchy.document.doc_id: searched_levels(hierarchy, levels, self.language) for hierarchy in batch}
        if batch:
            rows = to_rows(batch, searched, self.embedder, self.language, self._columns)
            with self._commits.writing() as table:
                replace(table, rows, self.language)

    def delete(self, doc_ids: Collection[str]) -> None:
        """Remove documents, or one, in one commit; ids that are not there are ignored. Warns as ``add`` does."""
        with self._commits.writing() as table:
            delete(table, doc_ids, self.language)

    def neighbours(self, node: Node, before: int, after: int) -> list[Node]:
        """The node with up to ``before`` nodes in front of it and ``after`` behind it: same level, document order."""
        view = self.snapshot()  # two look-ups, which must not see two versions
        return view.nodes([outline.node_id for outline in view.windows([node], before, after)[0]])

    def search(
        self, query: str, k: int = 10, *, mode: Mode = "vector", level: int | None = None, where: Where | None = None
    ) -> list[Hit]:
        """The ``k`` best nodes for one query; see ``search_batch``."""
        checks.text("query", query)
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

        A blank query finds nothing, nor one without a known word (``text``) or with a vector of zeros (``vector``).

        Parameters
        ----------
        queries:
            Plain text; no character has a special meaning. All of them are embedded in one call. By text, a word that
            stands twice counts twice; in a query of more than 1,000 words each counts once.
        k:
            The most hits for each query.
        mode:
            ``vector``: cosine similarity, exact. ``text``: BM25 with the word statistics of all searchable levels.
            ``hybrid``: the sum of the z-scores of both, from the best 100 of each, or the best ``k`` if that is more.
        level:
            One searchable level; ``None`` for all of them.
        where:
            For ``doc_id``, ``level``, ``parent_id``, ``node_id`` or a declared column a value, any of a collection, a
            ``range`` of numbers (half-open), a ``Prefix``, or ``AllOf`` several of these. A list fits where one member
            does, a missing value never. The search keeps to it, so ``k`` are found where there are ``k``.

        Raises ``ValueError`` for ``k`` below 1, an unknown mode, a level that cannot be searched, and another field.
        """
        return self.search_each([(mode, level)], queries, k, where)[0]

    def search_each(
        self, searches: Sequence[tuple[Mode, int | None]], queries: Sequence[str], k: int, where: Where | None = None
    ) -> list[list[list[Hit]]]:
        """``search_batch`` for each of several modes and levels, all run at once, with the queries embedded once."""
        found = ranked(self._table(), self.embed, queries, k, searches, where, self._columns)
        for (_, level), rankings in zip(searches, found, strict=True):
            if not any(rankings):
                self.check_level(level)
        return found

    def explain(
        self, query: str, k: int = 10, *, mode: Mode = "vector", level: int | None = None, where: Where | None = None
    ) -> str:
        """LanceDB's plan for a search, read from the bottom up; two plans for ``hybrid``."""
        return plan(self._table(), self.embed, query, k, (mode, level), where, self._columns)

    def units(self) -> Units:
        """All units in memory, see ``make_units``; they are read at the first call after each commit."""
        return self._commits.current().units

    def tree(self) -> Tree:
        """All nodes in memory, level by level, read as ``units`` are."""
        return self._commits.current().tree

    def storage(self) -> list[LevelStorage]:
        """What each level takes, from coarse to fine; every row is read for it."""
        return measure_levels(self._table())

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """The vectors of queries, one row of unit length for each; a snapshot embeds each text once."""
        return (self._embed_once or embedding_once(self.embedder))(texts)
