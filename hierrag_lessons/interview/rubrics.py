"""What every item of the interview has: a level, and the points of its rubric.

Lesson 26 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hierrag_lessons import checks

InterviewLevel = Literal["junior", "senior", "staff"]
"""From whom a question is expected to be answered."""


@dataclass(frozen=True, slots=True)
class RubricPoint:
    """Something that a good answer says, and what it counts: 1, or 2 for what the question turns on.

    >>> RubricPoint("compares at the same number of tokens", 2).weight
    2

    Raises ``ValueError`` for a weight below 1, or a point that is no text.
    """

    point: str
    weight: int = 1

    def __post_init__(self) -> None:
        check_filled("point", self.point)
        checks.whole("weight", self.weight, 1)


def check_item(own_id: str, level: str, topic: str, rubric: Sequence[RubricPoint]) -> None:
    """Refuse an unknown level, a blank id or topic, and a rubric without a point."""
    check_filled("id", own_id)
    checks.one_of("level", level, InterviewLevel)
    check_filled("topic", topic)
    if not checks.each("rubric", rubric, RubricPoint):
        raise ValueError("rubric is empty; give at least one point")


def check_filled(name: str, value: object) -> None:
    """Refuse what is no text, or a blank one."""
    checks.text(name, value)
    if not str(value).strip():
        raise ValueError(f"{name} is {value!r}; give a text that is not blank")
