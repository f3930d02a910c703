"""What every summariser asks of the nodes that it is given."""

from __future__ import annotations

from collections.abc import Sequence

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Node


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
