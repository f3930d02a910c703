"""The passages that a good answer rests on.

Lesson 03 builds it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.model import Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of evidence: a span of a document that a good answer rests on.

    ``alternatives`` are other spans that say all of the same, so that any of them will do. ``None`` means that nobody
    has looked for such passages; an empty tuple, that somebody has and found none.

    Raises ``ValueError`` for an empty or negative span, and for alternatives that have alternatives of their own.
    """

    doc_id: str
    start: int
    end: int
    alternatives: tuple[Evidence, ...] | None = None

    def __post_init__(self) -> None:
        checks.text("doc_id", self.doc_id)
        checks.whole("start", self.start, 0)
        checks.whole("end", self.end, 1)
        if self.start >= self.end:
            raise ValueError(f"evidence {self.doc_id}:{self.start}-{self.end} is no span; give 0 <= start < end")
        if self.alternatives is not None:
            for other in checks.each("alternatives", self.alternatives, Evidence):
                if other.alternatives is not None:
                    raise ValueError(f"alternative {other!r} has alternatives; list all of them with the piece itself")

    @property
    def span(self) -> Span:
        """The evidence's range in its document."""
        return Span(self.start, self.end)

    @property
    def places(self) -> tuple[Evidence, ...]:
        """The piece itself and what can stand for it."""
        return (self, *(self.alternatives or ()))
