"""What must hold among the levels of one search, checked when it is made.

Lesson 18 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hierrag_lessons.retrievers.coarse_to_fine.level import PREVIOUS, LevelConfig, check_count
from hierrag_lessons.store.schema import condition


def check_levels(levels: Any, output_level: Any, final_top_k: Any) -> None:
    """Raise ``TypeError`` for values of the wrong type, ``ValueError`` for levels that do not fit together."""
    if not isinstance(levels, Sequence) or isinstance(levels, str):
        raise TypeError(f"levels is a {type(levels).__name__}; give a list of LevelConfig, from coarse to fine")
    for level in levels:
        if not isinstance(level, LevelConfig):
            raise TypeError(f"levels has {level!r}; give a LevelConfig for each level")
    if not levels:
        raise ValueError("levels is empty; give at least one LevelConfig")
    names = [level.name for level in levels]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"two levels have the name {name!r}; give each level a name of its own")
    for place, level in enumerate(levels):
        _check_constraint(level, levels, place)
    if not isinstance(output_level, str | None):
        raise TypeError(f"output_level is {output_level!r}; give the name of a level, or None for the last one")
    if output_level is not None and output_level not in names:
        raise ValueError(f"output_level is {output_level!r}; it can be one of {', '.join(names)}, or None for the last")
    if final_top_k is not None:
        check_count(final_top_k, "final_top_k")


def check_filter(where: Any) -> None:
    """Raise ``TypeError`` where a base filter is no mapping, ``ValueError`` as ``Index.search_batch`` does."""
    if not isinstance(where, Mapping | None):
        raise TypeError(f"where is {where!r}; give a mapping, for example {{'doc_id': ['report']}}, or None")
    condition(where, None)


def _check_constraint(level: LevelConfig, levels: Sequence[LevelConfig], place: int) -> None:
    by, earlier = level.constrain_by, {other.name: other for other in levels[:place]}
    if by is None:
        return
    if not earlier:
        raise ValueError(
            f"the first level, {level.name!r}, has constrain_by={by!r}; nothing comes before it, so give it None"
        )
    if by != PREVIOUS and by not in earlier:
        known = {level.name: "is the level itself"} | {other.name: "comes later" for other in levels[place + 1 :]}
        raise ValueError(
            f"level {level.name!r} has constrain_by={by!r}, which {known.get(by, 'is no level')}; "
            f"give None, {PREVIOUS!r}, or an earlier level: {', '.join(earlier)}"
        )
    above = levels[place - 1] if by == PREVIOUS else earlier[by]
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
