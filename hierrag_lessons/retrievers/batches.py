"""What retrievers do with what they are asked: one query is a batch of one, and too few passages are not the end.

Lesson 14 uses it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from inspect import signature
from typing import Any, TypeVar

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage, Retriever, Where
from hierrag_lessons.store import Index, Mode
from hierrag_lessons.store.search import check_mode

T = TypeVar("T")


class BatchRetriever(ABC):
    """A retriever that is written for many queries at once."""

    def retrieve(self, query: str, k: int = 5, where: Where | None = None) -> list[Passage]:
        """The ``k`` best passages for one query; fewer where there are no more.

        ``where`` is a filter on what is hit, as in ``Index.search_batch``; what a retriever returns around a hit or in
        its place may reach further.

        Raises ``ValueError`` where ``query`` is no text, ``k`` no whole number of 1 or more, or ``where`` no filter.
        """
        checks.text("query", query)
        return self.retrieve_batch([query], k, where)[0]

    @abstractmethod
    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query, all with one filter.

        Raises ``ValueError`` where ``queries`` is no list of texts, ``k`` no whole number of 1 or more, or ``where`` no
        filter.
        """


def check_request(queries: Sequence[str], k: int, where: Where | None) -> None:
    """Raise ``ValueError`` for what is no list of texts, no whole number of 1 or more, or no mapping.

    A generator is no list: whoever looks through it uses it up.
    """
    checks.instance("where", where, Mapping, none="no filter")
    checks.texts("queries", queries)
    if not isinstance(queries, Sequence):
        raise ValueError(f"queries is {queries!r:.80}; give a list of texts, for example list(queries)")
    checks.whole("k", k, 1)


def check_rights(*parts: object) -> None:
    """Raise ``ValueError`` where parts of a retriever have different rights: one would tell what another hides."""
    rights = [index.allowed for part in parts for index in _indexes(part)]
    for other in rights[1:]:
        if other != rights[0]:
            raise ValueError(
                f"one part reads {dict(rights[0]) or 'everything'} and another {dict(other) or 'everything'}; build "
                "all parts on one view, index.permitted(rights)"
            )


def _indexes(part: object) -> Iterator[Index]:
    """The indexes that a retriever, or what it is made of, reads."""
    if isinstance(part, Index):
        yield part
    elif isinstance(part, list | tuple):
        yield from (index for each in part for index in _indexes(each))
    elif is_dataclass(part) and not isinstance(part, type):
        yield from (index for field in fields(part) for index in _indexes(getattr(part, field.name)))


def takes_where(retriever: Retriever) -> bool:
    """Whether a retriever, and any that it is wrapped around, can be given a filter."""
    parameters = signature(retriever.retrieve_batch).parameters
    takes = "where" in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    inner: Any = getattr(retriever, "retriever", None)
    return takes and (not hasattr(inner, "retrieve_batch") or takes_where(inner))


def ask(retriever: Retriever, queries: Sequence[str], k: int, where: Where | None) -> list[list[Passage]]:
    """What any retriever finds for the queries; one that knows no filters can be asked without one.

    Raises ``ValueError`` where it is given a filter and takes none.
    """
    if where is None:
        return retriever.retrieve_batch(queries, k)
    if not takes_where(retriever):
        raise ValueError(
            f"where is {where!r:.80}, and {type(retriever).__name__} takes no filter; give its retrieve_batch a "
            "parameter where, and hand it on to Index.search_batch"
        )
    return retriever.retrieve_batch(queries, k, where=where)


def documents_inside(index: Index, where: Where | None) -> Where | None:
    """The filter for levels above what is returned: the documents that hold something inside ``where``.

    A section or a summary has no page or speaker of its own, and still leads to those that have.
    """
    return where if not where or set(where) == {"doc_id"} else {"doc_id": index.doc_ids(where)}


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
