"""What each part of multi-level scoring brings: the same sum with parts left out.

``python -m benchmarks.public --ablation`` measures it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierrag_lessons.model import Hit, Passage, Retriever, Where, sort_key
from hierrag_lessons.ranking import Stop
from hierrag_lessons.retrievers import MultiLevelRetriever
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request
from hierrag_lessons.retrievers.multi_level.levels import ancestors, levels_of, speaking_level
from hierrag_lessons.retrievers.multi_level.meaning import MEANING, MeaningOfAll
from hierrag_lessons.retrievers.multi_level.retriever import to_passage
from hierrag_lessons.retrievers.multi_level.selecting import best_first, covering, join
from hierrag_lessons.store import Index, Units
from hierrag_lessons.text import terms

LEVELS = {
    "unit": "the unit",
    "neighbours": "its neighbours",
    "surroundings": "its surroundings",
    "section": "its section",
}
"""The levels, by the names that the retriever gives them."""

PART = 3
"""How many steps above the units the parts are, which speak in one row only."""

GAP, SHARE = 0.405, 0.68
"""The stop rules that are shown: the gap that carries over to other texts, and the most precise share."""

ALL = "all four levels, BM25 and vectors, coverage"


@dataclass(frozen=True)
class PartialSum(BatchRetriever):
    """`MultiLevelRetriever` at lift 0 with some levels, the part too, or BM25 or vectors at another weight.

    With all levels and the weights as they are it returns what that one returns.
    """

    index: Index
    levels: tuple[str, ...] = tuple(LEVELS)
    words: float = 1.0
    meaning: float = MEANING
    coverage: float = 0.25
    part: bool = False

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query."""
        check_request(queries, k, where)
        index = self.index.snapshot()
        units = index.units()
        inside = units.inside(where)
        places = np.arange(len(units)) if inside is None else np.flatnonzero(inside)
        vectors = index.embed(queries)
        levels = [level for level in levels_of(units) if level.name in self.levels]
        if self.part:
            levels.append(speaking_level(units, "part", ancestors(units, PART)))
        said = MeaningOfAll.of(units, levels)
        asked = zip(queries, vectors, strict=True)
        return [self._search(units, said, places, query, vector, k) for query, vector in asked]

    def _search(
        self, units: Units, said: MeaningOfAll, places: np.ndarray, query: str, vector: np.ndarray, k: int
    ) -> list[Passage]:
        known = [units.columns[term] for term in terms(query, units.language) if term in units.columns]
        levels = said.levels
        words = self.words * sum(level.bm25.scores(known)[level.node_of] for level in levels)
        cosines, _ = said.said(vector, [], None)
        meaning = self.meaning * sum(own[level.node_of] for level, own in zip(levels, cosines, strict=True))
        scores = np.round((words + meaning) / len(levels), 6)
        ranked = best_first(places, scores[places], units.above[0][places], len(places))
        bm25 = levels_of(units)[0].bm25
        distinct = list(dict.fromkeys(known))
        total = bm25.idf[distinct].sum()
        has = [(bm25.with_term(column)[0], float(bm25.idf[column] / total)) for column in distinct]
        ranked = covering(ranked, has, self.coverage)
        score_of = {unit.place: unit.score for unit in ranked}
        groups = [range(first, last + 1) for first, last, _ in join(ranked, units.follows, k)]
        nodes = iter(units.nodes([place for group in groups for place in group]))
        passages = (to_passage([Hit(next(nodes), score_of[place]) for place in group]) for group in groups)
        return sorted(passages, key=sort_key)


def variants(index: Index) -> dict[str, Retriever]:
    """Multi-level scoring at lift 0, then with parts left out, with a stop rule, and at other lifts."""
    names = list(LEVELS)
    found: dict[str, Retriever] = {ALL: MultiLevelRetriever(index, lift=0.0)}
    for number in range(1, len(names)):
        title = LEVELS[names[0]] + (" alone" if number == 1 else "".join(f" + {LEVELS[n]}" for n in names[1:number]))
        found[title] = PartialSum(index, tuple(names[:number]))
    for name in names[:-1]:  # without the last, that is the row above
        found[f"without {LEVELS[name]}"] = PartialSum(index, tuple(other for other in names if other != name))
    found |= {
        "and its part": PartialSum(index, part=True),
        "BM25 alone": PartialSum(index, meaning=0.0),
        "vectors alone": PartialSum(index, words=0.0),
        "without coverage": MultiLevelRetriever(index, lift=0.0, coverage=0.0),
        f"stop at a gap of {GAP:g}": MultiLevelRetriever(index, lift=0.0, stop=Stop(gap=GAP)),
        f"stop at a share of {SHARE:g}": MultiLevelRetriever(index, lift=0.0, stop=Stop(share=SHARE)),
    }
    return found | {f"lift {lift:g}": MultiLevelRetriever(index, lift=lift) for lift in (0.25, 0.5, 1.0)}
