"""What every retriever does with its results: nodes become passages, the best ``k`` are kept, none of them twice.

Lesson 03 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hierrag_lessons.model import Hit, Node, Passage, sort_key


def to_passage(node: Node, score: float, hits: Sequence[Hit]) -> Passage:
    """The passage that is a node's span, with the hits that led to it, best first."""
    found = tuple(sorted(hits, key=sort_key))
    return Passage(node.doc_id, node.start, node.end, node.text, node.context, score, found)


def best(passages: Iterable[Passage], k: int) -> list[Passage]:
    """The ``k`` best passages by ``sort_key``, with their hits' fields; of several with one span only the best."""
    distinct: dict[tuple[str, int, int], Passage] = {}
    for passage in sorted(passages, key=sort_key):
        distinct.setdefault((passage.doc_id, passage.start, passage.end), passage)
    return [with_fields(passage) for passage in list(distinct.values())[:k]]


def with_fields(passage: Passage) -> Passage:
    """The passage with what the index says of the best of its hits, where it declares columns."""
    fields = passage.hits[0].node.fields if passage.hits else {}
    return replace(passage, metadata=fields) if fields else passage
