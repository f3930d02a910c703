"""How the text of a passage is set on a page: paragraphs without the line breaks of hard-wrapped text, lists line by
line, code and tables as they stand.

Lesson 00 uses it.
"""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

import regex

from hierrag_lessons.model import Document, Span
from hierrag_lessons.text import read_blocks

Setting = Literal["prose", "line", "verbatim"]

_WRAPPED_AT = 100  # characters: longer lines were not made to fit a terminal
_CODE_LINE = regex.compile(r">>> |\.\.\. |\S ++::=")
_FENCE = regex.compile(r"[ \t]*(?:```|~~~)")
_WORD = regex.compile(r"[\p{Ps}\p{Pi}\"'*_]*+\p{L}[\p{L}’'-]*+[\p{Pe}\p{Pf}\"'*_.,;:!?]*+")
# A line that begins like this does not go on from the one before: a list item, a clause, a quote, a speaker's turn.
_NEW_LINE = regex.compile(
    r"[ \t]*+(?:[-*+•·][ \t]|\d{1,3}[.)、]|[(（][a-z0-9一二三四五六七八九十]{1,4}[)）]|[>|]"
    r"|[\p{Lu}\p{Lo}][^:：。!?\n]{0,40}(?::[ \t]|：))"
)


class Piece(NamedTuple):
    """A part of a text and how it is set.

    ``"prose"``: its line breaks are only where the writer's page ended. ``"line"``: one line of a list or a dialogue.
    ``"verbatim"``: code or a table, which keeps every space.
    """

    span: Span
    setting: Setting


def pieces(text: str) -> list[Piece]:
    """The pieces of a passage's text, in order. They hold all of it but line breaks and spaces."""
    found, end = list[Piece](), 0
    for block in read_blocks(Document("passage", text, "markdown")):
        found += _stray(text, Span(end, block.start))
        verbatim = block.kind in ("table", "formula") or (
            block.kind in ("code", "paragraph", "quote") and _is_code(text, block.span, block.kind == "code")
        )
        if verbatim:
            found.append(Piece(block.span, "verbatim"))
        elif block.kind == "list":
            found += [Piece(line, "line") for line in _lines(text, block.span)]
        else:
            found += _paragraph(text, block.span)
        end = block.end
    return [*found, *_stray(text, Span(end, len(text)))]


def _stray(text: str, span: Span) -> Iterator[Piece]:
    """What stands between blocks, where it is more than spaces: a control character that counts as white space."""
    if text[span.start : span.end].strip(" \t\n"):
        yield Piece(span, "verbatim")


def _lines(text: str, span: Span) -> list[Span]:
    edges = [span.start, *(m.end() for m in regex.finditer("\n", text, pos=span.start, endpos=span.end)), span.end]
    return [Span(a, b) for a, b in pairwise(edges) if text[a:b].strip(" \t\n")]


def _paragraph(text: str, span: Span) -> list[Piece]:
    """One piece for lines that were wrapped, a piece for each line that was not; rows of a table without its head, as
    where a chunk begins below it, stay together.
    """
    lines = _lines(text, span)
    widest = max(line.end - line.start for line in lines)
    parts = lines[:1]
    for before, line in pairwise(lines):
        # A line that ends long before the others ends on purpose; the first one may be what is left of a line.
        full = before == lines[0] or before.end - before.start > widest / 2
        goes_on = not _NEW_LINE.match(text, line.start, line.end) and not _is_row(text, before)
        if full and widest <= _WRAPPED_AT and goes_on:
            parts[-1] = Span(parts[-1].start, line.end)
        else:
            parts.append(line)
    if len(parts) == 1:
        return [Piece(parts[0], "prose")]
    set_apart = list[Piece]()
    for are_rows, run in groupby(parts, lambda part: _is_row(text, part)):
        found = list(run)
        if are_rows and len(found) > 1:
            set_apart.append(Piece(Span(found[0].start, found[-1].end), "verbatim"))
        else:
            set_apart += [Piece(part, "line") for part in found]
    return set_apart


def _is_row(text: str, line: Span) -> bool:
    return text[line.start : line.end].lstrip(" \t").startswith("|")


def _is_code(text: str, span: Span, indented: bool) -> bool:
    """Whether a block is code: fenced, of Python, a session or a grammar, or with lines indented below others.

    What Markdown calls code because it is ``indented`` can still be prose, as below a definition.
    """
    block = text[span.start : span.end]
    if _FENCE.match(block):
        return indented
    depths = [len(line) - len(line.lstrip(" \t")) for line in block.split("\n") if line.strip()]
    if span.start == 0:  # its first line may have been cut, and its indentation with it
        depths = depths[1:] or depths
    if _CODE_LINE.search(block) or max(depths) > depths[0] + 1 or _is_python(block):
        return True
    words = block.split()
    return indented and sum(bool(_WORD.fullmatch(word)) for word in words) < 0.7 * len(words)


def _is_python(block: str) -> bool:
    """Whether the text is Python and does something: single names, and notes like ``Fee: none``, are also prose."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of strange escapes in the text
            statements = ast.parse(textwrap.dedent(block)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    notes = (ast.Expr, ast.AnnAssign)
    return any(isinstance(getattr(item, "value", None), ast.Call) or not isinstance(item, notes) for item in statements)
