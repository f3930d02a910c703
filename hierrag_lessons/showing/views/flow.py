"""The text of a passage as HTML: set for reading, gold marked, long stretches folded.

Lesson 00 uses it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from hierrag_lessons.model import Span
from hierrag_lessons.showing.views import markup
from hierrag_lessons.showing.views.layout import Piece, pieces
from hierrag_lessons.showing.views.view import count
from hierrag_lessons.spans import clip, trim

_LONG = 1_500  # characters that are shown without a fold
_SKIPPED = 300  # characters in a row that are worth one

_FLOW = f"{markup.PLAIN}white-space:normal;overflow-wrap:break-word;line-height:1.5;"
_PROSE = f"{_FLOW}margin:0 0 6px 0;"
_VERBATIM = (
    f"{markup.PLAIN}margin:0 0 6px 0;padding:0;border:0;font-family:monospace;font-size:90%;line-height:1.4;"
    "white-space:pre;overflow-x:auto;"
)


def marked_text(text: str, gold: Sequence[Span]) -> str:
    """``text`` with ``gold``, disjoint ranges of it in order, underlined and in ⟦brackets⟧.

    Of a text of more than 1,500 characters, long stretches are folded: those without gold, or, where there is none at
    all, what comes after the first 1,500 characters.
    """
    parts: list[str] = []
    marks = [_Gold(span, trim(text, span)) for span in gold]
    for folds, run in groupby(_with_folds(text, marks), lambda pair: pair[1]):
        group = [piece for piece, _ in run]
        shown = "".join(_element(piece, _marked(text, piece.span, marks), text) for piece in group)
        length = group[-1].span.end - group[0].span.start
        if folds and length >= _SKIPPED:
            shown = markup.folded(markup.label(f"… {count(length, 'more character')}"), shown)
        parts.append(shown)
    return "".join(parts)


class _Gold(NamedTuple):
    """A range of gold, and the part of it that is not white space at its ends."""

    span: Span
    visible: Span


def _in(span: Span, gold: Sequence[_Gold]) -> Sequence[_Gold]:
    """The gold that shares text with a span."""
    first = bisect_right(gold, span.start, key=lambda wanted: wanted.span.end)
    return gold[first : bisect_left(gold, span.end, key=lambda wanted: wanted.span.start)]


def _with_folds(text: str, gold: Sequence[_Gold]) -> Iterator[tuple[Piece, bool]]:
    for piece in pieces(text):
        beyond = piece.span.start > 0 and piece.span.end > _LONG
        bare = not _in(piece.span, gold) if gold else beyond
        yield piece, bare and len(text) > _LONG


def _marked(text: str, span: Span, gold: Sequence[_Gold]) -> str:
    parts, end = [], span.start
    for wanted, visible in _in(span, gold):
        start, stop = clip(wanted, span)
        if not text[start:stop].strip():
            continue
        # Gold that runs on from one piece of the layout into the next has one bracket at each end.
        opening = "" if visible.start < start else markup.label("⟦")
        closing = "" if stop < visible.end else markup.label("⟧")
        content = f"{opening}{markup.to_html(text[start:stop])}{closing}"
        parts.append(markup.to_html(text[end:start]))
        parts.append(f'<mark style="{markup.PAINT_GOLD}text-decoration:underline;">{content}</mark>')
        end = stop
    return "".join([*parts, markup.to_html(text[end : span.end])])


def _element(piece: Piece, content: str, text: str) -> str:
    # dir="auto" lets each piece run in the direction of its own first letter.
    if piece.setting == "verbatim":
        # HTML drops a line break right after <pre>; this one is there to be dropped instead of the text's own.
        return f'<pre dir="auto" style="{_VERBATIM}">\n{content}</pre>'
    if piece.setting == "prose":
        return f'<p dir="auto" style="{_PROSE}">{content}</p>'
    line = text[piece.span.start : piece.span.end]
    depth = len(line) - len(line.lstrip(" "))
    return f'<div dir="auto" style="{_FLOW}margin:0 0 2px {depth * 0.5:g}em;">{content}</div>'
