"""Nodes, and the hierarchy that the nodes of one document make.

Lesson 01 uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from hierrag_lessons.model.documents import JSON, Document, Span, join_context


@dataclass(frozen=True, slots=True)
class Node:
    """One span at one level of a document's hierarchy.

    Level 0 is the document itself; each level below lies inside the one above, and the highest number marks the
    leaves. ``position`` counts the nodes of one level of one document from 0, in document order.

    A summary or a proposition is a node too, but its text is *derived*: it stands in no span of the document. It names
    the spans that it was made from, its ``sources``, sorted and disjoint; ``start`` and ``end`` are their outer ends.

    ``metadata`` is the node's own. ``fields`` is what an index with declared columns says of a node that it found, with
    what it took from the document; it is empty elsewhere, and no part of what makes two nodes equal.
    """

    node_id: str
    doc_id: str
    level: int
    start: int
    end: int
    text: str
    context: str = ""
    parent_id: str | None = None
    position: int = 0
    metadata: Mapping[str, JSON] = field(default_factory=dict)
    sources: tuple[Span, ...] = ()
    fields: Mapping[str, JSON] = field(default_factory=dict, repr=False, compare=False)

    @property
    def span(self) -> Span:
        """The node's range in its document; of a derived node, from the start of its sources to their end."""
        return Span(self.start, self.end)

    @property
    def derived(self) -> bool:
        """Whether the text was made from the document, and is not a part of it."""
        return bool(self.sources)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The parts of the document that the node stands for: its sources, or else its own span."""
        return self.sources or (self.span,)

    @property
    def embedding_text(self) -> str:
        """What an embedder reads: the context, a line break, the text."""
        return join_context(self.context, self.text)


@dataclass(frozen=True)
class Hierarchy:
    """A document and all its nodes, level by level, each level in document order.

    ``searched`` names the levels that an index embeds and searches where it is not told otherwise; ``None`` stands for
    the leaves. ``units`` names the level whose nodes are scored by all that they lie in, where there is one: an index
    keeps their words as well.
    """

    document: Document
    levels: tuple[tuple[Node, ...], ...]
    searched: frozenset[int] | None = None
    units: int | None = None

    @property
    def root(self) -> Node:
        """The node that is the whole document."""
        return self.levels[0][0]

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The nodes of the lowest level, the smallest spans."""
        return self.levels[-1]

    def __iter__(self) -> Iterator[Node]:
        """All nodes, from the root down, each level in document order."""
        for level in self.levels:
            yield from level

    @cached_property
    def _by_id(self) -> dict[str, Node]:
        return {node.node_id: node for node in self}

    @cached_property
    def _children(self) -> dict[str, list[Node]]:
        children: dict[str, list[Node]] = {}
        for node in self:
            if node.parent_id is not None:
                children.setdefault(node.parent_id, []).append(node)
        return children

    def node(self, node_id: str) -> Node:
        """The node with this id. Raises ``KeyError`` where the hierarchy has none."""
        return self._by_id[node_id]

    def parent(self, node: Node) -> Node | None:
        """The node one level up that ``node`` lies in, ``None`` for the root."""
        return None if node.parent_id is None else self._by_id[node.parent_id]

    def children(self, node: Node) -> list[Node]:
        """The nodes one level down that lie in ``node``, in document order."""
        return list(self._children.get(node.node_id, []))
