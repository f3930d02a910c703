"""Retrieved passages with the gold evidence marked in them, one list or several side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hierrag_lessons.evaluation import recall
from hierrag_lessons.evaluation.metrics import Located
from hierrag_lessons.model import Passage, Span
from hierrag_lessons.showing.views import markup
from hierrag_lessons.showing.views.view import View, count, indented
from hierrag_lessons.spans import clip, cover, merge, subtract
from hierrag_lessons.text import count_tokens


@dataclass(frozen=True, repr=False)
class PassageView(View):
    """Retrieved passages in order, with gold evidence underlined and in ⟦brackets⟧.

    ``gold`` is a question's evidence, or anything else with ``doc_id``, ``start`` and ``end``. Leave it out, or empty
    for an unanswerable question, and the caption states no recall.

    Raises ``ValueError`` where a passage's text is not as long as its span, so that gold can't be found in it.
    """

    passages: Sequence[Passage]
    gold: Sequence[Located] = ()

    def __post_init__(self) -> None:
        for p in self.passages:
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
        """The passages, one below the other."""
        parts = []
        for rank, passage in enumerate(self.passages):
            context = f"<div><em>{markup.note(passage.context)}</em></div>" if passage.context else ""
            text = "".join(
                markup.gold(piece) if is_gold else markup.to_html(piece) for piece, is_gold in self._pieces(passage)
            )
            head = f"<div><strong>{markup.note(self._head(rank))}</strong></div>"
            parts.append(markup.section(f"{head}{context}{markup.text_block(text)}"))
        return "".join(parts)

    def body_text(self) -> str:
        """The passages, one below the other."""
        parts = []
        for rank, passage in enumerate(self.passages):
            context = f"    context: {markup.one_line(passage.context)}\n" if passage.context else ""
            text = "".join(f"⟦{piece}⟧" if is_gold else piece for piece, is_gold in self._pieces(passage))
            parts.append(f"{markup.one_line(self._head(rank))}\n{context}{indented(text)}")
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

    def _pieces(self, passage: Passage) -> list[tuple[str, bool]]:
        """The passage's text in pieces, each with whether it is gold."""
        wanted = [Span(item.start, item.end) for item in self.gold if item.doc_id == passage.doc_id]
        gold = merge(clip(span, passage.span) for span in wanted)
        pieces = sorted([(span, True) for span in gold] + [(span, False) for span in subtract(passage.span, gold)])
        return [(passage.text[a - passage.start : b - passage.start], is_gold) for (a, b), is_gold in pieces]


@dataclass(frozen=True, repr=False)
class SideBySide(View):
    """Several views as columns, which wrap on a narrow screen; see :func:`side_by_side`."""

    columns: Mapping[str, View]

    @property
    def caption(self) -> str:
        """How many columns there are."""
        return f"{count(len(self.columns), 'column')}: {', '.join(self.columns)}"

    def body_html(self) -> str:
        """The columns."""
        return markup.columns(
            f"<div><strong>{markup.note(name)}</strong></div><div>{markup.note(view.caption)}</div>{view.body_html()}"
            for name, view in self.columns.items()
        )

    def body_text(self) -> str:
        """The columns, one below the other."""
        return "\n\n".join(f"=== {markup.one_line(name)} ===\n{view!r}" for name, view in self.columns.items())


def side_by_side(columns: Mapping[str, View | Sequence[Passage]], gold: Sequence[Located] = ()) -> SideBySide:
    """Compare views, or lists of passages, in columns, each with its name and caption on top.

    ``gold`` is marked in the lists of passages, and their captions state the recall:
    ``side_by_side({"flat 200": a, "parent-child": b}, question.evidence)``.

    Raises ``ValueError`` where there is no column, or where ``gold`` is given and no column is a list of passages.
    """
    if not columns:
        raise ValueError("columns is empty; give at least one name with a view or a list of passages")
    if gold and all(isinstance(column, View) for column in columns.values()):
        raise ValueError("gold is given, but every column is a view already; give the gold to each PassageView")
    return SideBySide({k: v if isinstance(v, View) else PassageView(v, gold) for k, v in columns.items()})
