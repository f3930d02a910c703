"""One level of a coarse-to-fine search: what is searched, how much of it is kept, and what constrains it.

Lesson 18 builds it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hierrag_lessons.model import Hit
from hierrag_lessons.store import Index, Mode, Where
from hierrag_lessons.store.search import check_mode

PREVIOUS = "previous"
FILTER_KEYS = ("doc_id", "parent_id", "node_id")


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
        check_mode(self.mode)
        self.index.check_level(self.level)

    def search_batch(self, queries: Sequence[str], k: int = 10, where: Where | None = None) -> list[list[Hit]]:
        """The ``k`` best nodes of the level for each query; see ``Index.search_batch``."""
        return self.index.search_batch(queries, k, mode=self.mode, level=self.level, where=where)


@dataclass(frozen=True)
class LevelConfig:
    """One step from coarse to fine.

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

    Raises
    ------
    TypeError
        Where a value has the wrong type.
    ValueError
        Where a value is out of its range. What depends on the other levels is checked when the retriever is made.
    """

    name: str
    retriever: LevelRetriever
    top_k: int
    filter_key: str = "parent_id"
    constrain_by: str | None = None
    score_threshold: float | None = None

    def __post_init__(self) -> None:
        _check_name(self.name)
        _check_retriever(self.retriever)
        check_count(self.top_k, "top_k", f"of level {self.name!r}")
        if not isinstance(self.filter_key, str):
            raise TypeError(f"filter_key is {self.filter_key!r}; give one of {', '.join(FILTER_KEYS)}")
        if self.filter_key not in FILTER_KEYS:
            raise ValueError(f"filter_key is {self.filter_key!r}; it can be one of {', '.join(FILTER_KEYS)}")
        if not isinstance(self.constrain_by, str | None):
            raise TypeError(
                f"constrain_by is {self.constrain_by!r}; give None, {PREVIOUS!r} or the name of an earlier level"
            )
        _check_threshold(self.score_threshold)


def check_count(value: Any, name: str, where: str = "") -> None:
    """Raise ``TypeError`` for anything but a whole number, ``ValueError`` for one below 1."""
    place = f" {where}" if where else ""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}{place} is {value!r}; give a whole number")
    if value < 1:
        raise ValueError(f"{name}{place} is {value}; give 1 or more")


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"the name of a level is {name!r}; give a string")
    if not name.strip() or name == PREVIOUS:
        raise ValueError(f"the name of a level is {name!r}; give it a name of its own, and not {PREVIOUS!r}")


def _check_retriever(retriever: Any) -> None:
    lacking = [name for name in ("index", "level", "search_batch") if not hasattr(retriever, name)]
    if lacking:
        raise TypeError(
            f"the retriever of a level is a {type(retriever).__name__}, which has no {', '.join(lacking)}; "
            "give an IndexLevel, or anything with the same members"
        )


def _check_threshold(threshold: Any) -> None:
    if threshold is None:
        return
    if not isinstance(threshold, int | float) or isinstance(threshold, bool):
        raise TypeError(f"score_threshold is {threshold!r}; give a number, or None to keep all scores")
    if not math.isfinite(threshold):
        raise ValueError(f"score_threshold is {threshold}; give a finite number, or None to keep all scores")
