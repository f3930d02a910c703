"""The auto-merging retriever: search the leaves, merge them upwards, score what has come of it.

Lesson 15 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage, Where
from hierrag_lessons.ranking import Reranker, rerank
from hierrag_lessons.retrievers.auto_merging.decisions import MAJORITY, KeptNode, MergeDecision, exact
from hierrag_lessons.retrievers.auto_merging.growing import merge_by_rank
from hierrag_lessons.retrievers.auto_merging.rescoring import CosineReranker, rescore
from hierrag_lessons.retrievers.auto_merging.rule import hit_order, merge_upwards
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request, check_search
from hierrag_lessons.retrievers.passages import best
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.store import Family, Index, Mode

MergeScore = Literal["max", "mean", "rescored"]


@dataclass(frozen=True, slots=True)
class MergeTrace:
    """How the passages for one query came about: what was hit, every decision in order, what was returned.

    ``showing.MergeView`` draws it as a tree.
    """

    query: str
    hits: tuple[Hit, ...]
    decisions: tuple[MergeDecision, ...]
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class AutoMergingRetriever(BatchRetriever):
    r"""Search the leaves; where enough leaves of one parent were found, return the parent instead of them.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, RecursiveChunker, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run.\n\nFish swim.")
    >>> pets = build_hierarchy(document, [RecursiveChunker(24, measure=len), SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     AutoMergingRetriever(index, leaves=2).retrieve("cats sleep, dogs run", k=1)[0].text
    'Cats sleep. Dogs run.'

    :func:`merge_upwards` has the rule. No passage lies inside another one, and no passage is returned that is not a
    hit or an ancestor of one.

    How ``k`` and ``leaves`` go together: ``leaves`` are searched, merged, and the best ``k`` passages returned. Where
    more passages are asked for than that, as many leaves are searched as passages are asked for. So a larger ``k``
    brings more text, until all is found, and contexts of any size fill; but with more leaves found, more are merged.
    Without a ``budget`` no text is lost by a larger ``k``.

    To turn first: ``threshold``, then ``leaves``.

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
        or a number, which stands for the fraction that is meant: ``0.6`` for 3/5. By default more than one half, which
        are two children at least, or an only one. ``"growing"``: a share of the parent's text, from one third while
        the ``budget`` is empty to two thirds when it is full, and two children at least; see :func:`merge_by_rank`.
    highest_level:
        The highest ancestor to merge to, by its level number; 1 by default, which spares the whole document.
    score:
        Of a passage with several hits: the ``"max"`` or ``"mean"`` of their scores. ``"rescored"``: its own text
        is scored against the query like a hit, by the reranker where there is one, otherwise by the index's embedder,
        which may not read all of a long text.
    budget:
        Tokens. A merge that adds text is not done where all passages, before the best ``k`` are chosen, would then
        have more than this; see :func:`merge_upwards`. A growing threshold needs it: give the size of the context.
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
    threshold: float | Fraction | Literal["growing"] = MAJORITY
    highest_level: int = 1
    score: MergeScore = "max"
    budget: int | None = None
    reranker: Reranker | None = None
    candidates: int = 50
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        check_search(self.index, self.level, self.mode)
        checks.whole("leaves", self.leaves, 1)
        if not isinstance(self.threshold, str):
            exact(self.threshold)
        elif self.threshold != "growing":
            raise ValueError(f"threshold is {self.threshold!r}; give a share above 0, at most 1, or 'growing'")
        elif self.budget is None:
            raise ValueError("budget is None, and the threshold grows with the budget used; give the context's tokens")
        checks.whole("highest_level", self.highest_level, 0)
        checks.one_of("score", self.score, MergeScore)
        checks.whole("budget", self.budget, 1, none="no limit")
        checks.able("reranker", self.reranker, "score", none="the scores of the search")
        checks.whole("candidates", self.candidates, 1)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query.

        However many queries and hits there are, the table is asked for the hits (by text: once for each query) and
        once for each level of ancestors.
        """
        index = self.index.snapshot()
        ranked = self._search(index, queries, k, where)
        families = _ancestors(index, ranked, self.highest_level)
        merged = [self._merge(hits, families)[0] for hits in ranked]
        return self._passages(index, queries, merged, k)

    def trace(self, query: str, k: int = 5, where: Where | None = None) -> MergeTrace:
        """What ``retrieve`` returns, with every decision that led to it, those above ``highest_level`` included."""
        checks.text("query", query)
        index = self.index.snapshot()
        ranked = self._search(index, [query], k, where)
        kept, decisions = self._merge(ranked[0], _ancestors(index, ranked, 0))
        (passages,) = self._passages(index, [query], [kept], k)
        return MergeTrace(query, tuple(ranked[0]), tuple(decisions), tuple(passages))

    def _search(self, index: Index, queries: Sequence[str], k: int, where: Where | None) -> list[list[Hit]]:
        """The hits to merge: the best of the search, or of the reranker where there is one."""
        check_request(queries, k, where)
        limit = max(self.leaves, k)
        if self.reranker is None:
            return index.search_batch(queries, limit, mode=self.mode, level=self.level, where=where)
        most = max(self.candidates, limit)
        ranked = index.search_batch(queries, most, mode=self.mode, level=self.level, where=where)
        return [
            rerank(query, hits, self.reranker)[:limit] if hits else []
            for query, hits in zip(queries, ranked, strict=True)
        ]

    def _merge(self, hits: Sequence[Hit], families: Mapping[str, Family]) -> tuple[list[KeptNode], list[MergeDecision]]:
        if not isinstance(self.threshold, str):
            return merge_upwards(hits, families, self.threshold, highest_level=self.highest_level, budget=self.budget)
        assert self.budget is not None  # it was refused without one
        return merge_by_rank(hits, families, self.budget, highest_level=self.highest_level)

    def _passages(
        self, index: Index, queries: Sequence[str], merged: Sequence[Sequence[KeptNode]], k: int
    ) -> list[list[Passage]]:
        """The ``k`` best passages that the nodes kept for each query become."""
        scored = [self._scored(index, query, kept) for query, kept in zip(queries, merged, strict=True)]
        found: list[list[Passage]] = []
        for kept, passages in zip(merged, resolve_batch(index, scored), strict=True):
            # What is resolved names the nodes kept as its hits; the hits that led to these are what we return.
            hits_of = {each.node.node_id: each.hits for each in kept}
            # Sources of a summary can lie in a section that was kept as well: no passage may lie in another one.
            found.append(best((self._joined(group, hits_of) for group in _nested(passages)), k))
        return found

    def _scored(self, index: Index, query: str, kept: Sequence[KeptNode]) -> list[Hit]:
        """The nodes kept as hits: with the best score in them, or with that of their own texts."""
        if self.score != "rescored":
            return [Hit(each.node, each.hits[0].score) for each in kept]
        # A hit was scored by its own text already, unless it was by words.
        keep_scores = self.mode == "vector" or self.reranker is not None
        return rescore(query, kept, self.reranker or CosineReranker(index.embedder), keep_scores)

    def _joined(self, group: Sequence[Passage], hits_of: Mapping[str, Sequence[Hit]]) -> Passage:
        """The first passage of a group, which the others lie in, with the hits of all of them, and scored by them."""
        nodes = [kept.node for passage in group for kept in passage.hits]
        hits = {hit.node.node_id: hit for node in nodes for hit in hits_of[node.node_id]}
        scores = [hit.score for hit in hits.values()]
        score = {"max": max(scores), "mean": sum(scores) / len(scores), "rescored": group[0].score}[self.score]
        return replace(group[0], score=score, hits=tuple(sorted(hits.values(), key=hit_order)))


def _ancestors(index: Index, rankings: Iterable[Sequence[Hit]], highest_level: int) -> dict[str, Family]:
    """The ancestors of all hits up to a level by ``node_id``.

    Where a hit is above that level, the ancestors of the others are followed up to it: they may lie in it.
    """
    nodes = [hit.node for hits in rankings for hit in hits]
    lines = index.lineages(nodes, min([highest_level, *(node.level for node in nodes)]))
    return {family.parent.node_id: family for line in lines.values() for family in line}


def _nested(passages: Iterable[Passage]) -> list[list[Passage]]:
    """Groups of passages: one that lies in no other, then those that lie in it. Of equal spans the best is first."""
    groups: list[list[Passage]] = []
    # In text order, the longer first, so that what holds a passage stands right in front of what it holds.
    for passage in sorted(passages, key=lambda p: (p.doc_id, p.start, -p.end, -p.score)):
        if groups and groups[-1][0].doc_id == passage.doc_id and passage.end <= groups[-1][0].end:
            groups[-1].append(passage)
        else:
            groups.append([passage])
    return groups
