"""The search through all levels.

Lesson 18 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage, Where, both, sort_key
from hierrag_lessons.model.filters import frozen
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request, check_rights, documents_inside
from hierrag_lessons.retrievers.coarse_to_fine.constraint import combine, constraint_values
from hierrag_lessons.retrievers.coarse_to_fine.level import (
    PREVIOUS,
    IndexLevel,
    LevelConfig,
    LevelRetriever,
    check_levels,
)
from hierrag_lessons.retrievers.coarse_to_fine.trace import LevelTrace, Trace
from hierrag_lessons.retrievers.passages import best
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.store import Index


@dataclass(frozen=True)
class CoarseToFineRetriever(BatchRetriever):
    r"""Search level by level; what one level keeps is where a later one looks.

    >>> from dataclasses import replace
    >>> from hierrag_lessons import CharNgramEmbedder, Document, RecursiveChunker, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run.\n\nFish swim.")
    >>> tree = build_hierarchy(document, [RecursiveChunker(24, measure=len), SentenceChunker(12, measure=len)])
    >>> pets = replace(tree, searched=frozenset({1, 2}))
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     paragraphs = LevelConfig("paragraph", IndexLevel(index, 1), top_k=1)
    ...     sentences = LevelConfig("sentence", IndexLevel(index, 2), top_k=5, constrain_by="previous")
    ...     [passage.text for passage in CoarseToFineRetriever([paragraphs, sentences]).retrieve("dogs run")]
    ['Dogs run.', 'Cats sleep.']

    For each level in order: take what the constraining level kept, turn it into a filter, add the base filter, search,
    drop what scores below the threshold, sort by ``sort_key``. Where nothing can pass a level's filter, because the
    constraining level kept nothing or the base filter excludes all of it, the query has no results and no later level
    is searched. That holds for levels behind the output level, too.

    A level keeps at most its ``top_k`` nodes, whatever ``k`` is. So a query has at most ``k`` passages, at most
    ``final_top_k``, and no more than the output level keeps: to fill 4,000 tokens with leaves of 100, give that level a
    ``top_k`` of well over 40, and the coarse levels one that leaves it as many to find. The passages for a small ``k``
    are the first of those for a larger one.

    To turn first: each level's ``top_k``, then ``output_level``.

    Parameters
    ----------
    levels:
        From coarse to fine, each with a name of its own. The first has no constraint.
    output_level:
        The level that is returned; ``None`` for the last one.
    final_top_k:
        The most passages, 1 or more; ``None`` for no limit but ``k``.
    where:
        A filter for all levels, as in ``Index.search_batch``; a node must pass it and the level's constraint.

    Raises
    ------
    ValueError
        When it is made without levels; with a name twice; with a first level that is constrained, or a level that is
        constrained by itself, a later one or one that does not exist; with a ``filter_key`` that could let nothing
        through; with an ``output_level`` that does not exist; with a ``final_top_k`` below 1 or an impossible filter;
        with levels of different permissions.
    """

    levels: Sequence[LevelConfig]
    output_level: str | None = None
    final_top_k: int | None = None
    where: Where | None = None

    def __post_init__(self) -> None:
        check_levels(self.levels, self.output_level)
        check_rights(*self.levels)
        checks.whole("final_top_k", self.final_top_k, 1, none="no limit but k")
        for level in self.levels:
            level.retriever.index.check_where(self.where)
        object.__setattr__(self, "levels", tuple(self.levels))

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The best passages for each query, at most ``k``.

        Queries with the same filter are searched together. The table is asked once for the first level, then at each
        level once for each *different* filter, which is once a query where they all differ, and not once for each id.
        (By text it is once for each query anyway.) Look-ups of nodes below kept ones are shared by all queries. Each
        query is embedded once for all levels of an index.
        """
        return [list(trace.passages) for trace in self.trace_batch(queries, k, where)]

    def trace(self, query: str, k: int = 5, where: Where | None = None) -> Trace:
        """The search for one query with all its steps."""
        checks.text("query", query)
        return self.trace_batch([query], k, where)[0]

    def trace_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[Trace]:
        """The search for each query with all its steps.

        The output level keeps to ``where``, and the other levels to the documents that hold something inside it.
        """
        check_request(queries, k, where)
        searches = _pinned([level.retriever for level in self.levels])
        output = self.output_level or self.levels[-1].name
        index = next(search.index for level, search in zip(self.levels, searches, strict=True) if level.name == output)
        inside, documents = both(self.where, where), both(self.where, documents_inside(index, where))
        steps: dict[str, list[LevelTrace]] = {}
        going = [True] * len(queries)
        for level, search in zip(self.levels, searches, strict=True):
            base = inside if level.name == output else documents
            steps[level.name] = _prepare(level, search, steps, going, base)
            going = [step.state == "searched" for step in steps[level.name]]
            steps[level.name] = _search(search, queries, steps[level.name])
        kept = [step.kept if alive else () for step, alive in zip(steps[output], going, strict=True)]
        limit = k if self.final_top_k is None else min(k, self.final_top_k)
        return [
            Trace(query, tuple(steps[name][i] for name in steps), output, tuple(best(passages, limit)))
            for i, (query, passages) in enumerate(zip(queries, resolve_batch(index, kept), strict=True))
        ]


def _prepare(
    level: LevelConfig,
    search: LevelRetriever,
    steps: dict[str, list[LevelTrace]],
    going: Sequence[bool],
    base: Where,
) -> list[LevelTrace]:
    """For each query, what the level will be asked, or why it will not be."""
    if level.constrain_by is None:
        where = dict(frozen(base)) or None
        return [LevelTrace(level, "searched" if alive else "not reached", where=where) for alive in going]
    above = [*steps][-1] if level.constrain_by == PREVIOUS else level.constrain_by
    kept = [step.kept if alive else () for step, alive in zip(steps[above], going, strict=True)]
    allowed = constraint_values(level.filter_key, kept, search.index, search.level)
    prepared: list[LevelTrace] = []
    for alive, values in zip(going, allowed, strict=True):
        where = combine(base, level.filter_key, values)
        if not alive:
            prepared.append(LevelTrace(level, "not reached", above))
        elif where is None:
            prepared.append(LevelTrace(level, "short-circuited", above, values))
        else:
            prepared.append(LevelTrace(level, "searched", above, values, where))
    return prepared


def _search(search: LevelRetriever, queries: Sequence[str], steps: Sequence[LevelTrace]) -> list[LevelTrace]:
    """Search the level, once for all queries that have the same filter."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for i, step in enumerate(steps):
        if step.state == "searched":
            groups.setdefault(tuple((step.where or {}).items()), []).append(i)
    done = list(steps)
    for group in groups.values():
        level, where = steps[group[0]].level, steps[group[0]].where
        found = search.search_batch([queries[i] for i in group], level.top_k, where)
        for i, hits in zip(group, found, strict=True):
            ranked = tuple(sorted(hits, key=sort_key)[: level.top_k])
            done[i] = replace(steps[i], found=ranked, kept=tuple(hit for hit in ranked if _passes(hit, level)))
    return done


def _passes(hit: Hit, level: LevelConfig) -> bool:
    return level.score_threshold is None or hit.score >= level.score_threshold


def _pinned(retrievers: Sequence[LevelRetriever]) -> list[LevelRetriever]:
    """The levels of each index on one snapshot of it, for one batch; others are taken as they are."""
    indexes = {id(each.index): each.index for each in retrievers if isinstance(each, IndexLevel)}
    snapshots: dict[int, Index] = {name: index.snapshot() for name, index in indexes.items()}
    return [
        replace(each, index=snapshots[id(each.index)]) if isinstance(each, IndexLevel) else each for each in retrievers
    ]
