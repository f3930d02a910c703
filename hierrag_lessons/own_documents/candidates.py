"""Passages to judge: what several searches find for a question, in small and in large pieces.

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

LABELLED = "gold-"
"""What the ids of questions begin with that were made by labelling."""

POOLED = (
    f"Questions whose id begins with {LABELLED!r} were made with `label`. Their evidence was chosen from what every "
    "level, words alone and vectors alone found in units, and vectors and words in recursive chunks of 400 tokens. An "
    "answer that none of these showed counts as missed."
)
"""Where the evidence of such questions comes from, in words for a report."""

_EACH = 5  # passages of each search


def candidates(index: Index, large: Index, question: str) -> list[Passage]:
    """Passages that may answer a question, of several searches in turn.

    Evidence that only one method was asked for would make that method look better than it is, so the judged passages
    are pooled (K. Spärck Jones and C. J. van Rijsbergen, 1975, as in TREC): the best of every level, of words alone and
    of vectors alone in small units, and of vectors and words in larger chunks that keep to no unit. Of passages that
    share text the longest is shown, in the place of the first, and whoever judges picks the sentences that answer: so
    evidence ends where the answer does, and not where one method cuts. What none of the searches finds is not judged;
    gold made so still favours methods that are like them.

    Parameters
    ----------
    index:
        With units, see :func:`~hierrag_lessons.own_documents.kept_index`.
    large:
        The same documents in larger chunks.
    question:
        Plain text.

    Raises ``ValueError`` for what is no index or no text, and an index without units.
    """
    checks.able("index", index, "snapshot")
    checks.able("large", large, "snapshot")
    checks.text("question", question)
    view = index.snapshot()
    searches = [
        MultiLevelRetriever(view),
        FlatRetriever(large.snapshot(), mode="hybrid"),
        FlatRetriever(view, mode="text"),
        FlatRetriever(view, mode="vector"),
    ]
    found = [search.retrieve(question, k=_EACH) for search in searches]
    return _apart(passage for rank in zip_longest(*found) for passage in rank if passage is not None)


def _apart(passages: Iterable[Passage]) -> list[Passage]:
    kept: list[Passage] = []
    for passage in passages:
        met = [other for other in kept if passage.doc_id == other.doc_id and overlap(passage.span, other.span)]
        if not met:
            kept.append(passage)
        elif all(len(passage.text) > len(other.text) for other in met):
            kept[kept.index(met[0])] = passage
            kept = [other for other in kept if other not in met[1:]]
    return kept
