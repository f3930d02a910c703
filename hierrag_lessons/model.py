"""The data model: documents, spans, chunks, nodes, hits, passages; and what a chunker, an embedder, a retriever is.

Lesson 01 builds it.

A document is one immutable string. A chunk, a sentence, a section, a retrieved passage and a piece of gold evidence
are all half-open ranges ``[start, end)`` of it, counted in code points (Python string indices) from its beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from hierrag_lessons import checks

if TYPE_CHECKING:
    import numpy as np

JSON = str | int | float | bool | None | list["JSON"] | dict[str, "JSON"]
Kind = Literal["text", "markdown", "dialogue"]
Language = Literal["en", "zh"]


class Span(NamedTuple):
    """A half-open range ``[start, end)`` of code points in a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """One text and what is known about it.

    Raises ``ValueError`` for an empty ``doc_id``, by which chunks, nodes and passages name their document; for a
    ``kind`` or ``language`` that the course does not know; and where a value has another type.
    """

    doc_id: str
    text: str
    kind: Kind = "text"
    language: Language = "en"
    metadata: Mapping[str, JSON] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checks.text("doc_id", self.doc_id)
        checks.text("text", self.text)
        checks.one_of("kind", self.kind, Kind)
        checks.one_of("language", self.language, Language)
        checks.instance("metadata", self.metadata, Mapping)
        if not self.doc_id:
            raise ValueError("doc_id is empty; give every document a name of its own, for example 'report-2024'")

    @property
    def span(self) -> Span:
        """The span of the whole text."""
        return Span(0, len(self.text))


@dataclass(frozen=True, slots=True)
class Chunk:
    """One span of a document together with its text.

    ``text`` is always ``document.text[start:end]``. ``context`` (a heading path, the speakers) is embedded in front of
    the text but is never part of it, so the offsets stay true.
    """

    doc_id: str
    start: int
    end: int
    text: str
    context: str = ""
    metadata: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def span(self) -> Span:
        """The chunk's range in its document."""
        return Span(self.start, self.end)

    @property
    def chunk_id(self) -> str:
        """``doc_id:start-end``, the same in every run and on every machine."""
        return f"{self.doc_id}:{self.start}-{self.end}"

    @property
    def embedding_text(self) -> str:
        """What an embedder reads: the context, a line break, the text; only the text where there is no context."""
        return join_context(self.context, self.text)


def join_context(context: str, text: str) -> str:
    """Return ``context``, a line break and ``text``, or only ``text`` where the context is empty."""
    return f"{context}\n{text}" if context else text


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


@dataclass(frozen=True, slots=True)
class Passage:
    """What a retriever returns: a span of a document, its score, and the hits that led to it."""

    doc_id: str
    start: int
    end: int
    text: str
    context: str = ""
    score: float = 0.0
    hits: tuple[Hit, ...] = ()

    @property
    def span(self) -> Span:
        """The passage's range in its document."""
        return Span(self.start, self.end)


def sort_key(item: Passage | Hit) -> tuple[float, str, int, int]:
    """The order of every result list: best score first, then ``doc_id``, ``start``, ``end``, so ties are settled."""
    return (-item.score, item.doc_id, item.start, item.end)


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


class Chunker(Protocol):
    """Anything that cuts a document, or the part ``within`` of it, into chunks with offsets in the whole document."""

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut the document, or the part ``within`` of it; offsets count from the document's beginning."""
        ...


class Embedder(Protocol):
    """Anything that turns texts into vectors of unit length, so that a dot product is the cosine similarity."""

    @property
    def name(self) -> str:
        """The name that is written into an index; two embedders with one name must give the same vectors."""
        ...

    @property
    def dim(self) -> int:
        """Length of each vector."""
        ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts.

        Returns
        -------
        np.ndarray
            float32, shape ``(len(texts), dim)``; ``(0, dim)`` for no texts. Each row has length 1, except where the
            embedder finds nothing at all in a text: that row is zero, and so is its similarity to everything.
        """
        ...


class Retriever(Protocol):
    """Anything that finds passages: at most ``k``, sorted by ``sort_key``, no span of a document twice."""

    def retrieve(self, query: str, k: int = 5) -> list[Passage]:
        """The passages for one query."""

    def retrieve_batch(self, queries: Sequence[str], k: int = 5) -> list[list[Passage]]:
        """The passages for each query, the same as for each alone."""
