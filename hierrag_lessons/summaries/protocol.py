"""What a summariser is: nodes in, a shorter text and the spans that it cites out.

Lesson 16 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hierrag_lessons import checks
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


def check_children(document: Document, nodes: Sequence[Node], max_tokens: int) -> None:
    """Raise ``ValueError`` where there is nothing to sum up, or no room for it.

    That is for no nodes, a node of another document or with a span outside this one's text, and ``max_tokens`` below 1.
    """
    checks.instance("document", document, Document)
    checks.whole("max_tokens", max_tokens, 1)
    if not checks.each("nodes", nodes, Node):
        raise ValueError("nodes is empty; give at least one node to sum up")
    for node in nodes:
        if node.doc_id != document.doc_id or not 0 <= node.start <= node.end <= len(document.text):
            raise ValueError(
                f"{node.node_id!r} of {node.doc_id!r} is no part of the document {document.doc_id!r}, which has "
                f"{len(document.text)} characters; sum up each document's own nodes"
            )
