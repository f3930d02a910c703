"""Passages to judge: what several searches find for a question, so that the gold favours none of them.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from hierrag_lessons import checks
from hierrag_lessons.model import Passage
from hierrag_lessons.retrievers import FlatRetriever, MultiLevelRetriever
from hierrag_lessons.spans import overlap
from hierrag_lessons.store import Index

_EACH = 5  # passages of each search


def candidates(index: Index, question: str) -> list[Passage]:
    """Passages that may answer a question: the best of every level, of words alone and of vectors alone, in turn.

    Evidence that only one method was asked for would make that method look better than it is, so the judged passages
    are pooled (K. Spärck Jones and C. J. van Rijsbergen, 1975, as in TREC). A passage that shares text with one before
    it is left out.

    Parameters
    ----------
    index:
        With units, see :func:`~hierrag_lessons.own_documents.kept_index`.
    question:
        Plain text.

    Raises ``ValueError`` for what is no index or no text, and an index without units.
    """
    checks.able("index", index, "snapshot")
    checks.text("question", question)
    view = index.snapshot()
    searches = [MultiLevelRetriever(view), FlatRetriever(view, mode="text"), FlatRetriever(view, mode="vector")]
    found = [search.retrieve(question, k=_EACH) for search in searches]
    return _apart(passage for rank in zip_longest(*found) for passage in rank if passage is not None)


def _apart(passages: Iterable[Passage]) -> list[Passage]:
    kept: list[Passage] = []
    for passage in passages:
        if not any(passage.doc_id == other.doc_id and overlap(passage.span, other.span) for other in kept):
            kept.append(passage)
    return kept
