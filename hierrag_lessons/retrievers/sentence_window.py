"""Sentence window: search single sentences, return each with the sentences around it.

Lesson 13 builds it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from sys import maxsize
from typing import Literal, NamedTuple, get_args

from hierrag_lessons import checks
from hierrag_lessons.chunkers.structure.sections import find_sections
from hierrag_lessons.model import Document, Hit, Node, Passage, Span, Where, sort_key
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request, check_search, search_until
from hierrag_lessons.retrievers.resolving import best_of_each
from hierrag_lessons.spans import clip, overlap
from hierrag_lessons.store import Index, Mode, Outline
from hierrag_lessons.text import read_blocks

Part = Literal["block", "section"]


@dataclass(frozen=True)
class SentenceWindowRetriever(BatchRetriever):
    """Search small nodes, return each with its neighbours, and join what meets.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, SentenceChunker, build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run. Fish swim.")
    >>> pets = build_hierarchy(document, [SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     SentenceWindowRetriever(index, before=1, after=0).retrieve("running dogs", k=1)[0].text
    'Cats sleep. Dogs run.'

    A window is a node that was hit, ``before`` nodes in front of it and ``after`` behind it. No window is stored: a
    node knows its position and its offsets, so a window is a span that is looked up. Windows that overlap, or between
    which no node is left out, are one passage with all their hits; so no text comes back twice. **A passage scores as
    its best hit does**, and has the context of that hit.

    The ranking is gone down, best hit first, until there are ``k`` passages. A hit whose window meets a passage joins
    it, so ``k`` passages are ``k`` different places, however many hits they hold. Where the ranking ends first, there
    are fewer.

    The nodes are sentences where ``SentenceChunker(max_sentences=1)`` made the level, but any level has neighbours:
    turns of a dialogue, chunks. A derived node (a summary, a proposition) has no place of its own in the text: its
    sources are returned as they are.

    To turn first: ``before`` and ``after`` together, then ``within``.

    Parameters
    ----------
    index:
        The index.
    level:
        A searchable level; ``None`` for all of them.
    before, after:
        How many nodes a window has in front of its hit and behind it, 0 or more.
    within:
        What a window may not leave. ``None``: the document. A level: the node of that level which holds the hit.
        ``"block"``: the block (paragraph, list, table …; in a dialogue the turn), ``"section"``: a heading with what
        stands under it, for indexes without such a level; these read and parse the documents of the hits. Windows on
        two sides of such a border stay apart.
    mode:
        As in ``Index.search_batch``.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    index: Index
    level: int | None = None
    before: int = 2
    after: int = 2
    within: int | Part | None = None
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        check_search(self.index, self.level, self.mode)
        _check_window(self.before, self.after, self.within)
        if not isinstance(self.within, str | None) and self.level is not None and self.within >= self.level:
            raise ValueError(f"within is level {self.within}; give one above the level {self.level} that is searched")

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query.

        However many queries and hits there are, the table is asked for the hits (by text: once for each query), for
        their neighbours and for the texts of the passages; with ``within`` a level, once for each level in between.
        Where too many hits share a passage, more of them are asked for, up to all there are.
        """
        check_request(queries, k, where)
        index = self.index.snapshot()

        def lead(asked: Sequence[str], ranked: Sequence[Sequence[Hit]]) -> list[list[_Window]]:
            nodes = [hit.node for hits in ranked for hit in hits]
            windows = _find_windows(index, nodes, self.before, self.after, self.within)
            return [_join(hits, windows, k) for hits in ranked]

        found = search_until(
            lambda asked, limit: index.search_batch(asked, limit, mode=self.mode, level=self.level, where=where),
            lead,
            queries,
            k,
            first=4 * k,
        )
        return _to_passages(index, found)


def grow_hits(
    index: Index, hits: Sequence[Hit], before: int = 1, after: int = 1, within: int | Part | None = None
) -> list[Passage]:
    """Neighbour expansion: each hit with its neighbours, whatever level it is on and whoever found it.

    The windows and their scores are those of :class:`SentenceWindowRetriever`; all hits are used, in any order.

    Returns passages sorted by ``sort_key``, none of which overlaps another.
    Raises ``ValueError`` for negative ``before`` or ``after`` and an unknown ``within``, ``KeyError`` where the index
    does not hold the hits' documents.
    """
    checks.able("index", index, "snapshot")
    _check_window(before, after, within)
    index = index.snapshot()
    distinct = best_of_each(checks.each("hits", hits, Hit))
    windows = _find_windows(index, [hit.node for hit in distinct], before, after, within)
    return _to_passages(index, [_join(distinct, windows, maxsize)])[0]


def _check_window(before: int, after: int, within: int | Part | None) -> None:
    checks.whole("before", before, 0)
    checks.whole("after", after, 0)
    if within not in get_args(Part):
        parts = " or ".join(map(repr, get_args(Part)))
        checks.whole("within", within, 0, none=f"the document, or {parts}")


class _Window(NamedTuple):
    """A span with the hits in it. ``reach`` lies one behind the start of the next node, where that may be joined.

    So two windows of one document meet where their ``[start, reach)`` overlap.
    """

    doc_id: str
    start: int
    end: int
    reach: int
    hits: tuple[Hit, ...] = ()


def _join(hits: Iterable[Hit], windows: Mapping[str, Sequence[_Window]], k: int) -> list[_Window]:
    """Join the windows of the best hits, down to the one with which there are ``k``; they are disjoint."""
    joined: dict[str, list[_Window]] = {}  # In document order; any two are apart, so they are in order of reach too.
    used: list[_Window] = []
    count = 0
    for window in (window._replace(hits=(hit,)) for hit in hits for window in windows[hit.node.node_id]):
        if count == k:
            break
        own = joined.setdefault(window.doc_id, [])
        first = bisect_right(own, window.start, key=lambda other: other.reach)
        after = bisect_left(own, window.reach, key=lambda other: other.start)
        met = [window, *own[first:after]]
        starts, ends, reaches = zip(*((other.start, other.end, other.reach) for other in met), strict=True)
        own[first:after] = [_Window(window.doc_id, min(starts), max(ends), max(reaches))]
        used.append(window)
        count += 2 - len(met)
    return _with_hits(joined, used)


def _with_hits(joined: Mapping[str, Sequence[_Window]], used: Iterable[_Window]) -> list[_Window]:
    """The joined windows of each document with the hits of those that they were made from, best first."""
    # By id, for the sources of one derived node can meet in one window.
    found: dict[str, list[dict[str, Hit]]] = {doc_id: [{} for _ in own] for doc_id, own in joined.items()}
    for window in used:
        # A window that was used lies in the last joined one that starts no later than it does.
        around = bisect_right(joined[window.doc_id], window.start, key=lambda other: other.start) - 1
        found[window.doc_id][around] |= {hit.node.node_id: hit for hit in window.hits}
    return [
        window._replace(hits=tuple(sorted(hits.values(), key=sort_key)))
        for doc_id, own in joined.items()
        for window, hits in zip(own, found[doc_id], strict=True)
    ]


def _to_passages(index: Index, ranked: Sequence[Sequence[_Window]]) -> list[list[Passage]]:
    """The windows of each query as passages, with the texts of all of them looked up at once."""
    texts = iter(index.slices([(w.doc_id, Span(w.start, w.end)) for windows in ranked for w in windows]))
    passages: list[list[Passage]] = []
    for windows in ranked:
        made = []
        for doc_id, start, end, _, hits in windows:
            node, score = hits[0].node, hits[0].score
            made.append(Passage(doc_id, start, end, next(texts), node.context, score, hits, node.fields))
        passages.append(sorted(made, key=sort_key))
    return passages


def _find_windows(
    index: Index, nodes: Iterable[Node], before: int, after: int, within: int | Part | None
) -> dict[str, list[_Window]]:
    """The window of each node by its id; those of a derived node are its sources."""
    distinct = {node.node_id: node for node in nodes}
    found = {
        node.node_id: [_Window(node.doc_id, *span, span.end) for span in node.sources] for node in distinct.values()
    }
    own = [node for node in distinct.values() if not node.derived]
    limits = _find_limits(index, own, within)
    # One node more than is returned tells where the next window begins.
    for node, around in zip(own, index.windows(own, before, after + 1), strict=True):
        limit = limits.get(node.node_id, Span(0, maxsize))
        near = [other for other in around if not other.sources and overlap(other.span, limit)]
        found[node.node_id] = [_window(node, near, after, limit)]
    return found


def _window(node: Node, near: Sequence[Outline], after: int, limit: Span) -> _Window:
    """The window of a node, given its neighbours inside the limit, one more than the window shows among them."""
    shown = [node.span, *(other.span for other in near if other.position <= node.position + after)]
    start, end = clip(Span(min(span.start for span in shown), max(span.end for span in shown)), limit)
    behind = [other.span.start + 1 for other in near if other.position > node.position + after]
    return _Window(node.doc_id, start, end, max([end, *behind]))


def _find_limits(index: Index, nodes: Sequence[Node], within: int | Part | None) -> dict[str, Span]:
    """What the window of each node may not leave, by the node's id; nothing where that is the document."""
    if within is None:
        return {}
    if not isinstance(within, str):
        above = index.lineages(nodes, within)
        # The last of a line holds the node on the level asked for; a node that is not below that level has no line.
        return {node.node_id: ([node, *(f.parent for f in above[node.node_id])])[-1].span for node in nodes}
    doc_ids = sorted({node.doc_id for node in nodes})
    parts = {doc_id: _read_parts(index.document(doc_id), within) for doc_id in doc_ids}
    return {node.node_id: _hull(node.span, parts[node.doc_id]) for node in nodes}


def _read_parts(document: Document, part: Part) -> list[Span]:
    """The blocks or the sections of a document, in order."""
    blocks = read_blocks(document)
    return [block.span for block in blocks] if part == "block" else [section.span for section in find_sections(blocks)]


def _hull(span: Span, parts: Sequence[Span]) -> Span:
    """From the start of the first part that ``span`` shares text with to the end of the last one."""
    first = bisect_right(parts, span.start, key=lambda part: part.end)
    last = bisect_left(parts, span.end, key=lambda part: part.start)
    shared = parts[first:last]
    return Span(min([span.start, *(p.start for p in shared[:1])]), max([span.end, *(p.end for p in shared[-1:])]))
