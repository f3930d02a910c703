r"""Markdown blocks by markdown-it-py, which follows CommonMark.

Lesson 07 builds it.

The parser tells in which lines a block stands. Where these lines begin and end is counted in our own text, because the
parser works on a changed copy (``\r\n`` becomes ``\n``, NUL becomes U+FFFD).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from hierrag_lessons.model import Span
from hierrag_lessons.text.blocks.lines import BareBlock, BlockKind, line_spans
from hierrag_lessons.text.blocks.paragraphs import paragraph_blocks

_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "html_block": "paragraph",
    "front_matter": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "blockquote_open": "quote",
    "formula": "formula",
    "hr": "rule",
}
_INSIDE = ("table", "code", "formula")
_CLOSING = {"$$": "$$", "\\[": "\\]"}


class _Lines(NamedTuple):
    """A block as the parser tells it: its first line and the one behind its last, counted from 0."""

    first: int
    last: int
    kind: BlockKind
    level: int = 0
    title: str = ""


def markdown_blocks(text: str) -> Iterator[BareBlock]:
    """The blocks of a Markdown text, a table, code or formula inside a list or a quote as a block of its own."""
    lines = line_spans(text)
    blank = [not text[start:end].strip() for start, end in lines]
    done = 0
    for block in _top_level(_parser().parse(text)):
        # What the parser gives to no block, it does not know; it is text nevertheless.
        yield from _blocks(text, lines, blank, _Lines(done, block.first, "paragraph"))
        yield from _blocks(text, lines, blank, block)
        done = block.last
    yield from _blocks(text, lines, blank, _Lines(done, len(lines), "paragraph"))


def _blocks(text: str, lines: Sequence[Span], blank: Sequence[bool], block: _Lines) -> Iterator[BareBlock]:
    """A block without the blank lines at its ends; nothing where all of its lines are blank."""
    first, last, kind, level, title = block
    while first < last and blank[first]:
        first += 1
    while first < last and blank[last - 1]:
        last -= 1
    if first == last:
        return
    if kind == "paragraph":
        yield from paragraph_blocks(text, lines[first:last])
    else:
        header = text[lines[first].start : lines[first + 1].end] if kind == "table" else ""
        yield BareBlock(lines[first].start, lines[last - 1].end, kind, level, title, header)


def _top_level(tokens: Sequence[Token]) -> Iterator[_Lines]:
    """The blocks of a token stream, in order and disjoint: lists and quotes are parted by what must stay whole."""
    around = _Lines(0, 0, "paragraph")  # the list or quote that is open
    done = 0
    for index, token in enumerate(tokens):
        kind = _KINDS.get(token.type)
        if kind is None or token.map is None:
            continue
        first, last = token.map
        if token.level == 0:
            if done < around.last:
                yield around._replace(first=done)
            done, around = first, _Lines(first, first, kind)
            if kind in ("list", "quote"):
                around = _Lines(first, last, kind)
            elif kind == "heading":
                yield _Lines(first, last, kind, int(token.tag[1:]), tokens[index + 1].content)
                done = last
            else:
                yield _Lines(first, last, kind)
                done = last
        elif kind in _INSIDE and first >= done:
            if done < first:
                yield around._replace(first=done, last=first)
            yield _Lines(first, last, kind)
            done = last
    if done < around.last:
        yield around._replace(first=done)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.before("table", "formula", _formula, {"alt": ["paragraph", "blockquote", "list"]})
    parser.block.ruler.before("formula", "front_matter", _front_matter)
    return parser


def _line(state: StateBlock, line: int) -> str:
    """A line without the indentation and the marks of the containers that it stands in."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _formula(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    r"""A displayed formula: from ``$$`` or ``\[`` at the start of a line to its closing mark at the end of one.

    An empty line ends the search, as TeX allows none inside a formula.
    """
    opened = _line(state, line)
    closing = _CLOSING.get(opened[:2])
    if closing is None or state.is_code_block(line) or line < state.env.get(closing, 0):
        return False
    last = line
    text = opened[2:]
    while not text.endswith(closing):
        last += 1
        text = _line(state, last) if last < end_line and state.sCount[last] >= state.blkIndent else ""
        if not text:
            state.env[closing] = last  # No line up to here needs to be searched from again.
            return False
    if not silent:
        state.line = last + 1
        state.push("formula", "", 0).map = [line, last + 1]
    return True


def _front_matter(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """YAML between two lines of three dashes at the very beginning, with no empty line after the first."""
    if line > 0 or silent or state.level > 0 or _line(state, 0) != "---" or end_line < 2 or not _line(state, 1):
        return False
    last = next((number for number in range(1, end_line) if _line(state, number) in ("---", "...")), None)
    if last is None:
        return False
    state.line = last + 1
    state.push("front_matter", "", 0).map = [0, last + 1]
    return True
