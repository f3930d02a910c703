"""Search small, return large: children are searched, their parents are returned, whole or around what was hit.

Lesson 14 builds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage, Span, Where, sort_key
from hierrag_lessons.ranking import Reranker, rerank
from hierrag_lessons.ranking.fusion import min_max_scaling
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request, check_search
from hierrag_lessons.retrievers.parent_child.scoring import (
    ParentScore,
    density_score,
    reciprocal_rank_score,
    relative_to_best,
    weighted_score,
)
from hierrag_lessons.retrievers.parent_child.windows import LocalWindow
from hierrag_lessons.retrievers.passages import best, to_passage, with_fields
from hierrag_lessons.spans import clip, cover, overlap, subtract
from hierrag_lessons.store import Family, Index, Mode


@dataclass(frozen=True)
class ParentChildRetriever(BatchRetriever):
    r"""Search the children, score their parents, return each parent once, or windows around the hits in it.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, RecursiveChunker, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run.\n\nFish swim.")
    >>> pets = build_hierarchy(document, [RecursiveChunker(24, measure=len), SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     ParentChildRetriever(index).retrieve("running dogs", k=1)[0].text
    'Cats sleep. Dogs run.'

    A parent is any node one level up, whatever chunkers made the two levels. Rules for its score:

    - ``"weighted"``: ``alpha * max + (1 - alpha) * mean`` of the scores of its children that were hit, plus
      ``coverage`` times the share of its children that were hit;
    - ``"density"``: ``sum(exp(score))`` over its children that were hit, divided by its length in characters;
    - ``"reciprocal_rank"``: the sum of ``1 / (constant + rank)`` over its children that were hit.

    The first two are given cosines as they are. BM25 has no scale of its own, so in mode ``text`` scores are first
    divided by the query's best. Those of mode ``hybrid`` and of a reranker can be below 0, so they become 0 for the
    worst child found and 1 for the best. So compare scores of one query only.

    With a ``window``, the parents are found in the same way, and of each only the windows around its hits are returned,
    every window with its parent's score and heading path. No two windows overlap: where parents overlap, the better one
    keeps what they share. ``k`` counts windows then; where it cuts a parent's windows, those with its best hits stay.

    To turn first: ``children``, then ``window``.

    Parameters
    ----------
    index:
        The index. Parents need not be searchable. Of a derived parent, such as a summary, the parts of the document
        are returned that it stands for and that were hit.
    child_level:
        A searchable level below the document; ``None`` for all of them.
    children:
        How many children to search for each query, at least 1. At most as many parents can be found, however large
        ``k`` is.
    alpha:
        Weight of the best child against the mean, 0 to 1; for the rule ``"weighted"``.
    coverage:
        Weight of the share of children hit, 0 or more; for the rule ``"weighted"``. The published weight is 0.3, which
        outweighs nearly any difference between two cosines: small families win because they are complete sooner. See
        :func:`weighted_score` for an example.
    mode:
        As in ``Index.search_batch``.
    score:
        The rule.
    window:
        ``None`` for whole parents.
    reranker:
        Scores the children found anew, before their parents are scored; ``None`` for the scores of the search.
    children_per_passage:
        Search at least so many children for each passage asked for: ``max(children, children_per_passage * k)``. Above
        0, a larger ``k`` finds more parents, so that large contexts fill; scores can change with ``k`` then.
    constant:
        Of the rule ``"reciprocal_rank"``, 0 or more. The larger, the more the number of hits counts and the less their
        ranks; with the 60 of rank fusion, nearly only their number.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    index: Index
    child_level: int | None = None
    children: int = 30
    alpha: float = 0.7
    coverage: float = 0.0
    mode: Mode = "vector"
    score: ParentScore = "weighted"
    window: LocalWindow | None = None
    reranker: Reranker | None = None
    children_per_passage: int = 0
    constant: int = 0

    def __post_init__(self) -> None:
        checks.whole("child_level", self.child_level, none="all searchable levels")
        if self.child_level == 0:
            raise ValueError("child_level is 0; a whole document has no parent, give a level of 1 or more")
        check_search(self.index, self.child_level, self.mode)
        checks.whole("children", self.children, 1)
        checks.share("alpha", self.alpha)
        checks.number("coverage", self.coverage, 0)
        checks.one_of("score", self.score, ParentScore)
        checks.instance("window", self.window, LocalWindow, none="whole parents")
        checks.able("reranker", self.reranker, "score", none="the scores of the search")
        checks.whole("children_per_passage", self.children_per_passage, 0)
        checks.whole("constant", self.constant, 0)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query.

        However many queries and hits there are, the table is asked for the hits (by text: once for each query) and,
        once each, for their parents, the siblings of a window, and the texts that derived parents stand for.
        """
        check_request(queries, k, where)
        index = self.index.snapshot()
        candidates = max(self.children, self.children_per_passage * k)
        ranked = index.search_batch(queries, candidates, mode=self.mode, level=self.child_level, where=where)
        if self.reranker is not None:
            pairs = zip(queries, ranked, strict=True)
            ranked = [rerank(query, hits, self.reranker) if hits else [] for query, hits in pairs]
        families = index.families([hit.node for hits in ranked for hit in hits])
        by_id = {family.parent.node_id: family for family in families}
        found = _with_texts(index, [self._parents(hits, by_id) for hits in ranked])
        parents = [best(passages, k) for passages in found]
        return parents if self.window is None else self._windows(index, self.window, parents, k)

    def _parents(self, hits: Sequence[Hit], families: Mapping[str, Family]) -> list[Passage]:
        """The parents of one query's hits, scored; a derived parent's passages have no text yet."""
        ranks: dict[str, list[int]] = {}  # by parent, where its children stand in the ranking, from 0
        for rank, hit in enumerate(hits):
            if hit.node.parent_id is not None:
                ranks.setdefault(hit.node.parent_id, []).append(rank)
        scores = self._comparable(hits)
        passages: list[Passage] = []
        for node_id, own in ranks.items():
            parent, children = families[node_id]
            score = self._score([scores[rank] for rank in own], own, cover(parent.spans), children)
            passage = to_passage(parent, score, [hits[rank] for rank in own])
            passages += _parts(passage, parent.spans) if parent.derived else [passage]
        return passages

    def _comparable(self, hits: Sequence[Hit]) -> list[float]:
        """The hits' scores on a scale that the rules can add up."""
        scores = [hit.score for hit in hits]
        if self.reranker is not None or self.mode == "hybrid":
            return min_max_scaling(scores)
        return scores if self.mode == "vector" else relative_to_best(hits)

    def _score(self, scores: Sequence[float], ranks: Sequence[int], length: int, children: int) -> float:
        if self.score == "density":
            return density_score(scores, length)
        if self.score == "reciprocal_rank":
            return reciprocal_rank_score([rank + 1 for rank in ranks], self.constant)
        return weighted_score(scores, children, self.alpha, self.coverage)

    def _windows(
        self, index: Index, window: LocalWindow, found: Sequence[Sequence[Passage]], k: int
    ) -> list[list[Passage]]:
        """The windows in each query's parents around the hits in them."""
        hits = {hit.node.node_id: hit.node for passages in found for parent in passages for hit in parent.hits}
        around = {node_id: list(node.spans) for node_id, node in hits.items()}
        if window.siblings:
            nodes = list(hits.values())
            near = index.windows(nodes, window.siblings, window.siblings)
            for node, neighbours in zip(nodes, near, strict=True):
                siblings = [other for other in neighbours if other.parent_id == node.parent_id]
                around[node.node_id] = [span for sibling in siblings for span in sibling.spans]
        return [_cut(parents, window, around, k) for parents in found]


def _parts(passage: Passage, spans: Sequence[Span]) -> Iterator[Passage]:
    """Those of the spans that a derived parent stands for in which its hits lie, without texts."""
    for span in spans:
        inside = tuple(hit for hit in passage.hits if _touches(hit, span))
        if inside:
            yield replace(passage, start=span.start, end=span.end, text="", hits=inside)


def _with_texts(index: Index, found: Sequence[Sequence[Passage]]) -> list[list[Passage]]:
    """Look up the texts of passages that have none."""
    blank = [passage for passages in found for passage in passages if not passage.text]
    texts = iter(index.slices([(passage.doc_id, passage.span) for passage in blank]) if blank else [])
    return [
        [passage if passage.text else replace(passage, text=next(texts)) for passage in passages] for passages in found
    ]


def _cut(
    parents: Sequence[Passage], window: LocalWindow, around: Mapping[str, Sequence[Span]], k: int
) -> list[Passage]:
    """At most ``k`` windows of the parents, best parent first, none overlapping another."""
    cut: list[Passage] = []
    taken: defaultdict[str, list[Span]] = defaultdict(list)
    for parent in parents:
        inside = [clip(span, parent.span) for hit in parent.hits for span in around[hit.node.node_id]]
        spans = window.around(parent.text, [Span(start - parent.start, end - parent.start) for start, end in inside])
        windows: list[Passage] = []
        for start, end in spans:
            for piece in subtract(Span(start + parent.start, end + parent.start), taken[parent.doc_id]):
                text = parent.text[piece.start - parent.start : piece.end - parent.start]
                hits = tuple(hit for hit in parent.hits if _touches(hit, piece))
                if hits and text.strip():
                    cited = replace(parent, start=piece.start, end=piece.end, text=text, hits=hits)
                    windows.append(with_fields(cited))
        windows = sorted(windows, key=lambda passage: sort_key(passage.hits[0]))[: k - len(cut)]
        taken[parent.doc_id] += [passage.span for passage in windows]
        cut += windows
    return sorted(cut, key=sort_key)


def _touches(hit: Hit, span: Span) -> bool:
    return any(overlap(own, span) for own in hit.node.spans)
