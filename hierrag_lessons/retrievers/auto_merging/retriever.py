"""The auto-merging retriever: search the leaves, merge them upwards, score what has come of it.

Lesson 15 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

from hierrag_lessons.model import Hit, Passage
from hierrag_lessons.ranking import Reranker, rerank
from hierrag_lessons.retrievers.auto_merging.rescoring import CosineReranker, rescore
from hierrag_lessons.retrievers.auto_merging.rule import Block, MergeDecision, exact, hit_order, merge_upwards
from hierrag_lessons.retrievers.passages import best, check_request
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.store import Family, Index, Mode
from hierrag_lessons.store.search import check_mode

ScoreRule = Literal["max", "mean", "rescored"]


@dataclass(frozen=True, slots=True)
class MergeTrace:
    """How the passages for one query came about: what was hit, every decision in order, what was returned.

    ``views.MergeView`` draws it as a tree.
    """

    query: str
    hits: tuple[Hit, ...]
    decisions: tuple[MergeDecision, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class AutoMergingRetriever:
    """Search the leaves; where enough leaves of one parent were found, return the parent instead of them.

    :func:`merge_upwards` has the rule. No passage lies inside another one, and no passage is returned that is not a
    hit or an ancestor of one.

    How ``k`` and ``leaves`` go together: ``leaves`` are searched, merged, and the best ``k`` passages returned. Where
    more passages are asked for than that, as many leaves are searched as passages are asked for. So a larger ``k``
    brings more text, until all is found, and contexts of any size fill; but with more leaves found, more are merged.
    Without a ``budget`` no text is lost by a larger ``k``.

    Parameters
    ----------
    index:
        The index. Parents need not be searchable.
    level:
        The searchable level to search; ``None`` for all of them, which may be of several levels.
    leaves:
        How many nodes to search at least for each query.
    threshold:
        The share of its children that must be found for a parent to take their place; equality is enough. A fraction,
        or a number, which stands for the fraction that is meant: ``0.6`` for 3/5.
    highest_level:
        The highest ancestor to merge to, by its level number; 1 by default, which spares the whole document.
    score:
        Of a passage with several hits: the ``"max"`` or ``"mean"`` of their scores. ``"rescored"``: its own text
        is scored against the query like a hit, by the reranker where there is one, otherwise by the index's embedder,
        which may not read all of a long text.
    budget:
        Tokens. A merge that adds text is not done where all passages, before the best ``k`` are chosen, would then
        have more than this; see :func:`merge_upwards`.
    reranker:
        Scores the hits again before they are merged, and chooses the best ``leaves`` among ``candidates``.
    candidates:
        How many nodes to search for the reranker; not used without one.
    mode:
        As in ``Index.search_batch``.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    index: Index
    level: int | None = None
    leaves: int = 12
    threshold: float | Fraction = 0.5
    highest_level: int = 1
    score: ScoreRule = "max"
    budget: int | None = None
    reranker: Reranker | None = None
    candidates: int = 50
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        for name, number, what in (("leaves", self.leaves, "leaf"), ("candidates", self.candidates, "candidate")):
            if number < 1:
                raise ValueError(f"{name} is {number}; search for at least 1 {what}")
        exact(self.threshold)
        if self.highest_level < 0:
            raise ValueError(f"highest_level is {self.highest_level}; give 0 for the whole document, or a level below")
        if self.score not in get_args(ScoreRule):
            raise ValueError(f"score is {self.score!r}; it can be one of {', '.join(get_args(ScoreRule))}")
        if self.budget is not None and self.budget < 1:
            raise ValueError(f"budget is {self.budget}; give at least 1 token, or None for no limit")
        check_mode(self.mode)
        self.index.check_level(self.level)

    def retrieve(self, query: str, k: int = 5) -> list[Passage]:
        """The ``k`` best passages for one query. Raises ``ValueError`` for ``k`` below 1."""
        return self.retrieve_batch([query], k)[0]

    def retrieve_batch(self, queries: Sequence[str], k: int = 5) -> list[list[Passage]]:
        """The ``k`` best passages for each query. Raises ``ValueError`` for ``k`` below 1.

        However many queries and hits there are, the table is asked for the hits (by text: once for each query) and
        once for each level of ancestors.
        """
        index = self.index.snapshot()
        ranked = self._search(index, queries, k)
        families = ancestors(index, ranked, self.highest_level)
        merged = [self._merge(hits, families)[0] for hits in ranked]
        return self._passages(index, queries, merged, k)

    def trace(self, query: str, k: int = 5) -> MergeTrace:
        """What ``retrieve`` returns, with every decision that led to it, those above ``highest_level`` included."""
        index = self.index.snapshot()
        ranked = self._search(index, [query], k)
        blocks, decisions = self._merge(ranked[0], ancestors(index, ranked, 0))
        (passages,) = self._passages(index, [query], [blocks], k)
        return MergeTrace(query, tuple(ranked[0]), tuple(decisions), tuple(passages))

    def _search(self, index: Index, queries: Sequence[str], k: int) -> list[list[Hit]]:
        check_request(queries, k)
        limit = max(self.leaves, k)
        if self.reranker is None:
            return index.search_batch(queries, limit, mode=self.mode, level=self.level)
        ranked = index.search_batch(queries, max(self.candidates, limit), mode=self.mode, level=self.level)
        return [
            rerank(query, hits, self.reranker)[:limit] if hits else []
            for query, hits in zip(queries, ranked, strict=True)
        ]

    def _merge(self, hits: Sequence[Hit], families: Mapping[str, Family]) -> tuple[list[Block], list[MergeDecision]]:
        return merge_upwards(hits, families, self.threshold, highest_level=self.highest_level, budget=self.budget)

    def _passages(
        self, index: Index, queries: Sequence[str], merged: Sequence[Sequence[Block]], k: int
    ) -> list[list[Passage]]:
        scored = [self._scored(index, query, blocks) for query, blocks in zip(queries, merged, strict=True)]
        found: list[list[Passage]] = []
        for blocks, passages in zip(merged, resolve_batch(index, scored), strict=True):
            below = {block.node.node_id: block.hits for block in blocks}
            found.append(best((self._whole(group, below) for group in _nested(passages)), k))
        return found

    def _scored(self, index: Index, query: str, blocks: Sequence[Block]) -> list[Hit]:
        if self.score != "rescored":
            return [Hit(block.node, block.hits[0].score) for block in blocks]
        # A hit was scored by its own text already, unless it was by words.
        keep_hits = self.mode == "vector" or self.reranker is not None
        return rescore(query, blocks, self.reranker or CosineReranker(index.embedder), keep_hits)

    def _whole(self, group: Sequence[Passage], below: Mapping[str, Sequence[Hit]]) -> Passage:
        """The first passage of a group, which the others lie in, with the hits of all of them, and scored by them."""
        hits = {hit.node.node_id: hit for p in group for own in p.hits for hit in below[own.node.node_id]}
        scores = [hit.score for hit in hits.values()]
        score = {"max": max(scores), "mean": sum(scores) / len(scores), "rescored": group[0].score}[self.score]
        return replace(group[0], score=score, hits=tuple(sorted(hits.values(), key=hit_order)))


def ancestors(index: Index, rankings: Iterable[Sequence[Hit]], highest_level: int) -> dict[str, Family]:
    """The ancestors of all hits up to a level by ``node_id``, with one look-up for each level.

    Where a hit is above that level, the ancestors of the others are followed up to it: they may lie in it.
    """
    nodes = [hit.node for hits in rankings for hit in hits]
    highest_level = min([highest_level, *(node.level for node in nodes)])
    families: dict[str, Family] = {}
    while nodes := [node for node in nodes if node.level > highest_level and node.parent_id not in families]:
        found = index.families(nodes)
        families |= {family.parent.node_id: family for family in found}
        nodes = [family.parent for family in found]
    return families


def _nested(passages: Iterable[Passage]) -> list[list[Passage]]:
    """Groups of passages: one that lies in no other, then those that lie in it. Of equal spans the best is first."""
    groups: list[list[Passage]] = []
    for passage in sorted(passages, key=lambda p: (p.doc_id, p.start, -p.end, -p.score)):
        if groups and groups[-1][0].doc_id == passage.doc_id and passage.end <= groups[-1][0].end:
            groups[-1].append(passage)
        else:
            groups.append([passage])
    return groups
