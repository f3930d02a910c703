"""A fixed policy that walks down an outline by keywords, and no language model.

Lesson 22 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.agents.outline import contents_of, title_of
from hierrag_lessons.model import Hit, Node, Passage, Where
from hierrag_lessons.ranking import BM25, count_terms
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request
from hierrag_lessons.retrievers.passages import best, to_passage
from hierrag_lessons.store import Index, Tree
from hierrag_lessons.text import terms

Sight = Literal["headings", "summaries", "text"]
"""What is seen of a section before it is opened: its headings, these and its summary, or these and all its words."""


@dataclass(frozen=True)
class Step:
    """One level of a walk: how many sections were looked at, and those that were kept, best first."""

    level: int
    looked_at: tuple[Node, ...]
    kept: tuple[Hit, ...]


@dataclass(frozen=True)
class Walk:
    """The way of one question down the outline, level by level."""

    query: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        lines = [self.query]
        for step in self.steps:
            lines.append(f"level {step.level}: {len(step.looked_at)} looked at, {len(step.kept)} kept")
            lines += [f"  {hit.score:.3f}  {title_of(hit.node)}  ({hit.node.node_id})" for hit in step.kept[:3]]
        return "\n".join(lines)


@dataclass(frozen=True)
class OutlinePolicy(BatchRetriever):
    r"""Descend the outline by BM25: look at the entries of one level, keep the best, look at what lies in those.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, StructureChunker, build_hierarchy, temporary_index
    >>> text = "# Pets\n\n## Cats\n\nCats sleep all day in the sun.\n\n## Dogs\n\nDogs run on the beach."
    >>> pets = build_hierarchy(Document("pets", text, "markdown"), [StructureChunker(16, 1)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     OutlinePolicy(index).retrieve("What do dogs do?", k=1)[0].text
    '## Dogs\n\nDogs run on the beach.'

    It reads what a model would be shown, and understands nothing: it stands in for a model where there is none, and any
    model has to beat it. Each level has its own statistics of words. What has no word of the query is not opened, so
    there can be fewer than ``k`` passages, however large ``k`` is.

    To turn first: ``sees``, then ``beam``.

    Parameters
    ----------
    index:
        An index of hierarchies. Their nodes are kept in memory, and read anew after each commit.
    beam:
        How many sections are kept on each level above the one that is returned.
    level:
        The level that is returned, ``None`` for the lowest.
    sees:
        What is known of a section that was not opened: ``"headings"``, ``"summaries"`` (these and the headings), or
        ``"text"``, all its words, as a keyword index of each level knows them.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    index: Index
    beam: int = 10
    level: int | None = None
    sees: Sight = "summaries"

    def __post_init__(self) -> None:
        checks.able("index", self.index, "snapshot")
        checks.whole("beam", self.beam, 1)
        checks.one_of("sees", self.sees, Sight)
        depth = self.index.depth
        checks.whole("level", self.level, 0, depth or None, none="the lowest")

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages of those that the walk for each query reaches."""
        check_request(queries, k, where)
        return [_passages(walk.steps[-1].kept, k) if walk.steps else [] for walk in self._walks(queries, where)]

    def walk(self, query: str, where: Where | None = None) -> Walk:
        """The way of one query; the last step keeps all that it reached. Raises ``ValueError`` as ``retrieve`` does."""
        checks.text("query", query)
        check_request([query], 1, where)
        return next(self._walks([query], where))

    def _walks(self, queries: Sequence[str], where: Where | None) -> Iterator[Walk]:
        tree = self.index.snapshot().tree()
        bottom = len(tree.levels) - 1 if self.level is None else min(self.level, len(tree.levels) - 1)
        signs = tree.remember(_Signs)
        inside = tree.inside(where)
        returned = None if inside is None or not tree.levels else {node.node_id for node in tree.levels[bottom]}
        allowed = None if inside is None or returned is None else tree.lineage(inside & returned)
        for query in queries:
            asked = terms(query, tree.language)
            yield Walk(query, tuple(self._steps(tree, signs, asked, bottom, allowed)))

    def _steps(
        self, tree: Tree, signs: _Signs, asked: Sequence[str], bottom: int, allowed: frozenset[str] | None
    ) -> Iterator[Step]:
        opened: set[str | None] = {None}
        for level in range(bottom + 1):
            nodes = tree.levels[level]
            seen = [
                place
                for place, node in enumerate(nodes)
                if node.parent_id in opened and (allowed is None or node.node_id in allowed)
            ]
            scores = signs.scores(level, self.sees, asked)
            ranked = sorted(seen, key=lambda place: (-scores[place], place))
            kept = [place for place in ranked if scores[place] > 0] if level == bottom else ranked[: self.beam]
            hits = tuple(Hit(nodes[place], float(scores[place])) for place in kept)
            yield Step(level, tuple(nodes[place] for place in seen), hits)
            opened = {hit.node.node_id for hit in hits}


def _passages(kept: Sequence[Hit], k: int) -> list[Passage]:
    """The ``k`` best, of several nodes with one span only the best."""
    distinct: dict[tuple[str, int, int], Hit] = {}
    for hit in kept:
        distinct.setdefault((hit.doc_id, *hit.node.span), hit)
    return best([to_passage(hit.node, hit.score, [hit]) for hit in list(distinct.values())[:k]], k)


class _Signs:
    """What each entry of an outline says, counted for BM25, level by level."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree.levels, tree.language
        self.contents = contents_of(tree)
        self._made: dict[tuple[int, Sight], tuple[BM25, dict[str, int]]] = {}

    def scores(self, level: int, sees: Sight, asked: Sequence[str]) -> np.ndarray:
        """One score between 0 and 1 for each node of the level."""
        levels, language = self.tree
        if (level, sees) not in self._made:
            counts, columns = count_terms([terms(self._said(node, sees), language) for node in levels[level]])
            self._made[level, sees] = BM25(counts), columns
        bm25, columns = self._made[level, sees]
        # Sums of float32 differ in their last digits from machine to machine, and ties must not.
        return np.round(bm25.scores([columns[term] for term in asked if term in columns]), 6)

    def _said(self, node: Node, sees: Sight) -> str:
        title = f"{node.doc_id} {title_of(node)}" if node.level == 0 else title_of(node)
        if sees == "headings":
            return title
        return f"{title}\n{node.text if sees == 'text' else self.contents.entry(node.node_id).summary}"
