"""What is made of an object, kept by the object itself: it lives as long as that, and dies with it.

Lesson 20 uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

T = TypeVar("T")


class Remembers:
    """An object that keeps what is made of it. A copy begins with nothing, for it can be a view of something else."""

    def remember(self, make: Callable[[Self], T]) -> T:
        """Return ``make(self)``, made at the first call with this function and the same at every later one.

        What is made may hold the object: a table of weak keys would then never let go of either.
        """
        kept = vars(self).setdefault("_kept", {})
        if make not in kept:
            kept.setdefault(make, make(self))  # of two threads that make it at once, both get the first
        made: T = kept[make]
        return made

    def __getstate__(self) -> dict[str, Any]:
        """What ``copy`` takes along."""
        return {name: value for name, value in vars(self).items() if name != "_kept"}
