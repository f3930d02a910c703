"""Search summaries, chunks and propositions at once, and return the document's text.

Lesson 17 builds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from hierrag_lessons import checks
from hierrag_lessons.chunkers import Level
from hierrag_lessons.model import Hit, Language, Node, Passage, Span, Where, both, sort_key
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request, check_search, search_until
from hierrag_lessons.retrievers.passages import best
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.store import Index, Mode
from hierrag_lessons.summaries import cited

Expand = Literal["never", "generation", "ambiguous", "always"]
Grade = Literal["correct", "ambiguous", "incorrect"]
SummaryText = Literal["cited", "whole"]

BANDS: Mapping[Language, tuple[float, float]] = {"en": (0.2, 0.5), "zh": (0.05, 0.2)}
"""Below which cosine a hit counts as incorrect, and from which one as correct, with the course's two embedders."""


def grade(score: float, lower: float, upper: float) -> Grade:
    """Correct from ``upper`` on, incorrect below ``lower``, ambiguous between them.

    The three grades are those of corrective RAG (Yan et al., *Corrective Retrieval Augmented Generation*, 2024), in
    which a trained model gives the score.
    """
    return "correct" if score >= upper else "incorrect" if score < lower else "ambiguous"


class _Lead(NamedTuple):
    """A hit, the node whose spans are returned for it, and the score that this has."""

    hit: Hit
    node: Node
    score: float


@dataclass(frozen=True)
class FourLevelRetriever(BatchRetriever):
    """Search levels of an index made of :func:`~hierrag_lessons.summaries.build_four_levels` in one ranking.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, build_four_levels, temporary_index
    >>> pets = build_four_levels(Document("pets", "Cats sleep all day. Dogs run in the rain."))
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     FourLevelRetriever(index, expand="never").retrieve("running dogs", k=1)[0].text
    'Dogs run in the rain.'

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

    To turn first: ``levels``, then ``expand``.

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
    summaries: SummaryText = "cited"
    lower: float | None = None
    upper: float | None = None
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        check_search(self.index, None, self.mode)
        checks.one_of("expand", self.expand, Expand)
        checks.one_of("summaries", self.summaries, SummaryText)
        if self.expand == "ambiguous" and self.mode != "vector":
            raise ValueError(f"mode is {self.mode!r}, and its scores have no scale to be judged by; use 'vector'")
        if self.levels is not None:
            known = checks.has_members(self.levels) and all(level in tuple(Level) for level in self.levels)
            if not known or not len(self.levels):
                raise ValueError(f"levels is {self.levels!r}; give one or more of {', '.join(map(str, Level))}")
            for level in self.levels:
                self.index.check_level(level)
        checks.number("lower", self.lower, none="the bound of the index's language")
        checks.number("upper", self.upper, none="the bound of the index's language")
        lower, upper = self.bands
        if lower > upper:
            raise ValueError(f"lower is {lower} and upper is {upper}; give numbers, lower no more than upper")

    @property
    def bands(self) -> tuple[float, float]:
        """``lower`` and ``upper``, or what stands for them."""
        lower, upper = BANDS[self.index.language]
        return lower if self.lower is None else self.lower, upper if self.upper is None else self.upper

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query.

        The table is asked for the hits, once for each level above them, and for the texts of summaries and sources; to
        judge ambiguous hits, once for each query. Where hits share a passage, it is asked again for more.
        """
        check_request(queries, k, where)
        index = self.index.snapshot()

        def lead(asked: Sequence[str], ranked: Sequence[Sequence[Hit]]) -> Iterator[list[Passage]]:
            return (best(passages, k) for passages in self._passages(index, asked, ranked))

        def search(asked: Sequence[str], limit: int) -> list[list[Hit]]:
            return self._search(index, asked, limit, where)

        return search_until(search, lead, queries, k, first=3 * k)

    def _search(self, index: Index, queries: Sequence[str], limit: int, where: Where | None) -> list[list[Hit]]:
        """The hits that may lead to something."""
        levels = sorted(map(int, self.levels or Level))
        ranked = index.search_batch(queries, limit, mode=self.mode, where=both({"level": levels}, where))
        if self.expand != "ambiguous":
            return ranked
        return [[hit for hit in hits if grade(hit.score, *self.bands) != "incorrect"] for hits in ranked]

    def _passages(
        self, index: Index, queries: Sequence[str], ranked: Sequence[Sequence[Hit]]
    ) -> Iterator[list[Passage]]:
        """For each query the passages that its hits lead to, each with all the hits that lead to it."""
        above = self._above(index, [hit.node for hits in ranked for hit in hits])
        by_target: list[dict[_Target, list[_Lead]]] = []
        for query, hits in zip(queries, ranked, strict=True):
            targets: dict[_Target, list[_Lead]] = {}
            for lead in self._leads(index, query, hits, above):
                targets.setdefault(_target(lead.node), []).append(lead)
            by_target.append(targets)
        # Each target is looked up as if it had been hit itself, with the best score of what leads to it.
        rankings = [
            [Hit(leads[0].node, max(lead.score for lead in leads)) for leads in targets.values()]
            for targets in by_target
        ]
        for targets, passages in zip(by_target, resolve_batch(index, rankings), strict=True):
            yield [replace(passage, hits=_origins(passage, targets)) for passage in passages]

    def _above(self, index: Index, nodes: Sequence[Node]) -> Mapping[str, Sequence[Node]]:
        """The nodes above those that can be expanded, the nearest first, as far up as may be needed."""
        if self.expand == "never":
            return {}
        lowest = Level.PROPOSITION if self.expand == "generation" else Level.CHUNK
        below = [node for node in nodes if node.level >= lowest]
        # Only judging goes further up than the next node.
        if self.expand == "ambiguous":
            lines = index.lineages(below, Level.SECTION)
        else:
            parents = {family.parent.node_id: family for family in index.families(below)}
            lines = {node.node_id: [parents[node.parent_id]] for node in below if node.parent_id is not None}
        return {
            name: [family.parent for family in line if family.parent.level >= Level.SECTION]
            for name, line in lines.items()
        }

    def _leads(
        self, index: Index, query: str, hits: Sequence[Hit], above: Mapping[str, Sequence[Node]]
    ) -> Iterator[_Lead]:
        """Where each hit leads to; nowhere where it is dropped."""
        own = [_Lead(hit, self._stands_for(hit.node, above.get(hit.node.node_id, ())), hit.score) for hit in hits]
        if self.expand != "ambiguous":
            yield from own
            return
        lower, upper = self.bands
        unsure = [hit.node.node_id for hit in hits if grade(hit.score, lower, upper) == "ambiguous"]
        judges = sorted({node.node_id for node_id in unsure for node in above.get(node_id, ())})
        found = index.search(query, len(judges), where={"node_id": judges}) if judges else []
        scores = {hit.node.node_id: hit.score for hit in found}
        for lead in own:
            # The hit itself, then the nodes above it: the first that is sure decides. Where none is, the hit stays.
            parents = (node for node in above.get(lead.hit.node.node_id, ()) if node.node_id in scores)
            line = [lead, *(_Lead(lead.hit, node, scores[node.node_id]) for node in parents)]
            grades = [grade(each.score, lower, upper) for each in line]
            sure = next((i for i, given in enumerate(grades) if given != "ambiguous"), None)
            if sure is None:
                yield lead
            elif grades[sure] == "correct":
                yield line[sure]

    def _stands_for(self, node: Node, parents: Sequence[Node]) -> Node:
        """The node whose spans are returned for a hit on ``node`` that was not judged."""
        if node.level <= Level.SECTION:
            return replace(node, sources=cited(node)) if self.summaries == "cited" else node
        return parents[0] if parents and (self.expand == "always" or node.level == Level.PROPOSITION) else node


# A section can be returned whole, and for its own summary with what that cites only.
_Target = tuple[str, tuple[Span, ...]]


def _target(node: Node) -> _Target:
    return node.node_id, node.spans


def _origins(passage: Passage, targets: Mapping[_Target, Sequence[_Lead]]) -> tuple[Hit, ...]:
    """The hits that led to the targets that a passage was made of, best first."""
    hits = [lead.hit for target in passage.hits for lead in targets[_target(target.node)]]
    return tuple(sorted(hits, key=sort_key))
