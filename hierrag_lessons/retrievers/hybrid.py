"""Hybrid search: vector and text search fused at each level, and levels above that speak for their children.

Lesson 19 uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage, Where, sort_key
from hierrag_lessons.ranking import reciprocal_rank_fusion, z_score_fusion
from hierrag_lessons.ranking.fusion import score_of_missing
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request, check_search, documents_inside
from hierrag_lessons.retrievers.passages import best
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.store import Index

Fusion = Literal["reciprocal_rank", "z_score"]
Searches = tuple[Literal["vector", "text"], ...]

# One hit list for each of the searches.
_Found = Sequence[Sequence[Hit]]


@dataclass(frozen=True)
class HybridRetriever(BatchRetriever):
    """Fuse vector and text search on one level; nodes above it that fit the query too raise those inside them.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, SentenceChunker, build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run. Fish swim.")
    >>> pets = build_hierarchy(document, [SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     HybridRetriever(index).retrieve("dogs", k=1)[0].text
    'Dogs run.'

    At each level the searches are fused into one score a node. A node of ``level`` then scores

        own fused score + sum over the levels above of weight * fused score of its ancestor there

    so that of two equally good chunks the one in the better section comes first. Only nodes that the searches of
    ``level`` found are returned; an ancestor alone brings nothing in. By
    z-scores and without levels above, that is the index's own mode ``hybrid``.

    ``"z_score"``, the default, looks at how far apart the scores are, see
    :func:`~hierrag_lessons.ranking.z_score_fusion`; what a search did not find counts as its last hit, or in a text
    search that found fewer than ``candidates`` as BM25 0. ``"reciprocal_rank"`` looks at ranks only, see
    :func:`~hierrag_lessons.ranking.reciprocal_rank_fusion`; what a search did not find gets nothing from it. So a hit
    that both searches find in the middle comes before one that leads one of them by far, and a weak search drags down a
    strong one. Take it where scores are strange or come from outside.

    To turn first: ``fusion``, then ``above``.

    Parameters
    ----------
    index:
        The index.
    level:
        The searchable level to return; ``None`` for all of them, which have no level above.
    above:
        Searchable levels above ``level`` with their weights, for example ``{2: 0.5}``; none by default.
    fusion:
        ``"z_score"`` or ``"reciprocal_rank"``.
    searches:
        What is fused. One of them alone leaves only the levels to be fused.
    candidates:
        How many hits to take from each search, or ``k`` if that is more.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    index: Index
    level: int | None = None
    above: Mapping[int, float] = field(default_factory=dict)
    fusion: Fusion = "z_score"
    searches: Searches = ("vector", "text")
    candidates: int = 100

    def __post_init__(self) -> None:
        check_search(self.index, self.level, "hybrid")
        checks.one_of("fusion", self.fusion, Fusion)
        searches = checks.texts("searches", self.searches)
        if not searches or len({*searches} & {"vector", "text"}) != len(searches):
            raise ValueError(f"searches is {self.searches}; give 'vector', 'text' or both, each once")
        checks.whole("candidates", self.candidates, 1)
        checks.instance("above", self.above, Mapping)
        for level, weight in self.above.items():
            self.index.check_level(level)
            if self.level is None or level >= self.level:
                raise ValueError(f"level {level} is not above level {self.level}; `level` is the one that is returned")
            checks.number(f"the weight of level {level}", weight, 0)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query.

        However many queries and hits there are, each level is searched once by vector and once for each query by text,
        all of them at once, and each level between the returned one and the highest one above it is looked up once.
        """
        check_request(queries, k, where)
        index, limit = self.index.snapshot(), max(self.candidates, k)
        by_level = self._search(index, queries, limit, where)
        own = by_level[self.level]
        lines = self._ancestors(index, own)
        ranked = []
        for number, found in enumerate(own):
            nodes = {hit.node.node_id: hit.node for hits in found for hit in hits}
            total = self._fuse(found, limit, nodes)
            for level, weight in self.above.items():
                # A node gets a share of its ancestor's fused score, nothing where that level did not find it.
                ancestors = {name: lines[name][level] for name in nodes if level in lines[name]}
                fused = self._fuse(by_level[level][number], limit, dict.fromkeys(ancestors.values()))
                for name, ancestor in ancestors.items():
                    total[name] += weight * fused.get(ancestor, 0.0)
            ranked.append(sorted((Hit(node, total[name]) for name, node in nodes.items()), key=sort_key))
        return [best(passages, k) for passages in resolve_batch(index, ranked)]

    def _search(
        self, index: Index, queries: Sequence[str], limit: int, where: Where | None
    ) -> dict[int | None, list[_Found]]:
        """For each level, for each query, the hits of each search there; above, in the documents inside the filter."""
        steps: list[tuple[tuple[int | None, ...], Where | None]] = [((self.level, *self.above), None)]
        if where is not None:
            steps = [((self.level,), where)]
            steps += [((*self.above,), documents_inside(index, where))] if self.above else []
        found: dict[int | None, list[_Found]] = {}
        for levels, inside in steps:
            searches = [(mode, level) for level in levels for mode in self.searches]
            ranked = iter(index.search_each(searches, queries, limit, inside))
            found |= {level: list(zip(*(next(ranked) for _ in self.searches), strict=True)) for level in levels}
        return found

    def _fuse(self, found: _Found, limit: int, names: Mapping[str, object]) -> dict[str, float]:
        """One score for each node that was found, and by z-score also for all the names that were not."""
        if self.fusion == "reciprocal_rank":
            return reciprocal_rank_fusion([[hit.node.node_id for hit in hits] for hits in found])
        rankings, missing = [], []
        for search, hits in zip(self.searches, found, strict=True):
            rankings.append({hit.node.node_id: hit.score for hit in hits})
            missing.append(score_of_missing(rankings[-1], search == "text" and len(hits) < limit))
        # Names that no search found stand in the first ranking with what it gives to those that it lacks.
        rankings[0] = {**dict.fromkeys(names, missing[0]), **rankings[0]}
        return z_score_fusion(rankings, missing)

    def _ancestors(self, index: Index, found: Sequence[_Found]) -> dict[str, dict[int, str]]:
        """For each node that was found, the ids of its ancestors by level, as far up as they are asked for."""
        nodes = {hit.node.node_id: hit.node for lists in found for hits in lists for hit in hits}
        if not self.above:
            return {name: {} for name in nodes}
        lines = index.lineages(list(nodes.values()), min(self.above))
        return {name: {f.parent.level: f.parent.node_id for f in line} for name, line in lines.items()}
