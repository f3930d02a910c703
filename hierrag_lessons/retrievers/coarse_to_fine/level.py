"""One level of a coarse-to-fine search: what is searched, how much of it is kept, and what constrains it.

Lesson 18 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Where
from hierrag_lessons.retrievers.batches import check_search
from hierrag_lessons.store import Index, Mode

PREVIOUS = "previous"
FilterKey = Literal["doc_id", "parent_id", "node_id"]


class LevelRetriever(Protocol):
    """Anything that searches nodes under a filter. :class:`IndexLevel` does; a reranked search can, too."""

    @property
    def index(self) -> Index:
        """Where the nodes below a node, and the texts behind derived nodes, are looked up."""
        ...

    @property
    def level(self) -> int | None:
        """The level of its nodes in their hierarchy; ``None`` where they may be of any level."""
        ...

    def search_batch(self, queries: Sequence[str], k: int, where: Where | None) -> list[list[Hit]]:
        """The ``k`` best nodes for each query among those that ``where`` allows, as ``Index.search_batch``."""
        ...


@dataclass(frozen=True)
class IndexLevel:
    """One level of an index, searched in one mode.

    ``level`` is a searchable level of the index, ``None`` for all of them; ``mode`` is as in ``Index.search_batch``.

    Raises ``ValueError`` when made with a level that cannot be searched, or with an unknown mode.
    """

    index: Index
    level: int | None = None
    mode: Mode = "vector"

    def __post_init__(self) -> None:
        check_search(self.index, self.level, self.mode)

    def search_batch(self, queries: Sequence[str], k: int = 10, where: Where | None = None) -> list[list[Hit]]:
        """The ``k`` best nodes of the level for each query; see ``Index.search_batch``."""
        return self.index.search_batch(queries, k, mode=self.mode, level=self.level, where=where)


@dataclass(frozen=True)
class LevelConfig:
    """One step from coarse to fine.

    To turn first: ``top_k``, then ``filter_key``.

    Parameters
    ----------
    name:
        Of the level, unique among the levels, for example ``"article"``.
    retriever:
        What searches it. Levels may have different indexes and modes.
    top_k:
        The most nodes that it keeps, 1 or more.
    filter_key:
        How the constraint is written as a filter:

        - ``"parent_id"``: nodes that lie below a kept node, at any depth;
        - ``"doc_id"``: nodes of the documents of the kept nodes;
        - ``"node_id"``: the kept nodes themselves, to score them again in another way.
    constrain_by:
        ``None`` for no constraint, ``"previous"`` for the level before, or the name of any earlier level.
    score_threshold:
        Nodes that score less are dropped; ``None`` keeps all. It is on the scale of the retriever's own scores: a
        cosine is at most 1, BM25 has no upper end, and fused ranks are below 0.04.

    Raises ``ValueError`` for a value out of its range. What depends on the other levels is checked when the retriever
    is made.
    """

    name: str
    retriever: LevelRetriever
    top_k: int
    filter_key: FilterKey = "parent_id"
    constrain_by: str | None = None
    score_threshold: float | None = None

    def __post_init__(self) -> None:
        checks.text("the name of a level", self.name)
        if not self.name.strip() or self.name == PREVIOUS:
            raise ValueError(f"the name of a level is {self.name!r}; give it a name of its own, and not {PREVIOUS!r}")
        checks.able(f"the retriever of level {self.name!r}", self.retriever, "search_batch")
        for member in ("index", "level"):
            if not hasattr(self.retriever, member):
                raise ValueError(
                    f"the retriever of level {self.name!r} has no {member}; give an IndexLevel, or the like"
                )
        checks.whole(f"top_k of level {self.name!r}", self.top_k, 1)
        checks.one_of("filter_key", self.filter_key, FilterKey)
        checks.text("constrain_by", self.constrain_by, none="no constraint")
        checks.number("score_threshold", self.score_threshold, none="all scores")


def check_levels(levels: Sequence[LevelConfig], output_level: str | None) -> None:
    """Raise ``ValueError`` for levels that do not fit together, and an output level that is none of them."""
    names = [level.name for level in checks.each("levels", levels, LevelConfig)]
    if not levels:
        raise ValueError("levels is empty; give at least one LevelConfig")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two levels have the name {name!r}; give each level a name of its own")
    for number, level in enumerate(levels):
        if level.constrain_by is not None:
            _check_constraint(level, _constraining(level, levels, number))
    checks.one_of("output_level", output_level, names, none="the last level")


def _constraining(level: LevelConfig, levels: Sequence[LevelConfig], number: int) -> LevelConfig:
    """The level whose nodes constrain another one, which is the ``number``-th. Raises ``ValueError`` for none."""
    by, earlier = level.constrain_by, {other.name: other for other in levels[:number]}
    if not earlier:
        raise ValueError(
            f"the first level, {level.name!r}, has constrain_by={by!r}; nothing comes before it, so give it None"
        )
    if by == PREVIOUS:
        return levels[number - 1]
    if by not in earlier:
        later = {level.name: "is the level itself"} | {other.name: "comes later" for other in levels[number + 1 :]}
        raise ValueError(
            f"level {level.name!r} has constrain_by={by!r}, which {later.get(str(by), 'is no level')}; "
            f"give None, {PREVIOUS!r}, or an earlier level: {', '.join(earlier)}"
        )
    return earlier[by]


def _check_constraint(level: LevelConfig, above: LevelConfig) -> None:
    """Raise ``ValueError`` where nothing could ever pass a constraint."""
    upper, lower = above.retriever.level, level.retriever.level
    if upper is None or lower is None:
        return
    if level.filter_key == "parent_id" and lower <= upper:
        raise ValueError(
            f"level {level.name!r} searches level {lower} of its hierarchy below nodes of level {upper} from "
            f"{above.name!r}, and there are none; search a deeper level, or use filter_key='doc_id'"
            + (" or 'node_id'" if lower == upper else "")
        )
    if level.filter_key == "node_id" and lower != upper:
        raise ValueError(
            f"level {level.name!r} searches level {lower} of its hierarchy for the very nodes that {above.name!r} "
            f"kept, which are of level {upper}; search the same level, or use filter_key='parent_id' or 'doc_id'"
        )
