"""What is looked up in an index, and not searched: documents, their nodes, and what stands above, below and beside.

Lesson 02 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Node, Span, Where
from hierrag_lessons.store import lookup
from hierrag_lessons.store.columns import Column, Columns
from hierrag_lessons.store.commits import Commits
from hierrag_lessons.store.filtering import condition
from hierrag_lessons.store.lookup import Family, Outline
from hierrag_lessons.store.readable import Readable


class Reader:
    """The look-ups of an :class:`Index`."""

    _commits: Commits
    _columns: Mapping[str, Column]

    @property
    def version(self) -> int:
        """The number of the commit that is read; every ``add`` and ``delete`` raises it."""
        return self._commits.current().version

    @property
    def columns(self) -> Columns:
        """The declared columns with their types."""
        return {name: column.declared for name, column in self._columns.items()}

    def doc_ids(self, where: Where | None = None) -> list[str]:
        """The ids of all documents, or of those with a node inside a filter, sorted."""
        return lookup.find_doc_ids(self._table(), where, self._columns)

    def count(self, level: int | None = None) -> int:
        """The number of nodes, of one level or of all."""
        return lookup.count(self._table(), level)

    @property
    def levels(self) -> list[int]:
        """The levels that can be searched, from coarse to fine."""
        return list(self._commits.current().levels)

    @property
    def depth(self) -> int:
        """The highest level number of any document; 0 for an empty index."""
        return lookup.find_depth(self._table())

    def check_level(self, level: int | None) -> None:
        """Raise ``ValueError`` where a level cannot be searched; ``None``, and any level of an empty index, can."""
        checks.whole("level", level, none="all searchable levels")
        levels = [] if level is None else self.levels
        if levels and level not in levels:
            raise ValueError(f"level {level} is not searchable; this index has {', '.join(map(str, levels))}")

    def check_where(self, where: Where | None) -> None:
        """Raise ``ValueError`` for an unknown field in a filter, and for a value of another type."""
        condition(where, None, self._columns)

    def document(self, doc_id: str) -> Document:
        """The document as it was added, with its metadata. Raises ``KeyError`` where the index has none."""
        return lookup.find_document(self._table(), doc_id)

    def text(self, doc_id: str) -> str:
        """The whole text of a document. Raises ``KeyError`` where the index has none."""
        return self.document(doc_id).text

    def slices(self, spans: Sequence[tuple[str, Span]]) -> list[str]:
        """The texts of spans of documents, each named by its ``doc_id``, in one query.

        Raises ``KeyError`` where the index has no such document, ``ValueError`` for a span outside its text.
        """
        return lookup.find_slices(self._table(), spans)

    def nodes(self, node_ids: Sequence[str]) -> list[Node]:
        """The nodes with these ids, in the order asked. Raises ``KeyError`` naming one that is missing."""
        return lookup.find_nodes(self._table(), node_ids, self._columns)

    def parents(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes one level up, each once, in the order in which ``nodes`` first names them; a root has none."""
        return [family.parent for family in self.families(nodes)]

    def families(self, nodes: Sequence[Node]) -> list[Family]:
        """``parents``, each with the number of all its children, for retrievers that ask which share was found."""
        return lookup.find_families(self._table(), nodes)

    def children(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes one level down: those of the first node in document order, then those of the next."""
        return lookup.find_children(self._table(), nodes)

    def lineages(self, nodes: Sequence[Node], top: int) -> dict[str, list[Family]]:
        """For each node, by its id, the families that it stands in, from its parent's up; one look-up for each level.

        A line ends with the first node on level ``top``, or above it where a hierarchy has none there.
        """
        return lookup.find_lineages(self._table(), nodes, top)

    def descendants(self, nodes: Sequence[Node], bottom: int | None = None) -> dict[str, list[Node]]:
        """For each node, by its id, all below it down to level ``bottom``, ``None`` for the leaves; a look-up a level.

        They are in document order, each in front of its own children.
        """
        return lookup.find_descendants(self._table(), nodes, bottom)

    def windows(self, nodes: Sequence[Node], before: int, after: int) -> list[list[Outline]]:
        """``neighbours`` of each node, without texts, in one query."""
        return lookup.find_windows(self._table(), nodes, before, after)

    def _table(self) -> Readable:
        return self._commits.current().table
