"""Multi-level scoring: small units come back, and every level that they lie in speaks for their score.

Lesson 20 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage, Where, sort_key
from hierrag_lessons.ranking import Stop
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request
from hierrag_lessons.retrievers.multi_level.levels import levels_of
from hierrag_lessons.retrievers.multi_level.meaning import MEANING, meaning_of
from hierrag_lessons.retrievers.multi_level.selecting import (
    FIRST,
    Joined,
    Scored,
    best_first,
    covering,
    join,
    lifted,
)
from hierrag_lessons.retrievers.multi_level.trace import LevelScores, MultiLevelTrace, UnitTrace
from hierrag_lessons.retrievers.passages import with_fields
from hierrag_lessons.store import Index, Units
from hierrag_lessons.text import terms


@dataclass(frozen=True)
class MultiLevelRetriever(BatchRetriever):
    """Return sentences, and score each by itself, its neighbours, its surroundings and its section together.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, make_units, temporary_index
    >>> document = Document("pets", "Cats sleep for most of the day, wherever the sun happens to fall on the floor. "
    ...     "Dogs run, and they do it best on a long beach in the early hours of the morning.")
    >>> pets = make_units(build_hierarchy(document, [SentenceChunker(40)]))
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     MultiLevelRetriever(index).retrieve("running dogs", k=1)[0].text[:9]
    'Dogs run,'

    A sentence is the right thing to return and too short to be matched: its neighbours and its section hold the
    question's other words. So a unit's score is the mean, over the levels that it lies in, of

        BM25, 0 to 1, with this level's own statistics + half of the cosine of the level's vector

    The levels are the unit, it with one neighbour on each side, with five, and the section above its leaf. Only units
    are embedded; a level's vector is the sum of its units', each times the root of its characters.

    Then a unit is lifted towards the best of its leaf, and the best 40 are picked one after the other, each for its
    score and for the words of the query that are still missing. Units that follow each other in rank as they do in
    the text are one passage.

    To turn first: ``lift``, then ``stop``.

    Parameters
    ----------
    index:
        An index of hierarchies from :func:`~hierrag_lessons.chunkers.make_units`. What lies in them is kept in memory,
        about 4 kB for each unit with vectors of 384 numbers, and read anew after each commit. Beyond 100,000 units the
        vectors stay in LanceDB, and candidates are scored: 200 by words, 200 by vector, and all units of the 20 best
        sections.
    lift:
        From 0, sentences come back, to 1, whole leaves: how far a unit is lifted towards the best of its leaf. More
        brings more complete answers where the evidence is dense, and more beside the point where it is thin.
    coverage:
        How much the share of the query's words that no unit before has counts beside a unit's score.
    stop:
        Where to stop, though fewer than ``k`` are found; ``None`` for nowhere.

    Raises ``ValueError`` when made with a parameter out of its range, and when asked of an index without units.
    """

    index: Index
    lift: float = 0.25
    coverage: float = 0.25
    stop: Stop | None = None

    def __post_init__(self) -> None:
        checks.able("index", self.index, "snapshot")
        checks.share("lift", self.lift)
        checks.number("coverage", self.coverage, 0)
        checks.instance("stop", self.stop, Stop, none="nowhere")

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query."""
        check_request(queries, k, where)
        return [list(found.passages) for found in self._search(queries, k, where)]

    def trace(self, query: str, k: int = 5, where: Where | None = None) -> MultiLevelTrace:
        """One query with what each level gave to each unit that was taken. Raises ``ValueError`` as ``retrieve``."""
        checks.text("query", query)
        check_request([query], k, where)
        return next(self._search([query], k, where))

    def _search(self, queries: Sequence[str], k: int, where: Where | None) -> Iterator[MultiLevelTrace]:
        index = self.index.snapshot()
        units = index.units()
        inside = units.inside(where)
        if not len(units) and index.count():
            raise ValueError("the index has no units; add make_units(hierarchy) in place of each hierarchy")
        asked = [query for query in queries if query.strip()]
        vectors = iter(index.embed(asked) if asked and len(units) else ())
        for query in queries:
            if query.strip() and len(units):
                yield _Search(self, units, query, next(vectors), where).run(k, inside)
            else:
                yield MultiLevelTrace(query, (), ())


class _Search:
    """One query on its way from the scores of all units to passages."""

    def __init__(
        self, retriever: MultiLevelRetriever, units: Units, query: str, vector: np.ndarray, where: Where | None
    ) -> None:
        self.retriever, self.units, self.query = retriever, units, query
        known = (units.columns.get(term) for term in terms(query, units.language))
        self.columns = [column for column in known if column is not None]
        self.blind = not self.columns and not vector.any()  # nothing that it says is known
        self.levels = levels_of(units)
        self.words = [level.bm25.scores(self.columns) for level in self.levels]
        self.meaning, self.among = meaning_of(units).said(vector, self.words, where)
        total = np.zeros(len(units))
        for level, words, meaning in zip(self.levels, self.words, self.meaning, strict=True):
            total += (words + MEANING * meaning)[level.node_of]
        # Sums of float32 differ in their last digits from machine to machine, and ties must not.
        self.scores = np.round(total / len(self.levels), 6)
        if self.among is not None:
            self.scores[np.setdiff1d(np.arange(len(units)), self.among, assume_unique=True)] = -1  # below any score
        self.lifted = np.round(lifted(self.scores, units.above[0], retriever.lift), 6)

    def run(self, k: int, inside: np.ndarray | None) -> MultiLevelTrace:
        """The units and passages for this query, of the units ``inside`` a filter, ``None`` for all."""
        candidates = np.arange(len(self.units)) if self.among is None else self.among
        if inside is not None:
            candidates = candidates[inside[candidates]]
        if self.blind or not len(candidates):
            return MultiLevelTrace(self.query, (), ())
        most, joined, taken = FIRST + 4 * k, list[Joined](), list[Scored]()
        while len(joined) < k and len(taken) < len(candidates):
            taken = self._taken(candidates, most)
            joined = join(taken, self.units.follows, k)
            if len(taken) < min(most, len(candidates)):  # the stop rule ended it
                break
            most *= 4
        return self._trace(taken, joined)

    def _taken(self, candidates: np.ndarray, most: int) -> list[Scored]:
        ranked = best_first(candidates, self.lifted[candidates], self.units.above[0][candidates], most)
        ranked = covering(ranked, self._words_of_query(), self.retriever.coverage)
        stop, best = self.retriever.stop, ranked[0].score
        return [unit for unit in ranked if stop is None or stop.allows(unit.score, best)]

    def _words_of_query(self) -> list[tuple[np.ndarray, float]]:
        """Each word of the query: the units that have it, and its share of the query's idf."""
        bm25 = self.levels[0].bm25
        distinct = list(dict.fromkeys(self.columns))
        total = bm25.idf[distinct].sum()
        return [(bm25.with_term(column)[0], float(bm25.idf[column] / total)) for column in distinct]

    def _said(self, place: int) -> dict[str, LevelScores]:
        asked = ((level, level.node_of[place], number) for number, level in enumerate(self.levels))
        return {
            level.name: LevelScores(float(self.words[number][node]), float(self.meaning[number][node]))
            for level, node, number in asked
        }

    def _trace(self, taken: Sequence[Scored], joined: Sequence[Joined]) -> MultiLevelTrace:
        used = {place for first, last, _ in joined for place in range(first, last + 1)}
        order = [unit for unit in taken if unit.place in used]
        nodes = dict(zip((unit.place for unit in order), self.units.nodes([u.place for u in order]), strict=True))
        scores = {unit.place: unit.score for unit in order}
        traced = tuple(
            UnitTrace(
                nodes[place],
                self._said(place),
                float(self.scores[place]),
                float(self.lifted[place]),
                score,
            )
            for place, score in order
        )
        passages = (
            to_passage([Hit(nodes[place], scores[place]) for place in range(first, last + 1)])
            for first, last, _ in joined
        )
        return MultiLevelTrace(self.query, traced, tuple(sorted(passages, key=sort_key)))


def to_passage(hits: Sequence[Hit]) -> Passage:
    """Units that follow each other as one passage, without the white space at its end."""
    first = hits[0].node
    text = "".join(hit.node.text for hit in hits).rstrip()
    found = tuple(sorted(hits, key=sort_key))
    return with_fields(
        Passage(first.doc_id, first.start, first.start + len(text), text, first.context, found[0].score, found)
    )
