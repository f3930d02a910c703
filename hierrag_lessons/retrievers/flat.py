"""The baseline: search one level, return what was found.

Lesson 03 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hierrag_lessons.model import Passage, Where
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request, check_search, search_until
from hierrag_lessons.retrievers.passages import best
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.store import Index, Mode


@dataclass(frozen=True)
class FlatRetriever(BatchRetriever):
    """Return the best nodes of one level as they are, and for derived ones what they were made from.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, SentenceChunker, build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run. Fish swim.")
    >>> pets = build_hierarchy(document, [SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     FlatRetriever(index).retrieve("running dogs", k=1)[0].text
    'Dogs run.'

    Nodes with the same span, which overlapping parents have in common, are one passage.

    To turn first: ``level``, then ``mode``.

    Parameters
    ----------
    index:
        The index.
    level:
        A searchable level of the index, ``None`` for all of them.
    mode:
        As in ``Index.search_batch``.

    Raises ``ValueError`` when made with a level that cannot be searched, or with an unknown mode.
    """

    index: Index
    level: int | None = None
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        check_search(self.index, self.level, self.mode)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query."""
        check_request(queries, k, where)
        index = self.index.snapshot()
        return search_until(
            lambda asked, limit: index.search_batch(asked, limit, mode=self.mode, level=self.level, where=where),
            lambda asked, ranked: [best(passages, k) for passages in resolve_batch(index, ranked)],
            queries,
            k,
            first=2 * k,
        )
