"""Look up what the question names, and search for the rest.

Lesson 21 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import pstdev
from typing import NamedTuple

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage, Retriever, Where, allows, both, sort_key
from hierrag_lessons.queries.contents import Contents, Location, contents_of
from hierrag_lessons.queries.filters import to_filter
from hierrag_lessons.queries.fusing import in_this_order
from hierrag_lessons.queries.places import NamedPlace, find_places
from hierrag_lessons.retrievers.batches import BatchRetriever, ask, check_request, check_rights
from hierrag_lessons.retrievers.passages import with_fields
from hierrag_lessons.spans import overlap
from hierrag_lessons.store import Index
from hierrag_lessons.store.selecting import select


@dataclass(frozen=True)
class NamedPlaceRetriever(BatchRetriever):
    r"""Put what the question names in front, and prefer what is inside the years, editions and speakers that it names.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, FlatRetriever, StructureChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> text = "\n\n".join(["# Article 1 Scope", "All cats.", "# Article 2 Food", "Fish."])
    >>> law = build_hierarchy(Document("law", text, "markdown"), [StructureChunker(9, 0)])
    >>> with temporary_index([law], embedder=CharNgramEmbedder()) as index:
    ...     NamedPlaceRetriever(FlatRetriever(index), index).retrieve("What does Article 2 say?", k=1)[0].text[-5:]
    'Fish.'

    A heading or caption that is named ("Article 17(2)", "table 3") gives a passage with all that stands under it, from
    at most ``most`` documents. Years, editions and speakers become a filter, see :func:`to_filter`. The retriever is
    asked without it, and each passage with a hit inside it gets ``boost`` standard deviations of the scores on top:
    what lies outside, or has no year, moves down and is not lost. What the retriever does not find is not brought in.

    A question that names nothing, or nothing that there is, gets what the retriever finds, with its scores. Otherwise
    passages score 1 / rank.

    To turn first: the retriever, then ``boost``.

    Parameters
    ----------
    retriever:
        Any retriever on the index; one that takes no filter is asked without.
    index:
        The index that names are looked up in. Its headings are read at the first question after each commit.
    most:
        How many places of one name are looked up at most, where several documents have an Article 17.
    boost:
        How much it counts to be of the year, edition and speaker that the question names. With 0 it counts nothing.
    candidates:
        How many passages the retriever is asked for where there is something to boost, or ``k`` if that is more.

    Raises ``ValueError`` when made with a parameter out of its range, and where the retriever's permissions are not
    those of ``index``.
    """

    retriever: Retriever
    index: Index
    most: int = 2
    boost: float = 1.0
    candidates: int = 100

    def __post_init__(self) -> None:
        checks.able("retriever", self.retriever, "retrieve_batch")
        checks.able("index", self.index, "snapshot")
        checks.whole("most", self.most, 1)
        checks.number("boost", self.boost, 0)
        checks.whole("candidates", self.candidates, 1)
        check_rights(self.retriever, self.index)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query."""
        check_request(queries, k, where)
        self.index.check_where(where)
        read = [self._read(query, where) for query in queries]
        found: list[list[Passage]] = [[] for _ in queries]
        depth = max(k, self.candidates)
        for filtered, most in ((False, k), (True, depth)):
            own = [place for place, each in enumerate(read) if bool(each.inside) is filtered]
            asked = ask(self.retriever, [queries[place] for place in own], most, where) if own else []
            for place, passages in zip(own, asked, strict=True):
                found[place] = self._boosted(passages, read[place].inside)
        return [
            in_this_order([*each.named, *passages])[:k] if each.named or each.inside else passages
            for each, passages in zip(read, found, strict=True)
        ]

    def _read(self, query: str, where: Where | None) -> _Read:
        """The passages of the places that a question names, and the filter for the rest of what it names."""
        places = find_places(query, self.index.language)
        if not places:
            return _Read([], None)
        inside = to_filter(places, self.index, where)
        named = self._look_up(query, places, both(where, inside))
        if not named and inside:
            named = self._look_up(query, places, both(where, None))
        return _Read(named, inside if self.boost else None)

    def _boosted(self, found: list[Passage], inside: Where | None) -> list[Passage]:
        """What the retriever finds, what is inside the names first, unless it fits the question much worse.

        All scores come from one search. Those of a search inside the filter can be on a scale of their own: z-scores
        are computed from what was found.
        """
        if not inside or not found:
            return found
        added = self.boost * (pstdev([passage.score for passage in found]) or 1.0)
        boosted = [replace(p, score=p.score + added) if _is_inside(p, inside) else p for p in found]
        return sorted(boosted, key=sort_key)

    def _look_up(self, query: str, places: Sequence[NamedPlace], where: Where) -> list[Passage]:
        """The passages of the places that a heading or a caption has, in the order in which the question names them."""
        contents = contents_of(self.index)
        found: list[Passage] = []
        for place in places:
            passages = (_passage(contents, location, where) for location in contents.locate(place, query))
            found += islice(filter(None, passages), self.most)
        return found


class _Read(NamedTuple):
    """A question with what it names: the passages of places, and a filter."""

    named: list[Passage]
    inside: Where | None


def _is_inside(passage: Passage, where: Where) -> bool:
    """Whether the index says of one of the hits, or else of the passage, what the filter asks for."""
    told = [hit.node.fields for hit in passage.hits] or [passage.metadata]
    return any(all(allows(wanted, fields.get(name)) for name, wanted in where.items()) for fields in told)


def _passage(contents: Contents, location: Location, where: Where) -> Passage | None:
    """The passage that is a place, with the searchable nodes in it that are inside the filter; None without any."""
    index, (start, end) = contents.index, location.span
    nodes = select(index, both(where, {"doc_id": location.doc_id}), index.levels[-1]) if index.levels else []
    hits = [Hit(node, 1.0) for node in nodes if not node.derived and overlap(node.span, location.span)]
    if not hits:
        return None
    text = contents.documents[location.doc_id].text[start:end]
    passage = Passage(location.doc_id, start, end, text, location.context, 1.0, tuple(sorted(hits, key=sort_key)))
    return with_fields(passage)
