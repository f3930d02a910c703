"""What a summariser is: nodes in, a shorter text and the spans that it cites out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hierrag_lessons.model import Document, Node, Span


@dataclass(frozen=True, slots=True)
class Summary:
    """A shorter text, and the spans of the document that it was taken or written from, sorted and disjoint."""

    text: str
    cites: tuple[Span, ...]


class Summariser(Protocol):
    """Anything that makes one text of the texts of several nodes."""

    @property
    def name(self) -> str:
        """Written into the metadata of the nodes that it makes."""
        ...

    def summarise(self, document: Document, nodes: Sequence[Node], max_tokens: int) -> Summary:
        """Sum up nodes of one document, which may be derived themselves, in at most ``max_tokens`` tokens.

        Raises ``ValueError`` where there are no nodes, or ``max_tokens`` is below 1.
        """
        ...
