"""Lines of a text: which line breaks end a sentence, and which are only the edge of a page.

Lesson 05 builds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from hierrag_lessons.model import Span

_BREAKS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_LINE = re.compile(rf"[^{_BREAKS}]*(?:\r\n|[{_BREAKS}]|\Z)")

# A line that stands alone: Markdown heading, table row, fence, rule or underline.
_ALONE = re.compile(r"[ \t]*(?:#{1,6}\s|\||```|~~~|(?:[-=*_][ ]?){3,}\s*\Z)")

_NUMBER_ZH = "一二三四五六七八九十百零〇\\d"
_NAME = r"[A-Z][\w.'’-]{0,20}(?:[ ][A-Z][\w.'’-]{0,20}){0,3}"
_ROLE = r"(?:,(?:[ ][\w.'’-]{1,20}){1,6})?(?:[ ]\([^()\n]{1,30}\))?"
# A line that starts something new: a list item, a numbered heading, a speaker, a note, an empty line of a quote.
_STARTS_NEW = re.compile(
    rf"""[ \t\u3000]*(?:
    [-*+•·▪‣◦]\s
    |\(?(?:\d{{1,3}}|[a-z]|[ivx]{{2,5}}|[IVX]{{2,5}})[.)]\s|\([A-Z]\)|[A-Z]\)\s
    |\d{{1,2}}(?:\.\d{{1,2}})+\.?\s+[A-Z\u4e00-\u9fff]
    |\d{{1,3}}[、．]|[（(][{_NUMBER_ZH}]{{1,3}}[）)]|[一二三四五六七八九十]{{1,3}}、|第[{_NUMBER_ZH}]{{1,5}}[章节条款编]
    |{_NAME}{_ROLE}:\s
    |[\u4e00-\u9fff][\w()（）]{{0,12}}[:：]|\w{{1,10}}：
    |\[\d{{1,3}}\]\s|(?:>[ ]?)+\s*\Z
    )""",
    re.VERBOSE,
)
_NARROW = 20
# A line that goes on with the sentence of the line before.
_GOES_ON = re.compile(r"[ \t>]*[a-z,;:)\]}、，；：）］】〕》〉」』”。！？]")


def parts(text: str, span: Span) -> Iterator[Span]:
    """The parts of ``span`` that no sentence leaves, in order; blank lines lie in none.

    A part is a paragraph with its soft line breaks, or one heading, list item, table row or speech.
    """
    lines: list[Span] = []
    for line in _lines(text, span):
        blank = not text[line.start : line.end].strip()
        alone = not blank and _ALONE.match(text, *line) is not None
        if lines and (blank or alone or _STARTS_NEW.match(text, *line)):
            yield from _unwrap(text, lines)
            lines = []
        if alone:
            yield line
        elif not blank:
            lines.append(line)
    if lines:
        yield from _unwrap(text, lines)


def _lines(text: str, span: Span) -> Iterator[Span]:
    """The lines of ``span`` with their line breaks."""
    start = span.start
    while start < span.end:
        match = _LINE.match(text, start, span.end)
        end = match.end() if match else span.end
        yield Span(start, end)
        start = end


def _unwrap(text: str, lines: list[Span]) -> Iterator[Span]:
    """Join lines that were wrapped at a width, and part them where somebody ended a line on purpose.

    A line is wrapped where the next word does not fit. So a line break after which the next word would have fitted,
    with room to spare, was meant: in an address, in a verse, between a title and its text. So was every one among lines
    that are narrower than any page.
    """
    start, width = lines[0].start, max(end - start for start, end in lines)
    for line, following in pairwise(lines):
        if _GOES_ON.match(text, *following):
            continue
        shown = text[line.start : line.end].rstrip()
        first_word = text[following.start : following.end].split(maxsplit=1)[0]
        needed = len(shown) + 1 + (len(first_word) if first_word[0] < "\u2e80" else 1)
        if (needed <= 0.7 * width or width < _NARROW) and shown[-1] not in ",，、-—":
            yield Span(start, line.end)
            start = following.start
    yield Span(start, lines[-1].end)
