"""Segments: the runs of neighbouring chunks in which the most was found, without any tree.

Lesson 15 uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage, Span, Where, sort_key
from hierrag_lessons.ranking.fusion import min_max_scaling
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request, check_search
from hierrag_lessons.retrievers.passages import best
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.store import Index, Mode


@dataclass(frozen=True)
class SegmentRetriever(BatchRetriever):
    r"""Search the leaves; return the runs of neighbours in which the most was found, with what lies between the hits.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, SentenceChunker, build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run. Rain fell. Dogs ran. Fish swim.")
    >>> pets = build_hierarchy(document, [SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     SegmentRetriever(index, penalty=0.2).retrieve("dogs run", k=1)[0].text
    'Dogs run. Rain fell. Dogs ran.'

    A leaf is worth its score minus a penalty: scores are scaled so that the best hit of the query has 1 and the worst
    0, and a leaf that was not found has 0. A run of neighbours is worth the sum of its leaves. The run worth most is a
    segment; then the one worth most among what is left, and so on, until every hit is in a segment. So a gap between
    two good hits is filled where both are worth more than the gap costs, and a poor hit stays alone. **A segment scores
    as its best hit does**, and has the context of that hit.

    Unlike merging it needs no parents: a segment begins and ends where something was found, across headings. Where
    more passages are asked for than ``candidates``, as many leaves are searched. Of a derived node, such as a summary,
    what it stands for is returned as it is.

    To turn first: ``penalty``, then ``candidates``.

    Parameters
    ----------
    index:
        The index.
    level:
        The searchable level to search; ``None`` for all of them, each with runs of its own.
    penalty:
        From 0 to 1, what a leaf costs in a run. High: hits alone; at 0 whatever lies between two hits is filled.
    longest:
        So many leaves has a segment at most.
    candidates:
        How many leaves to search at least for each query; the scale of the scores is made from them.
    mode:
        As in ``Index.search_batch``.

    Raises ``ValueError`` when made with a parameter out of its range.

    Method: "relevant segment extraction" of dsRAG (2024), which scales by rank, and ranks the segments by their sums.
    """

    index: Index
    level: int | None = None
    penalty: float = 0.5
    longest: int = 10
    candidates: int = 50
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        check_search(self.index, self.level, self.mode)
        checks.share("penalty", self.penalty)
        checks.whole("longest", self.longest, 1)
        checks.whole("candidates", self.candidates, 1)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query.

        However many queries and hits there are, the table is asked for the hits (by text: once for each query) and once
        for the texts of segments with several hits, and of what derived nodes stand for.
        """
        check_request(queries, k, where)
        index, limit = self.index.snapshot(), max(self.candidates, k)
        ranked = index.search_batch(queries, limit, mode=self.mode, level=self.level, where=where)
        found = [list(self._segments(hits)) for hits in ranked]
        wide = {(doc_id, span) for segments in found for doc_id, span, hits in segments if len(hits) > 1}
        places = sorted(wide)
        texts = dict(zip(places, index.slices(places), strict=True)) if places else {}
        alone = resolve_batch(index, [[hits[0] for *_, hits in segments if len(hits) == 1] for segments in found])
        return [
            best([*single, *(_passage(segment, texts) for segment in segments if len(segment.hits) > 1)], k)
            for single, segments in zip(alone, found, strict=True)
        ]

    def _segments(self, hits: Sequence[Hit]) -> Iterator[_Segment]:
        """The segments of one query's hits, in no order; a derived hit is one by itself."""
        rows: dict[tuple[str, int], list[tuple[Hit, float]]] = {}
        for hit, value in zip(hits, min_max_scaling([hit.score for hit in hits]), strict=True):
            if hit.node.derived:
                yield _Segment(hit.doc_id, hit.node.span, (hit,))
            else:
                rows.setdefault((hit.doc_id, hit.node.level), []).append((hit, value))
        for row in rows.values():
            row.sort(key=lambda pair: pair[0].node.position)
            placed = [(hit.node.position, value) for hit, value in row]
            for first, last in find_runs(placed, self.penalty, self.longest):
                own = tuple(sorted((hit for hit, _ in row[first : last + 1]), key=sort_key))
                span = Span(min(hit.start for hit in own), max(hit.end for hit in own))
                yield _Segment(own[0].doc_id, span, own)


def find_runs(values: Sequence[tuple[int, float]], penalty: float, longest: int) -> list[tuple[int, int]]:
    """The runs worth most, one after the other, until each of the values is in one.

    >>> find_runs([(0, 1.0), (2, 0.8), (3, 0.1), (9, 0.7)], penalty=0.3, longest=5)
    [(0, 1), (3, 3), (2, 2)]

    Parameters
    ----------
    values:
        Positions, ascending, and what was found there; at all positions between them that is 0.
    penalty:
        What each position in a run costs, those between the values as well.
    longest:
        So many positions has a run at most.

    Returns
    -------
    list[tuple[int, int]]
        Indices of the first and the last value of each run, the run worth most first. Of equal ones the shorter is
        taken, then the earlier.
    """
    runs: list[tuple[float, int, int, int]] = []
    for first, (start, _) in enumerate(values):
        worth, before = 0.0, start - 1
        for last, (position, value) in enumerate(values[first:], first):
            if position - start >= longest:
                break
            worth += value - penalty * (position - before)
            before = position
            runs.append((-worth, position - start, first, last))
    free = [True] * len(values)
    taken: list[tuple[int, int]] = []
    for *_, first, last in sorted(runs):
        if all(free[first : last + 1]):
            free[first : last + 1] = [False] * (last + 1 - first)
            taken.append((first, last))
    return taken


class _Segment(NamedTuple):
    """A span of a document with the hits in it, best first."""

    doc_id: str
    span: Span
    hits: tuple[Hit, ...]


def _passage(segment: _Segment, texts: Mapping[tuple[str, Span], str]) -> Passage:
    doc_id, span, hits = segment
    return Passage(doc_id, *span, texts[doc_id, span], hits[0].node.context, hits[0].score, hits)
