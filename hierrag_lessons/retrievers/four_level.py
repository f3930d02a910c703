"""Search summaries, chunks and propositions at once, and return the document's text.

Lesson 17 builds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

from hierrag_lessons.chunkers import Level
from hierrag_lessons.model import Hit, Language, Node, Passage, Span, sort_key
from hierrag_lessons.retrievers.expanding import lineages
from hierrag_lessons.retrievers.passages import best, check_request
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.store import Index, Mode
from hierrag_lessons.store.search import check_mode
from hierrag_lessons.summaries import cited

Expand = Literal["never", "generation", "ambiguous", "always"]
Verdict = Literal["correct", "ambiguous", "incorrect"]

BANDS: Mapping[Language, tuple[float, float]] = {"en": (0.2, 0.5), "zh": (0.05, 0.2)}
"""Below which cosine a hit counts as incorrect, and from which one as correct, with the course's two embedders."""


def grade(score: float, lower: float, upper: float) -> Verdict:
    """Correct from ``upper`` on, incorrect below ``lower``, ambiguous between them.

    The three verdicts are those of corrective RAG (Yan et al., *Corrective Retrieval Augmented Generation*, 2024), in
    which a trained model gives the score.
    """
    return "correct" if score >= upper else "incorrect" if score < lower else "ambiguous"


class _Lead(NamedTuple):
    """A hit, the node whose spans are returned for it, and the score that this has."""

    hit: Hit
    node: Node
    score: float


@dataclass(frozen=True)
class FourLevelRetriever:
    """Search levels of an index made of :func:`~hierrag_lessons.summaries.build_four_levels` in one ranking.

    What is searched is not what is returned. Every hit leads to spans of the document, and ``expand`` says to which:

    - ``"never"``: to what the node stands for; a proposition to its sources.
    - ``"generation"``: a proposition to the chunk that it stands in, everything else to itself, so that a model is
      given whole thoughts.
    - ``"always"``: a proposition to its chunk, a chunk to its section.
    - ``"ambiguous"``: as for generation, but scores are judged, see :func:`grade`. An incorrect hit is dropped. Of an
      ambiguous chunk or proposition the nodes above are judged by their own scores, up to the section: the first one
      that is not ambiguous decides. A correct one is returned in place of the hit, with its own score; an incorrect
      one drops it. Where none decides, the hit stays.

    A node that has not been built, or has no vector to be judged by, is passed over. Nothing leads to a whole document.

    Parameters
    ----------
    index:
        The index.
    levels:
        The levels to search, those that the index has where not given.
    expand:
        As above.
    summaries:
        Where the summary of a section or a document leads to: ``"cited"``, the sentences that it was taken or written
        from, or ``"whole"``, all that it sums up.
    lower, upper:
        The bounds for ``"ambiguous"``, cosines; :data:`BANDS` where not given.
    mode:
        As in ``Index.search_batch``. Only ``"vector"`` has scores that can be judged.

    Raises
    ------
    ValueError
        When it is made, for a level that cannot be searched, an unknown word, bounds in the wrong order, and scores
        that cannot be judged.
    """

    index: Index
    levels: Collection[int] | None = None
    expand: Expand = "generation"
    summaries: Literal["cited", "whole"] = "cited"
    lower: float | None = None
    upper: float | None = None
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        if self.expand not in get_args(Expand):
            raise ValueError(f"expand is {self.expand!r}; give one of {', '.join(get_args(Expand))}")
        if self.summaries not in ("cited", "whole"):
            raise ValueError(f"summaries is {self.summaries!r}; give 'cited' or 'whole'")
        check_mode(self.mode)
        if self.expand == "ambiguous" and self.mode != "vector":
            raise ValueError(f"mode is {self.mode!r}, and its scores have no scale to be judged by; use 'vector'")
        if self.levels is not None and not (set(self.levels) and set(self.levels) <= set(Level)):
            raise ValueError(f"levels is {sorted(self.levels)}; give one or more of {', '.join(map(str, Level))}")
        for level in self.levels or ():
            self.index.check_level(level)
        lower, upper = self.bands
        if not lower <= upper:
            raise ValueError(f"lower is {lower} and upper is {upper}; give numbers, lower no more than upper")

    @property
    def bands(self) -> tuple[float, float]:
        """``lower`` and ``upper``, or what stands for them."""
        lower, upper = BANDS[self.index.language]
        return lower if self.lower is None else self.lower, upper if self.upper is None else self.upper

    def retrieve(self, query: str, k: int = 5) -> list[Passage]:
        """The ``k`` best passages for one query. Raises ``ValueError`` for ``k`` below 1."""
        return self.retrieve_batch([query], k)[0]

    def retrieve_batch(self, queries: Sequence[str], k: int = 5) -> list[list[Passage]]:
        """The ``k`` best passages for each query. Raises ``ValueError`` for ``k`` below 1.

        The table is asked for the hits, once for each level above them, and for the texts of summaries and sources; to
        judge ambiguous hits, once for each query. Where hits share a passage, it is asked again for more.
        """
        check_request(queries, k)
        index = self.index.snapshot()
        found: list[list[Passage]] = [[] for _ in queries]
        waiting, limit = list(range(len(queries))), 3 * k
        levels = sorted(map(int, self.levels or Level))
        while waiting:
            asked = [queries[i] for i in waiting]
            ranked = index.search_batch(asked, limit, mode=self.mode, where={"level": levels})
            for i, passages in zip(waiting, self._passages(index, asked, ranked), strict=True):
                found[i] = best(passages, k)
            # Too many of the hits led to the same text, or to none: look further, unless there is nothing more.
            more = [len(hits) == limit and self._may_count(hits[-1]) for hits in ranked]
            waiting = [i for i, further in zip(waiting, more, strict=True) if further and len(found[i]) < k]
            limit *= 4
        return found

    def _may_count(self, hit: Hit) -> bool:
        """Whether hits behind this one may lead to anything."""
        return self.expand != "ambiguous" or grade(hit.score, *self.bands) != "incorrect"

    def _passages(
        self, index: Index, queries: Sequence[str], ranked: Sequence[Sequence[Hit]]
    ) -> Iterator[list[Passage]]:
        """For each query the passages that its hits lead to."""
        above = self._above(index, [hit.node for hits in ranked for hit in hits])
        asked = zip(queries, ranked, strict=True)
        leads = [_by_target(self._leads(index, query, hits, above)) for query, hits in asked]
        targets = [[Hit(own[0].node, max(lead.score for lead in own)) for own in each.values()] for each in leads]
        for each, passages in zip(leads, resolve_batch(index, targets), strict=True):
            origins = ([lead.hit for hit in p.hits for lead in each[_target(hit.node)]] for p in passages)
            yield [
                replace(passage, hits=tuple(sorted(hits, key=sort_key)))
                for passage, hits in zip(passages, origins, strict=True)
            ]

    def _above(self, index: Index, nodes: Sequence[Node]) -> Mapping[str, Sequence[Node]]:
        """The nodes above those that can be expanded, as far up as may be needed."""
        if self.expand == "never":
            return {}
        lowest = Level.PROPOSITION if self.expand == "generation" else Level.CHUNK
        below = [node for node in nodes if node.level >= lowest]
        if self.expand == "ambiguous":
            return lineages(index, below, Level.SECTION)
        parents = {node.node_id: node for node in index.parents(below) if node.level >= Level.SECTION}
        return {node.node_id: [parents[node.parent_id]] for node in below if node.parent_id in parents}

    def _leads(
        self, index: Index, query: str, hits: Sequence[Hit], above: Mapping[str, Sequence[Node]]
    ) -> Iterator[_Lead]:
        """Where each hit leads to; nowhere where it is dropped."""
        own = (_Lead(hit, self._stands_for(hit.node, above.get(hit.node.node_id, ())), hit.score) for hit in hits)
        if self.expand != "ambiguous":
            yield from own
            return
        lower, upper = self.bands
        unsure = [hit.node.node_id for hit in hits if grade(hit.score, lower, upper) == "ambiguous"]
        names = sorted({node.node_id for node_id in unsure for node in above.get(node_id, ())})
        found = index.search(query, len(names), where={"node_id": names}) if names else []
        scores = {hit.node.node_id: hit.score for hit in found}
        for lead in own:
            parents = (node for node in above.get(lead.hit.node.node_id, ()) if node.node_id in scores)
            tries = [lead, *(_Lead(lead.hit, node, scores[node.node_id]) for node in parents)]
            verdicts = [(grade(each.score, lower, upper), each) for each in tries]
            verdict, decisive = next((pair for pair in verdicts if pair[0] != "ambiguous"), ("correct", lead))
            if verdict == "correct":
                yield decisive

    def _stands_for(self, node: Node, parents: Sequence[Node]) -> Node:
        """The node whose spans are returned for a hit on ``node`` that was not judged."""
        if node.level <= Level.SECTION:
            return replace(node, sources=cited(node)) if self.summaries == "cited" else node
        return parents[0] if parents and (self.expand == "always" or node.level == Level.PROPOSITION) else node


def _target(node: Node) -> tuple[str, tuple[Span, ...]]:
    """A section can be returned whole, and for its own summary with what that cites only."""
    return node.node_id, node.spans


def _by_target(leads: Iterable[_Lead]) -> dict[tuple[str, tuple[Span, ...]], list[_Lead]]:
    targets: dict[tuple[str, tuple[Span, ...]], list[_Lead]] = {}
    for lead in leads:
        targets.setdefault(_target(lead.node), []).append(lead)
    return targets
