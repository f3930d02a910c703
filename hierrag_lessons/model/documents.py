"""Documents, spans of them, and chunks.

Lesson 01 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hierrag_lessons import checks

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

    Raises ``ValueError`` for an empty ``doc_id``, by which chunks, nodes and passages name their document; for a
    ``kind`` or ``language`` that the course does not know; and where a value has another type.
    """

    doc_id: str
    text: str
    kind: Kind = "text"
    language: Language = "en"
    metadata: Mapping[str, JSON] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checks.text("doc_id", self.doc_id)
        checks.text("text", self.text)
        checks.one_of("kind", self.kind, Kind)
        checks.one_of("language", self.language, Language)
        checks.instance("metadata", self.metadata, Mapping)
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


def join_context(context: str, text: str) -> str:
    """Return ``context``, a line break and ``text``, or only ``text`` where the context is empty."""
    return f"{context}\n{text}" if context else text
