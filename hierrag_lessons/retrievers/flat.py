"""The baseline: search one level, return what was found.

Lesson 03 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hierrag_lessons.model import Passage
from hierrag_lessons.retrievers.passages import best, check_request
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.store import Index, Mode
from hierrag_lessons.store.search import check_mode


@dataclass(frozen=True)
class FlatRetriever:
    """Return the best nodes of one level as they are, and for derived ones what they were made from.

    ``level`` is a searchable level of the index, ``None`` for all of them; ``mode`` is as in ``Index.search_batch``.
    Nodes with the same span, which overlapping parents have in common, are one passage.

    Raises ``ValueError`` when made with a level that cannot be searched, or with an unknown mode.
    """

    index: Index
    level: int | None = None
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        check_mode(self.mode)
        self.index.check_level(self.level)

    def retrieve(self, query: str, k: int = 5) -> list[Passage]:
        """The ``k`` best passages for one query. Raises ``ValueError`` for ``k`` below 1."""
        return self.retrieve_batch([query], k)[0]

    def retrieve_batch(self, queries: Sequence[str], k: int = 5) -> list[list[Passage]]:
        """The ``k`` best passages for each query. Raises ``ValueError`` for ``k`` below 1."""
        check_request(queries, k)
        index = self.index.snapshot()
        found: list[list[Passage]] = [[] for _ in queries]
        waiting, limit = list(range(len(queries))), 2 * k
        while waiting:
            ranked = index.search_batch([queries[i] for i in waiting], limit, mode=self.mode, level=self.level)
            for i, passages in zip(waiting, resolve_batch(index, ranked), strict=True):
                found[i] = best(passages, k)
            # Too many of the hits had a span in common: look further, unless there is nothing more.
            waiting = [i for i, hits in zip(waiting, ranked, strict=True) if len(found[i]) < k and len(hits) == limit]
            limit *= 4
        return found
