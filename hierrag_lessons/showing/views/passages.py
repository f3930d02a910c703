"""Retrieved passages with the gold evidence marked in them.

Lesson 00 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.evaluation import recall
from hierrag_lessons.evaluation.pieces import Located
from hierrag_lessons.model import Passage, Span
from hierrag_lessons.showing.colours import EDGE
from hierrag_lessons.showing.views import markup
from hierrag_lessons.showing.views.flow import marked_text
from hierrag_lessons.showing.views.view import View, count, indented, preview
from hierrag_lessons.spans import clip, cover, merge, subtract
from hierrag_lessons.text import count_tokens
from hierrag_lessons.text.invisible import one_line

_SECTION = f"{markup.PLAIN}border-top:1px solid {EDGE};margin:6px 0 0 0;padding:6px 0 0 0;"


@dataclass(frozen=True, repr=False)
class PassageView(View):
    """Retrieved passages in order, with gold evidence underlined and in ⟦brackets⟧.

    ``gold`` is a question's evidence, or anything else with ``doc_id``, ``start`` and ``end``. Leave it out, or empty
    for an unanswerable question, and the caption states no recall.

    On a page, lines that were broken to fit a narrower one run on; code, tables and lists keep theirs. With ``gold``,
    a passage that holds none is folded, and so is a long stretch without gold in a long passage. The plain text shows
    everything as it stands.

    Raises ``ValueError`` where a passage's text is not as long as its span, so that gold can't be found in it.
    """

    passages: Sequence[Passage]
    gold: Sequence[Located] = ()

    def __post_init__(self) -> None:
        for p in checks.each("passages", self.passages, Passage):
            if len(p.text) != p.end - p.start:
                raise ValueError(
                    f"the passage {p.doc_id}:{p.start}-{p.end} has a text of {len(p.text)} characters; "
                    "a passage's text must be document.text[start:end]"
                )

    @property
    def caption(self) -> str:
        """Share of the gold characters found, where there is gold; tokens in all; number of passages."""
        found = f"recall {recall(self.passages, self.gold):.2f}, " if self.gold else ""
        tokens = sum(count_tokens(passage.text) for passage in self.passages)
        return f"{found}{count(tokens, 'token')}, {count(len(self.passages), 'passage')}"

    def body_html(self) -> str:
        """The passages, one below the other, each under a line that folds it."""
        sections = []
        for rank, passage in enumerate(self.passages):
            gold = self._gold_in(passage)
            is_open = bool(gold) or not self.gold
            summary = f"<strong>{markup.note(self._head(rank))}</strong>"
            if not is_open:
                summary += f" {markup.note(preview(passage.text))}"
            context = f"<div><em>{markup.note(passage.context)}</em></div>" if passage.context else ""
            section = markup.folded(summary, context + marked_text(passage.text, gold), is_open)
            sections.append(f'<div style="{_SECTION}">{section}</div>')
        return "".join(sections)

    def body_text(self) -> str:
        """The passages, one below the other."""
        parts = []
        for rank, passage in enumerate(self.passages):
            context = f"    context: {one_line(passage.context)}\n" if passage.context else ""
            gold = self._gold_in(passage)
            rest = subtract(Span(0, len(passage.text)), gold)
            pieces = sorted([*((span, "⟦{}⟧") for span in gold), *((span, "{}") for span in rest)])
            text = "".join(form.format(passage.text[start:end]) for (start, end), form in pieces)
            parts.append(f"{one_line(self._head(rank))}\n{context}{indented(text)}")
        return "\n".join(parts)

    def _head(self, rank: int) -> str:
        passage = self.passages[rank]
        notes = [f"score {passage.score:.3f}", count(count_tokens(passage.text), "token")]
        if self.gold:
            notes.append(f"{recall([passage], self.gold):.0%} of the gold")
        earlier = [p.span for p in self.passages[:rank] if p.doc_id == passage.doc_id]
        repeated = len(passage.text) - cover(subtract(passage.span, earlier))
        if repeated:
            notes.append(f"repeats {count(repeated, 'character')}")
        return f"{rank + 1}. {passage.doc_id}:{passage.start}-{passage.end}: {', '.join(notes)}"

    def _gold_in(self, passage: Passage) -> list[Span]:
        """The gold in the passage, as disjoint ranges of its text, in order."""
        wanted = [Span(item.start, item.end) for item in self.gold if item.doc_id == passage.doc_id]
        found = merge(clip(span, passage.span) for span in wanted)
        return [Span(start - passage.start, end - passage.start) for start, end in found]
