"""Search small, return large: children are searched, their parents are returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hierrag_lessons.hierarchy import Hit
from hierrag_lessons.retrievers.passages import best, check_k, to_passage
from hierrag_lessons.spans import Passage
from hierrag_lessons.store import Family, Index, Mode, check_mode


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

        However many queries and hits there are, the table is asked for the hits (by text: once for each query) and,
        once, for their parents.
        """
        check_k(k)
        index = self.index.snapshot()
        ranked = index.search_batch(queries, self.children, mode=self.mode, level=self.child_level)
        families = index.families([hit.node for hits in ranked for hit in hits])
        by_id = {family.parent.node_id: family for family in families}
        return [self._passages(hits, by_id, k) for hits in ranked]

    def _passages(self, hits: Sequence[Hit], families: Mapping[str, Family], k: int) -> list[Passage]:
        found: dict[str, list[Hit]] = {}
        for hit in hits:
            if hit.node.parent_id is not None:
                found.setdefault(hit.node.parent_id, []).append(hit)
        unit = 1.0 if self.mode == "vector" or not hits else hits[0].score
        passages = [
            to_passage(families[node_id].parent, self._score(own, families[node_id].children, unit), own)
            for node_id, own in found.items()
        ]
        return best(passages, k)

    def _score(self, own: Sequence[Hit], children: int, unit: float) -> float:
        scores = [hit.score / unit for hit in own]
        mean = sum(scores) / len(scores)
        return self.alpha * max(scores) + (1 - self.alpha) * mean + self.coverage * len(scores) / children
