"""What a search finds and what a retriever returns.

Lesson 01 uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hierrag_lessons.model.documents import JSON, Span
from hierrag_lessons.model.hierarchy import Node


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
    """What a retriever returns: a span of a document, its score, and the hits that led to it.

    ``metadata`` is what the index says of the best of these hits in the columns that it declares, so that an answer
    can cite the year, the edition or the page. Columns without a value are left out.
    """

    doc_id: str
    start: int
    end: int
    text: str
    context: str = ""
    score: float = 0.0
    hits: tuple[Hit, ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict, hash=False)

    @property
    def span(self) -> Span:
        """The passage's range in its document."""
        return Span(self.start, self.end)


def sort_key(item: Passage | Hit) -> tuple[float, str, int, int]:
    """The order of every result list: best score first, then ``doc_id``, ``start``, ``end``, so ties are settled."""
    return (-item.score, item.doc_id, item.start, item.end)
