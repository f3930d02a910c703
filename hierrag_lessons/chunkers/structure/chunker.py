"""Structure chunks: cut where the author did, at headings, and tell each chunk the headings that it stands under.

Lesson 07 builds it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_within, to_chunks
from hierrag_lessons.chunkers.structure.division import Division, Unit, missing_header
from hierrag_lessons.chunkers.structure.sections import find_sections, merge_sections
from hierrag_lessons.model import Chunk, Document, Span, join_context
from hierrag_lessons.text import Measure, blocks_within, count_tokens, make_ruler

SEPARATOR = " › "
"""Stands between the titles of a heading path."""


@dataclass(frozen=True)
class StructureChunker:
    r"""One chunk for each section; long sections are divided at paragraphs, short ones merged.

    >>> document = Document("d", "# Guide\n\n## Setup\n\nInstall it.\n\n## Use\n\nRun it.", kind="markdown")
    >>> [(chunk.context, chunk.text) for chunk in StructureChunker(30, min_size=0, measure=len).chunk(document)]
    [('Guide › Setup', '# Guide\n\n## Setup\n\nInstall it.'), ('Guide › Use', '## Use\n\nRun it.')]

    A section is a heading and what stands under it, up to the next heading of any level. Sections below ``min_size``
    are joined with the next one under the same heading as long as they fit, the last one with the one before. A section
    above ``max_size`` is divided between its blocks, and inside a block, between list items or sentences, only where
    the block is too large or a chunk would otherwise be too small. A heading, a caption and a line that ends with a
    colon stay with what follows. Code, formulas and tables are never cut, with one exception: a table above
    ``max_size`` is divided between rows. Code, a formula or a single row above ``max_size`` is a chunk of its own,
    marked ``oversized``.

    Each chunk's ``context`` is its heading path, ``A › B › C``; where a divided table goes on, its header rows follow
    in the next lines. The text stays an exact span. There is no overlap: the path is what neighbouring chunks share.

    Parameters
    ----------
    max_size:
        The largest size of a chunk's text, in units of ``measure``; the context is not counted.
    min_size:
        Sections below this size are merged; 0 for never.
    measure:
        ``count_tokens``, ``len`` for characters, or any function from a string to an integer.
    path_depth:
        How many levels of the heading path are given, counted from the innermost; 0 for no path.

    Raises
    ------
    ValueError
        When it is made, for ``max_size < 1``, ``min_size < 0``, ``path_depth < 0``, or a measure that is no function.
    """

    max_size: int = 400
    min_size: int = 100
    measure: Measure = count_tokens
    path_depth: int = 3

    def __post_init__(self) -> None:
        checks.whole("max_size", self.max_size, 1)
        checks.whole("min_size", self.min_size, 0)
        checks.measure("measure", self.measure)
        checks.whole("path_depth", self.path_depth, 0)

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        sections = find_sections(blocks_within(document, span))
        division = Division(document, ruler, self.max_size, self.min_size)
        chunks: list[Chunk] = []
        for section in merge_sections(sections, ruler, self.max_size, self.min_size):
            path = SEPARATOR.join(section.path[-self.path_depth :] if self.path_depth else ())
            if ruler.size(*section.span) <= self.max_size:
                units = [Unit(section.span, missing_header(document.text, section.blocks[0]))]
            else:
                units = division.divide(section.blocks)
            for unit in units:
                context = join_context(path, unit.header) if unit.header else path
                made = to_chunks(document, [unit.span], ruler, self.max_size)
                chunks += [replace(chunk, context=context) for chunk in made]
        return chunks
