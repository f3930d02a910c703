"""A document's text with its chunks in colour.

Lesson 11 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hierrag_lessons import checks
from hierrag_lessons.evaluation.pieces import Located
from hierrag_lessons.model import Document, Span
from hierrag_lessons.showing.views import markup
from hierrag_lessons.showing.views.view import View, count, indented
from hierrag_lessons.spans import clip, overlap, subtract
from hierrag_lessons.text import count_tokens


@dataclass(frozen=True, repr=False)
class ChunkView(View):
    """A document's text, or the part ``within`` of it, with its chunks in alternating colours.

    Each chunk starts with its number, which is its index in ``chunks``, and its size. What several chunks share is
    hatched and underlined; what lies in no chunk has no colour. ``chunks`` may be chunks, nodes, passages or bare
    spans of the document.

    Raises ``ValueError`` where a chunk is empty, lies outside the document or belongs to another one, or where its
    text is not the document's text at its offsets; and where ``within`` shows nothing of the document.
    """

    document: Document
    chunks: Sequence[Located | Span]
    within: Span | None = None

    def __post_init__(self) -> None:
        checks.instance("document", self.document, Document)
        size = len(self.document.text)
        if self.within and self.window.start == self.window.end:
            raise ValueError(f"within is {tuple(self.within)}, which holds nothing of the document's {size} characters")
        for number, chunk in enumerate(checks.each("chunks", self.chunks, object)):
            doc_id = getattr(chunk, "doc_id", self.document.doc_id)
            place = f"chunk {number} is {doc_id}:{chunk.start}-{chunk.end}"
            if doc_id != self.document.doc_id:
                raise ValueError(f"{place}, but the document is {self.document.doc_id}; view one document at a time")
            if not 0 <= chunk.start < chunk.end <= size:
                raise ValueError(f"{place}; give a span that is not empty and lies inside 0-{size}")
            text = self.document.text[chunk.start : chunk.end]
            if getattr(chunk, "text", text) != text:
                raise ValueError(f"{place}, but its text differs from document.text[{chunk.start}:{chunk.end}]")

    @property
    def window(self) -> Span:
        """The part of the document that is shown."""
        return clip(Span(*self.within), self.document.span) if self.within else self.document.span

    @property
    def caption(self) -> str:
        """Which part of which document, the number of chunks and the range of their sizes."""
        sizes = [self._size(span) for _, span in self._shown()]
        spread = f" of {min(sizes)} to {count(max(sizes), 'token')}" if sizes else ""
        return f"{self.document.doc_id}:{self.window.start}-{self.window.end}, {count(len(sizes), 'chunk')}{spread}"

    def body_html(self) -> str:
        """The text, painted."""
        shown, window = self._shown(), self.window
        edges = {edge for _, span in shown for edge in clip(span, window)}
        painted = []
        for start, end in pairwise(sorted({*window, *edges})):
            covering = [number for number, span in shown if span.start <= start < span.end]
            starting = [(number, span) for number, span in shown if clip(span, window).start == start]
            piece = self.document.text[start:end]
            if not starting and (covering or piece.strip()):
                painted += [markup.label(f"[end of {number}]") for number, span in shown if span.end == start]
            painted += [markup.label(f"[{number}: {self._note(span)}]") for number, span in starting]
            if not covering and piece.strip():
                painted.append(markup.label("[in no chunk]"))
            if len(covering) > 1:
                style = markup.PAINT_BOTH
            else:
                style = markup.PAINT[covering[0] % 2] if covering else markup.PLAIN
            painted.append(markup.span(style, markup.to_html(piece)))
        return markup.text_block("".join(painted))

    def body_text(self) -> str:
        """Each chunk with its place, size, overlap and text; then what lies in no chunk."""
        shown, parts = self._shown(), []
        for number, span in shown:
            shared = [(other, overlap(span, before)) for other, before in shown if other < number]
            notes = "".join(f", shares {count(size, 'character')} with [{other}]" for other, size in shared if size)
            head = f"[{number}] {span.start}-{span.end}: {self._note(span)}{notes}"
            parts.append(f"{head}\n{self._text(clip(span, self.window))}")
        for gap in subtract(self.window, [span for _, span in shown]):
            if self.document.text[gap.start : gap.end].strip():
                parts.append(f"[in no chunk] {gap.start}-{gap.end}\n{self._text(gap)}")
        return "\n".join(parts)

    def _shown(self) -> list[tuple[int, Span]]:
        spans = [(number, Span(chunk.start, chunk.end)) for number, chunk in enumerate(self.chunks)]
        return [(number, span) for number, span in spans if overlap(span, self.window)]

    def _size(self, span: Span) -> int:
        return count_tokens(self.document.text[span.start : span.end])

    def _note(self, span: Span) -> str:
        partly = "" if clip(span, self.window) == span else ", partly shown"
        return f"{count(self._size(span), 'token')}{partly}"

    def _text(self, span: Span) -> str:
        return indented(self.document.text[span.start : span.end])
