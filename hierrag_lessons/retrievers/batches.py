"""What retrievers do with what they are asked: one query is a batch of one, and too few passages are not the end.

Lesson 14 uses it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage
from hierrag_lessons.store import Index, Mode
from hierrag_lessons.store.search import check_mode

T = TypeVar("T")


class BatchRetriever(ABC):
    """A retriever that is written for many queries at once."""

    def retrieve(self, query: str, k: int = 5) -> list[Passage]:
        """The ``k`` best passages for one query; fewer where there are no more.

        Raises ``ValueError`` where ``query`` is no text, or ``k`` no whole number of 1 or more.
        """
        checks.text("query", query)
        return self.retrieve_batch([query], k)[0]

    @abstractmethod
    def retrieve_batch(self, queries: Sequence[str], k: int = 5) -> list[list[Passage]]:
        """The ``k`` best passages for each query.

        Raises ``ValueError`` where ``queries`` is no list of texts, or ``k`` no whole number of 1 or more.
        """


def check_request(queries: Sequence[str], k: int) -> None:
    """Raise ``ValueError`` where ``queries`` is no list of texts, or ``k`` no whole number of 1 or more."""
    checks.texts("queries", queries)
    checks.whole("k", k, 1)


def check_search(index: Index, level: int | None, mode: Mode) -> None:
    """Raise ``ValueError`` for what is no index, a level of it that cannot be searched, or an unknown mode."""
    checks.able("index", index, "snapshot")
    check_mode(mode)
    index.check_level(level)


def search_until(
    search: Callable[[Sequence[str], int], Sequence[Sequence[Hit]]],
    lead: Callable[[Sequence[str], Sequence[Sequence[Hit]]], Iterable[list[T]]],
    queries: Sequence[str],
    k: int,
    first: int,
) -> list[list[T]]:
    """Ask for more and more hits, until they lead to ``k`` results for each query, or there are no more hits.

    ``k`` hits can be fewer than ``k`` passages: several have one span, or stand in one parent, or their windows meet.

    Parameters
    ----------
    search:
        From queries and a limit to each query's best hits. Fewer hits than the limit mean that there are no more.
    lead:
        From queries and their hits to what the hits of each lead to, at most ``k`` results.
    queries:
        Plain text.
    k:
        How many results are enough.
    first:
        The limit of the first search. Each further one has four times as many.
    """
    found: list[list[T]] = [[] for _ in queries]
    waiting, limit = list(range(len(queries))), first
    while waiting:
        asked = [queries[i] for i in waiting]
        ranked = search(asked, limit)
        for i, results in zip(waiting, lead(asked, ranked), strict=True):
            found[i] = results
        waiting = [i for i, hits in zip(waiting, ranked, strict=True) if len(found[i]) < k and len(hits) == limit]
        limit *= 4
    return found
