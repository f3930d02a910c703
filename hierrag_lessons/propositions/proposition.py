"""The proposition itself.

Lesson 17 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hierrag_lessons.model import Span
from hierrag_lessons.spans import merge


@dataclass(frozen=True, slots=True)
class Proposition:
    """A statement derived from a document: its own text, and the disjoint spans, in order, that it was taken from."""

    doc_id: str
    text: str
    sources: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """From the first source's start to the last one's end."""
        return Span(self.sources[0].start, self.sources[-1].end)


def in_order(doc_id: str, statements: Iterable[tuple[str, Iterable[Span]]]) -> list[Proposition]:
    """Propositions of texts and their sources, by the place where the last source begins; equal ones once."""
    made = {Proposition(doc_id, text, tuple(merge(sources))): None for text, sources in statements}
    return sorted(made, key=lambda proposition: (proposition.sources[-1].start, proposition.span))
