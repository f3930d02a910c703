"""Spans nested in spans: a document, its sections, their chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from hierrag_lessons.spans import JSON, Chunk, Document, Span, join_context


class Chunker(Protocol):
    """Anything that cuts a document, or the part ``within`` of it, into chunks with offsets in the whole document."""

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut the document, or the part ``within`` of it; offsets count from the document's beginning."""
        ...


@dataclass(frozen=True, slots=True)
class Node:
    """One span at one level of a document's hierarchy.

    Level 0 is the document itself; each level below lies inside the one above, and the highest number marks the
    leaves. ``position`` counts the nodes of one level of one document from 0, in document order.

    A summary or a proposition is a node too, but its text is *derived*: it stands in no span of the document. It names
    the spans that it was made from, its ``sources``, sorted and disjoint; ``start`` and ``end`` are their outer ends.
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


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that a search found, with its score (higher is better)."""

    node: Node
    score: float

    @property
    def doc_id(self) -> str:
        """The document that the node belongs to."""
        return self.node.doc_id

    @property
    def start(self) -> int:
        """Where the node starts in its document."""
        return self.node.start

    @property
    def end(self) -> int:
        """Where the node ends in its document."""
        return self.node.end


@dataclass(frozen=True)
class Hierarchy:
    """A document and all its nodes, level by level, each level in document order.

    ``searched`` names the levels that an index embeds and searches where it is not told otherwise; ``None`` stands for
    the leaves.
    """

    document: Document
    levels: tuple[tuple[Node, ...], ...]
    searched: frozenset[int] | None = None

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


def build_hierarchy(document: Document, chunkers: Sequence[Chunker]) -> Hierarchy:
    """Run each chunker inside each node of the level above, and link the results.

    Parameters
    ----------
    document:
        The document; it becomes the only node of level 0.
    chunkers:
        One for each level below, from coarse to fine. ``chunkers[0]`` runs on the whole document, ``chunkers[1]``
        inside each of its chunks, and so on.

    Returns
    -------
    Hierarchy
        ``len(chunkers) + 1`` levels. A blank document has only its root, and empty levels below.

    Raises
    ------
    ValueError
        Where ``chunkers`` is empty, or a chunker returns a chunk outside the span that it was given.
    """
    if not chunkers:
        raise ValueError("chunkers is empty; give one chunker for each level below the document")
    root = Node(f"{document.doc_id}:0:0-{len(document.text)}", document.doc_id, 0, 0, len(document.text), document.text)
    levels: list[tuple[Node, ...]] = [(root,)]
    for level, chunker in enumerate(chunkers, start=1):
        nodes: list[Node] = []
        for parent in levels[-1]:
            for chunk in chunker.chunk(document, within=parent.span):
                if chunk.start < parent.start or chunk.end > parent.end:
                    raise ValueError(
                        f"{type(chunker).__name__} returned {chunk.chunk_id}, outside {parent.start}-{parent.end}; "
                        "a chunker must keep to the span given as `within`"
                    )
                nodes.append(
                    Node(
                        # Overlapping parents can hold equal children, so the parent's position is part of the name.
                        node_id=f"{document.doc_id}:{level}:{parent.position}:{chunk.start}-{chunk.end}",
                        doc_id=document.doc_id,
                        level=level,
                        start=chunk.start,
                        end=chunk.end,
                        text=chunk.text,
                        context=chunk.context,
                        parent_id=parent.node_id,
                        position=len(nodes),
                        metadata=chunk.metadata,
                    )
                )
        levels.append(tuple(nodes))
    return Hierarchy(document, tuple(levels))
