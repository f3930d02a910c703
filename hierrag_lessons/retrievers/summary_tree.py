"""Search a tree of summaries; what is returned is always the document's own text, the chunks below.

Lesson 16 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Node, Passage, Where, both, sort_key
from hierrag_lessons.retrievers.batches import (
    BatchRetriever,
    check_request,
    check_search,
    documents_inside,
    search_until,
)
from hierrag_lessons.retrievers.passages import best, to_passage
from hierrag_lessons.store import Index, Mode

TreeSearch = Literal["collapsed", "layers"]


@dataclass(frozen=True)
class SummaryTreeRetriever(BatchRetriever):
    """Search the summaries and chunks of :func:`~hierrag_lessons.summaries.build_summary_tree` (RAPTOR, 2024).

    >>> from hierrag_lessons import CharNgramEmbedder, Document, SentenceChunker, build_summary_tree, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run. Fish swim.")
    >>> pets = build_summary_tree(document, [SentenceChunker(12, measure=len)], embedder=CharNgramEmbedder())
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     SummaryTreeRetriever(index).retrieve("running dogs", k=1)[0].text
    'Dogs run.'

    Sarthi et al., *RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval*, ICLR 2024, section 3, has
    two ways of searching:

    - ``"collapsed"``: all levels at once, as if there were no tree. A chunk that is found is a passage. A summary that
      is found leads to the chunks below it that are most similar to the query; these score as much as the summary,
      where that is more than their own.
    - ``"layers"``: from the roots down. Of each layer the best nodes are kept, and only what they sum up is looked at
      next. The chunks that are reached are the passages, each with its own score.

    The paper hands the summaries themselves to the model. Here a summary is a way to find text, and never a passage: so
    the result can be cited, and measured like that of every other retriever.

    To turn first: ``search``, then ``leaves`` for ``"collapsed"`` or ``width`` for ``"layers"``.

    Parameters
    ----------
    index:
        An index of summary trees, with all levels below the documents searchable.
    search:
        ``"collapsed"`` or ``"layers"``.
    leaves:
        For ``"collapsed"``: how many chunks a summary leads to.
    width:
        For ``"layers"``: how many nodes of a layer are kept; at least as many as passages are asked for.
    mode:
        As in ``Index.search_batch``.

    Raises ``ValueError`` when made with a parameter out of its range, and when asked, where the index holds summaries
    that do not name their members.
    """

    index: Index
    search: TreeSearch = "collapsed"
    leaves: int = 1
    width: int = 20
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        check_search(self.index, 1, self.mode)
        checks.one_of("search", self.search, TreeSearch)
        checks.whole("leaves", self.leaves, 1)
        checks.whole("width", self.width, 1)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query."""
        check_request(queries, k, where)
        index = self.index.snapshot()
        search = self._collapsed if self.search == "collapsed" else self._layers
        return search(index, queries, k, where)

    def _collapsed(self, index: Index, queries: Sequence[str], k: int, where: Where | None) -> list[list[Passage]]:
        """All levels at once: one search and one look-up a level for all queries, and one search more where needed."""
        below: dict[str, frozenset[str]] = {}

        def lead(asked: Sequence[str], ranked: Sequence[Sequence[Hit]]) -> Iterator[list[Passage]]:
            _find_leaves(index, [hit.node for hits in ranked for hit in hits], below)
            pairs = zip(asked, ranked, strict=True)
            return (best(self._resolve(index, query, hits, below, where), k) for query, hits in pairs)

        return search_until(
            lambda asked, limit: index.search_batch(asked, limit, mode=self.mode, where=where),
            lead,
            queries,
            k,
            first=2 * k,
        )

    def _resolve(
        self,
        index: Index,
        query: str,
        hits: Sequence[Hit],
        below: Mapping[str, frozenset[str]],
        where: Where | None,
    ) -> list[Passage]:
        """The chunks that the hits are or lead to, each with the best score and all the hits that lead to it."""
        ranking = [hit for hit in hits if not hit.node.derived]
        summaries = [hit for hit in hits if hit.node.derived]
        # What is among the hits is better than what is not, so most summaries find their best chunks there.
        known = {hit.node.node_id for hit in ranking}
        unseen = [below[hit.node.node_id] for hit in summaries if len(known & below[hit.node.node_id]) < self.leaves]
        if unseen:
            wanted = sorted(frozenset().union(*unseen) - known)
            inside = both(where, {"node_id": wanted})
            ranking += index.search(query, len(wanted), mode=self.mode, where=inside) if wanted else []
        led: dict[str, list[Hit]] = {hit.node.node_id: [hit] for hit in hits if not hit.node.derived}
        for summary in summaries:
            own = below[summary.node.node_id]
            for leaf in [hit.node.node_id for hit in ranking if hit.node.node_id in own][: self.leaves]:
                led.setdefault(leaf, []).append(summary)
        nodes = {hit.node.node_id: hit.node for hit in ranking}
        return [to_passage(nodes[leaf], max(hit.score for hit in own), own) for leaf, own in led.items()]

    def _layers(self, index: Index, queries: Sequence[str], k: int, where: Where | None) -> list[list[Passage]]:
        """From the roots down; one search for the roots, then one for each query and layer, with a filter two."""
        width, layers = max(self.width, k), _Layers(index, self.mode, where, documents_inside(index, where))
        found: list[list[Passage]] = []
        for query, roots in zip(queries, layers.search(queries, width, level=1), strict=True):
            reached: list[Hit] = []
            kept = roots
            while kept:
                reached += [hit for hit in kept if not hit.node.derived]
                members = sorted({name for hit in kept if hit.node.derived for name in _members(hit.node)})
                [kept] = layers.search([query], width, {"node_id": members}) if members else [[]]
            found.append(best((to_passage(hit.node, hit.score, [hit]) for hit in reached), k))
        return found


@dataclass(frozen=True)
class _Layers:
    """Search among the nodes of a layer: chunks inside a filter, and summaries of documents that have such chunks."""

    index: Index
    mode: Mode
    where: Where | None
    documents: Where | None

    def search(
        self, queries: Sequence[str], width: int, among: Where | None = None, level: int | None = None
    ) -> list[list[Hit]]:
        """The ``width`` best nodes for each query."""
        rankings = [
            self.index.search_batch(queries, width, mode=self.mode, level=level, where=both(where, among))
            for where in ([self.where] if self.where is self.documents else [self.documents, self.where])
        ]
        if len(rankings) == 1:
            return rankings[0]
        mixed = (
            [hit for hits, derived in ((above, True), (own, False)) for hit in hits if hit.node.derived is derived]
            for above, own in zip(*rankings, strict=True)
        )
        return [sorted(hits, key=sort_key)[:width] for hits in mixed]


def _find_leaves(index: Index, nodes: Iterable[Node], below: dict[str, frozenset[str]]) -> None:
    """Add the ids of all chunks below each summary to ``below``, with one look-up for each layer of summaries."""
    summaries: dict[str, Node] = {}
    layer = list(nodes)
    while layer:
        new = {node.node_id: node for node in layer if node.derived and node.node_id not in below}
        summaries |= new
        # The members of the lowest layer are the chunks themselves.
        higher = (node for node in new.values() if node.metadata.get("layer") != 1)
        names = dict.fromkeys(name for node in higher for name in _members(node))
        layer = index.nodes([name for name in names if name not in summaries and name not in below])
    for node in sorted(summaries.values(), key=lambda node: -node.level):
        below[node.node_id] = frozenset().union(*(below.get(name, {name}) for name in _members(node)))


def _members(node: Node) -> list[str]:
    if "members" not in node.metadata:
        raise ValueError(
            f"the summary {node.node_id!r} does not name its members; make the index of build_summary_tree's trees"
        )
    return cast("list[str]", node.metadata["members"])
