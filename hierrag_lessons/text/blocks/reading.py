"""Blocks: the headings, paragraphs, lists, tables, code and formulas of a document, each as an exact span.

Lesson 07 builds it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Kind, Span
from hierrag_lessons.reading.dialogue import recorded_turns
from hierrag_lessons.text.blocks.lines import BareBlock, BlockKind
from hierrag_lessons.text.blocks.markdown import markdown_blocks
from hierrag_lessons.text.blocks.paragraphs import plain_blocks

MAX_TITLE = 120
"""Code points of a title in a path; the rest of a longer heading stands in its block only."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a document.

    A block covers whole lines without the last line break. Only a heading that runs into its paragraph, as in
    ``第三条　本制度…``, ends in the middle of a line, and the paragraph begins there.

    ``level`` is that of a heading (1 is the highest), else 0. ``path`` holds the titles of the headings above the
    block, the outermost first; a heading's own path ends with its own title. ``header`` is the text of a table's header
    row and the row of dashes below it.
    """

    start: int
    end: int
    kind: BlockKind
    level: int = 0
    path: tuple[str, ...] = ()
    header: str = ""

    @property
    def span(self) -> Span:
        """The block's range in its document."""
        return Span(self.start, self.end)

    @property
    def atomic(self) -> bool:
        """Whether a cut inside the block would break it: code, a table, a formula."""
        return self.kind in ("code", "table", "formula")


def read_blocks(document: Document) -> list[Block]:
    r"""The blocks of a document: disjoint, in order, and together they hold every character that is not white space.

    - Markdown: blocks as CommonMark has them, with tables, formulas (``$$ … $$`` and ``\[ … \]``) and YAML front
      matter. A list or a quote is one block, but a table, code or formula inside it is a block of its own, so that
      nobody has to look inside a block for something that must not be cut. HTML counts as a paragraph.
    - Markdown and plain text: a line such as ``Item 1A. Risk Factors``, ``3.2.1 Scope``, ``第三条`` or ``一、总则`` is
      a heading, see :func:`hierrag_lessons.text.blocks.numbering.numbered_heading`.
    - Dialogue: each turn of ``metadata["turns"]`` is a paragraph, with what stands between it and the next one; without
      that metadata it is read as plain text.

    Raises ``ValueError`` for what is no document, and where ``metadata["turns"]`` is not in order.
    """
    checks.instance("document", document, Document)
    return list(_read(document))


def blocks_within(document: Document, within: Span) -> list[Block]:
    """The blocks that share more than white space with ``within``, cut to it; their paths are those in the document.

    Raises ``ValueError`` where ``within`` does not lie in the document.
    """
    checks.instance("document", document, Document)
    checks.span("within", within, len(document.text))
    blocks = _read(document)
    first = bisect_right(blocks, within.start, key=lambda block: block.end)
    last = bisect_left(blocks, within.end, key=lambda block: block.start)
    cut = list(blocks[first:last]) if within.start < within.end else []
    if cut:  # Only the first and the last one can reach beyond the edges.
        cut[0] = replace(cut[0], start=max(cut[0].start, within.start))
        cut[-1] = replace(cut[-1], end=min(cut[-1].end, within.end))
    return [block for block in cut if document.text[block.start : block.end].strip()]


def _read(document: Document) -> Sequence[Block]:
    turns = recorded_turns(document) if document.kind == "dialogue" else None
    if not turns:
        return _parse(document.text, document.kind)
    return [Block(start, end, "paragraph") for start, end in _turn_spans(document.text, turns)]


def _turn_spans(text: str, turns: Sequence[Mapping[str, Any]]) -> Iterator[Span]:
    """The turns and, so that nothing is lost, the text between them: with the turn before it, or alone at the top."""
    ends = [0, *(turn["end"] for turn in turns)]
    starts = [0, *(turn["start"] for turn in turns), len(text)]
    for start, end, following in zip(starts, ends, starts[1:], strict=False):
        if text[end:following].strip():
            end += len(text[end:following].rstrip())
        if text[start:end].strip():
            yield Span(start, end)


@lru_cache(maxsize=8)
def _parse(text: str, kind: Kind) -> tuple[Block, ...]:
    """Read a text once; a hierarchy asks again for every node."""
    return tuple(_with_paths(markdown_blocks(text) if kind == "markdown" else plain_blocks(text)))


def _with_paths(bare_blocks: Iterable[BareBlock]) -> Iterator[Block]:
    """Give each block the titles above it."""
    above: list[tuple[int, str]] = []  # rank and title, outermost first
    for bare in bare_blocks:
        level = 0
        if bare.kind == "heading":
            while above and above[-1][0] >= bare.rank:
                above.pop()
            above.append((bare.rank, _shorten(bare.title)))
            level = bare.rank if bare.rank <= 6 else len(above)
        path = tuple(title for _, title in above if title)
        yield Block(bare.start, bare.end, bare.kind, level, path, bare.header)


def _shorten(title: str) -> str:
    title = " ".join(title.split())
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1] + "…"
