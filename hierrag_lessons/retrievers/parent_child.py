"""Search small, return large: children are searched, their parents are returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hierrag_lessons.hierarchy import Hit, Node
from hierrag_lessons.retrievers.passages import best, check_k, to_passage
from hierrag_lessons.spans import Passage
from hierrag_lessons.store import Index, Mode, check_mode


@dataclass(frozen=True)
class ParentChildRetriever:
    """Search the children, score their parents, return each parent once.

    A parent scores ``alpha * max + (1 - alpha) * mean`` of the scores of its children that were hit, plus ``coverage``
    times the share of its children that were hit. BM25 and fused scores have no scale of their own, so in the modes
    ``text`` and ``hybrid`` they are first divided by the query's best.

    Parameters
    ----------
    index:
        The index. Parents need not be searchable.
    child_level:
        A searchable level below the document; ``None`` for all of them.
    children:
        How many children to search for each query. At most as many parents can be found.
    alpha:
        Weight of the best child against the mean, 0 to 1.
    coverage:
        Weight of the share of children hit, 0 or more.
    mode:
        As in ``Index.search_batch``.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    index: Index
    child_level: int | None = None
    children: int = 30
    alpha: float = 0.7
    coverage: float = 0.3
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        if self.children < 1:
            raise ValueError(f"children is {self.children}; search for at least 1 child")
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha is {self.alpha}; give a weight from 0 to 1")
        if not 0 <= self.coverage < float("inf"):
            raise ValueError(f"coverage is {self.coverage}; give a weight of 0 or more")
        if self.child_level == 0:
            raise ValueError("child_level is 0; a whole document has no parent, give a level of 1 or more")
        check_mode(self.mode)
        self.index.check_level(self.child_level)

    def retrieve(self, query: str, k: int = 5) -> list[Passage]:
        """The ``k`` best parents for one query. Raises ``ValueError`` for ``k`` below 1."""
        return self.retrieve_batch([query], k)[0]

    def retrieve_batch(self, queries: Sequence[str], k: int = 5) -> list[list[Passage]]:
        """The ``k`` best parents for each query. Raises ``ValueError`` for ``k`` below 1.

        However many queries there are, the table is asked for hits (by text: once for each query), for their parents
        and for the numbers of children once.
        """
        check_k(k)
        index = self.index.snapshot()
        ranked = index.search_batch(queries, self.children, mode=self.mode, level=self.child_level)
        parents = {node.node_id: node for node in index.parents([hit.node for hits in ranked for hit in hits])}
        counts = dict(zip(parents, index.child_counts(list(parents.values())), strict=True))
        return [self._passages(hits, parents, counts, k) for hits in ranked]

    def _passages(
        self, hits: Sequence[Hit], parents: Mapping[str, Node], counts: Mapping[str, int], k: int
    ) -> list[Passage]:
        families: dict[str, list[Hit]] = {}
        for hit in hits:
            if hit.node.parent_id is not None:
                families.setdefault(hit.node.parent_id, []).append(hit)
        unit = 1.0 if self.mode == "vector" or not hits else hits[0].score
        return best(
            (
                to_passage(parents[node_id], self._score(family, counts[node_id], unit), family)
                for node_id, family in families.items()
            ),
            k,
        )

    def _score(self, family: Sequence[Hit], children: int, unit: float) -> float:
        scores = [hit.score / unit for hit in family]
        mean = sum(scores) / len(scores)
        return self.alpha * max(scores) + (1 - self.alpha) * mean + self.coverage * len(scores) / children
