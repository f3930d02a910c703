"""Spans of a document, and the few operations that the whole course is built from.

A document is one immutable string. A chunk, a sentence, a section, a retrieved passage and a piece of gold evidence
are all half-open ranges ``[start, end)`` of it, counted in code points (Python string indices) from its beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from hierrag_lessons.hierarchy import Hit

JSON = str | int | float | bool | None | list["JSON"] | dict[str, "JSON"]
Kind = Literal["text", "markdown", "dialogue"]
Language = Literal["en", "zh"]


class Span(NamedTuple):
    """A half-open range ``[start, end)`` of code points in a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """One text and what is known about it.

    Raises ``ValueError`` for an empty ``doc_id``: every chunk, node and passage names its document.
    """

    doc_id: str
    text: str
    kind: Kind = "text"
    language: Language = "en"
    metadata: Mapping[str, JSON] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.doc_id:
            raise ValueError("doc_id is empty; give every document a name of its own, for example 'report-2024'")

    @property
    def span(self) -> Span:
        """The span of the whole text."""
        return Span(0, len(self.text))


@dataclass(frozen=True, slots=True)
class Chunk:
    """One span of a document together with its text.

    ``text`` is always ``document.text[start:end]``. ``context`` (a heading path, the speakers) is embedded in front of
    the text but is never part of it, so the offsets stay true.
    """

    doc_id: str
    start: int
    end: int
    text: str
    context: str = ""
    metadata: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def span(self) -> Span:
        """The chunk's range in its document."""
        return Span(self.start, self.end)

    @property
    def chunk_id(self) -> str:
        """``doc_id:start-end``, the same in every run and on every machine."""
        return f"{self.doc_id}:{self.start}-{self.end}"

    @property
    def embedding_text(self) -> str:
        """What an embedder reads: the context, a line break, the text; only the text where there is no context."""
        return join_context(self.context, self.text)


@dataclass(frozen=True, slots=True)
class Passage:
    """What a retriever returns: a span of a document, its score, and the hits that led to it."""

    doc_id: str
    start: int
    end: int
    text: str
    context: str = ""
    score: float = 0.0
    hits: tuple[Hit, ...] = ()

    @property
    def span(self) -> Span:
        """The passage's range in its document."""
        return Span(self.start, self.end)


def join_context(context: str, text: str) -> str:
    """Return ``context``, a line break and ``text``, or only ``text`` where the context is empty."""
    return f"{context}\n{text}" if context else text


def sort_key(item: Passage | Hit) -> tuple[float, str, int, int]:
    """The order of every result list: best score first, then ``doc_id``, ``start``, ``end``, so ties are settled."""
    return (-item.score, item.doc_id, item.start, item.end)


def overlap(a: Span, b: Span) -> int:
    """Number of code points that two spans share, 0 where they are apart."""
    return max(0, min(a.end, b.end) - max(a.start, b.start))


def clip(span: Span, within: Span) -> Span:
    """The part of ``span`` inside ``within``; an empty span at the nearer edge where they are apart."""
    start = min(max(span.start, within.start), within.end)
    return Span(start, max(start, min(span.end, within.end)))


def grow(span: Span, before: int, after: int, within: Span) -> Span:
    """Widen ``span`` by ``before`` and ``after`` code points, and stop at the edges of ``within``."""
    return clip(Span(span.start - before, span.end + after), within)


def merge(spans: Iterable[Span], gap: int = 0) -> list[Span]:
    """The union of spans as a sorted list of disjoint, non-empty spans.

    Spans that touch, or that lie at most ``gap`` code points apart, become one.
    """
    merged: list[Span] = []
    for start, end in sorted(s for s in spans if s.end > s.start):
        if merged and start <= merged[-1].end + gap:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Span(start, end))
    return merged


def cover(spans: Iterable[Span]) -> int:
    """Number of code points that lie in at least one of the spans."""
    return sum(end - start for start, end in merge(spans))


def subtract(span: Span, taken: Sequence[Span]) -> list[Span]:
    """The parts of ``span`` that lie in none of the ``taken`` spans, in order."""
    left, start = [], span.start
    for other in merge(taken):
        if other.end <= start or other.start >= span.end:
            continue
        if other.start > start:
            left.append(Span(start, other.start))
        start = max(start, other.end)
    if start < span.end:
        left.append(Span(start, span.end))
    return left


def trim(text: str, span: Span) -> Span:
    """``span`` without the white space at its two ends; an empty span where it holds nothing else."""
    piece = text[span.start : span.end]
    start = span.start + len(piece) - len(piece.lstrip())
    return Span(start, max(start, span.start + len(piece.rstrip())))
