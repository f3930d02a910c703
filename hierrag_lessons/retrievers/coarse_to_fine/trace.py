"""What happened at each level of a coarse-to-fine search, to print and to look at.

Lesson 18 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hierrag_lessons.model import Hit, Passage
from hierrag_lessons.retrievers.coarse_to_fine.level import LevelConfig

State = Literal["searched", "short-circuited", "not reached"]


@dataclass(frozen=True)
class LevelTrace:
    """One level for one query.

    ``constrained_by`` names the constraining level, ``None`` where there is none. ``constraint`` holds the values that
    the level's ``filter_key`` had to have; ``where`` is the whole filter of the search, the base filter included.
    ``found`` is what the search returned, at most ``top_k``; ``kept`` what is left of it at the threshold.
    """

    level: LevelConfig
    state: State
    constrained_by: str | None = None
    constraint: tuple[str, ...] | None = None
    where: Mapping[str, Any] | None = None
    found: tuple[Hit, ...] = ()
    kept: tuple[Hit, ...] = ()

    def __str__(self) -> str:
        return f"{self.level.name}: {self.summary}"

    @property
    def summary(self) -> str:
        """The level in one line: its constraint, and how many nodes were found and kept."""
        if self.state == "not reached":
            return "not reached"
        bound = "no constraint"
        if self.constraint is not None:
            bound = f"{_values(self.level.filter_key, len(self.constraint))} from {self.constrained_by}"
        if self.state == "short-circuited":
            return f"{bound}; nothing can pass, so the search ends here"
        base = [_bound(field, wanted) for field, wanted in (self.where or {}).items()]
        threshold = self.level.score_threshold
        least = "" if threshold is None else f" with a score of {threshold:g} or more"
        return f"{bound}; filter: {', '.join(base) or 'none'}; {len(self.found)} found, {len(self.kept)} kept{least}"


@dataclass(frozen=True)
class Trace:
    """One query on its way from coarse to fine: all levels in order, and the passages at the end."""

    query: str
    levels: tuple[LevelTrace, ...]
    output_level: str
    passages: tuple[Passage, ...]

    @property
    def short_circuited(self) -> bool:
        """Whether a constraint let nothing through, so that the levels from there on were not searched."""
        return any(level.state == "short-circuited" for level in self.levels)

    def level(self, name: str) -> LevelTrace:
        """The level with this name. Raises ``KeyError`` where there is none."""
        for level in self.levels:
            if level.level.name == name:
                return level
        raise KeyError(f"there is no level {name!r}; there are {', '.join(level.level.name for level in self.levels)}")

    def __str__(self) -> str:
        lines = [f"{number}. {level}" for number, level in enumerate(self.levels, start=1)]
        return "\n".join([*lines, f"output: {self.output_level}, passages: {len(self.passages)}"])


def _values(field: str, number: int) -> str:
    return f"{number} {field}{'' if number == 1 else 's'}"


def _bound(field: str, wanted: Any) -> str:
    return _values(field, len(wanted)) if isinstance(wanted, tuple) else f"{field} in {wanted}"
