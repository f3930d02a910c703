"""Sentences and clauses as spans, in English, in Chinese and where the two are mixed.

Lesson 05 builds it.

The rules know no language switch. A full stop of the Latin script ends a sentence where white space follows and the
word before it is no abbreviation; one of the Chinese script ends a sentence wherever it stands. Marks that close (a
quote, a bracket) go with the sentence that they close. Lines come first: a blank line, a heading, a list item, a table
row or a speaker's name ends whatever came before, while the line breaks of hard-wrapped prose end nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hierrag_lessons import checks
from hierrag_lessons.model import Span
from hierrag_lessons.text.graphemes import snap
from hierrag_lessons.text.sentences.lines import parts
from hierrag_lessons.text.sentences.stops import sentence_ends

# A run of marks, so that each is read once; a mark of the Latin script needs white space behind it.
_CLAUSE_MARKS = re.compile(r"[,;:.!?—–…，、；：。！？][,;:.!?—–…，、；：。！？\"'”’»)\]}）］】》」』]*+|\n")
_WIDE_MARKS = frozenset("—…，、；：。！？\n")


def split_sentences(text: str, within: Span | None = None) -> list[Span]:
    """The sentences of ``text``, or of the part ``within`` of it, in document order.

    Parameters
    ----------
    text:
        Any text; English, Chinese and mixed text need no setting.
    within:
        The part to split, read as if it stood alone. Offsets are those of ``text`` either way.

    Returns
    -------
    Disjoint spans without white space at their ends, which together hold every character that is not white space. No
    span cuts a character as a reader sees it. What has no stop, such as a heading or a table row, is a sentence too.

    Raises
    ------
    ValueError
        Where ``within`` does not lie in the text.

    Notes
    -----
    The time needed grows in proportion to the text, whatever it holds.
    """
    checks.text("text", text)
    span = Span(0, len(text)) if within is None else within
    checks.span("within", span, len(text))
    return _cut(text, span, (end for part in parts(text, span) for end in sentence_ends(text, part)))


def split_clauses(text: str, within: Span) -> list[Span]:
    """The clauses of the part ``within`` of ``text``, in document order.

    A clause ends at a comma, semicolon, colon, dash or stop, with what closes behind it, and at a line break. The spans
    are as those of :func:`split_sentences`. Raises ``ValueError`` where ``within`` does not lie in the text.
    """
    checks.text("text", text)
    checks.span("within", within, len(text))
    marks = _CLAUSE_MARKS.finditer(text, *within)
    ends = (m.end() for m in marks if text[m.end() : m.end() + 1].isspace() or not _WIDE_MARKS.isdisjoint(m.group()))
    return _cut(text, within, ends)


def _cut(text: str, span: Span, ends: Iterable[int]) -> list[Span]:
    """Cut ``span`` at ``ends``, ascending; pieces lose the white space at their ends, blank ones are left out."""
    pieces: list[Span] = []
    start = span.start
    for end in (*ends, span.end):
        cut = snap(text, end, start) if end < span.end else end
        if from_visible := text[start:cut].lstrip():
            first = cut - len(from_visible)
            # A space can carry an accent; then it belongs to the first character.
            pieces.append(Span(snap(text, first, start), first + len(from_visible.rstrip())))
        start = cut
    return pieces
