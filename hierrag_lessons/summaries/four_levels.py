"""Four levels over one text: the document's summary, its sections' summaries, its chunks, its propositions.

Lesson 17 builds it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, cast

from hierrag_lessons import checks
from hierrag_lessons.chunkers import COURSE_CHUNKERS, Level, build_hierarchy
from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import JSON, Chunker, Document, Hierarchy, Node, Span
from hierrag_lessons.propositions import Proposition, RulePropositions
from hierrag_lessons.summaries.extractive import ExtractiveSummariser
from hierrag_lessons.summaries.protocol import Summariser


class Extractor(Protocol):
    """Anything that finds propositions, such as ``RulePropositions`` or ``LLMPropositions``."""

    def extract(self, document: Document, within: Span | None = None) -> list[Proposition]:
        """The propositions of the document, or of the part ``within`` of it, in document order."""
        ...


def build_four_levels(
    document: Document,
    chunkers: Sequence[Chunker] = COURSE_CHUNKERS,
    *,
    levels: Collection[int] = tuple(Level),
    summariser: Summariser | None = None,
    extractor: Extractor | None = None,
    document_tokens: int = 300,
    section_tokens: int = 200,
) -> Hierarchy:
    """Build the levels of :class:`Level` that are switched on, each node linked to the one above it.

    - ``DOCUMENT``: one summary, derived; its source is the whole document.
    - ``SECTION``: a summary of each section, derived; its source is the whole section.
    - ``CHUNK``: the chunks, plain spans.
    - ``PROPOSITION``: statements, derived; their sources are the spans that they were taken from.

    Level 0 stays the document's own text. What a summary's sentences were taken or written from stands in its
    metadata, see :func:`cited`. Propositions are read from the whole document, so that an item of a list can name the
    line that introduces it; one belongs to the chunk that its last source begins in, and has its context.

    A level that is switched off is not made, its number stays free, and its children are linked to the next level above
    that is there. The other levels are the same with and without it. A document's summary is made of its sections'
    summaries, so these are written for it in any case, and then thrown away where their level is off.

    The four levels follow a published four-level index (document and section summaries, chunks of 512 tokens,
    propositions), which calls them L0 to L3; that of propositions follows Chen et al., *Dense X Retrieval* (2023).

    Parameters
    ----------
    document:
        Any document. A blank one has only its root.
    chunkers:
        Each runs inside the pieces of the one before, see :func:`~hierrag_lessons.chunkers.build_hierarchy`. The first
        makes the sections, the last the chunks; any between them only guide where the chunks are cut.
    levels:
        The levels to build.
    summariser:
        :class:`~hierrag_lessons.summaries.ExtractiveSummariser` where not given.
    extractor:
        :class:`~hierrag_lessons.propositions.RulePropositions` where not given.
    document_tokens, section_tokens:
        The largest size of a summary. The course's English embedder reads 256 word pieces, and a heading path stands in
        front of a section's summary.

    Returns
    -------
    Hierarchy
        It has no level below the last one that is switched on; all that are switched on are searched.

    Raises
    ------
    ValueError
        Where no level is switched on, one is unknown, there are fewer than two chunkers, or a size is below 1; and what
        the chunkers, the summariser and the extractor raise.
    """
    if not checks.has_members(levels) or not levels or not all(level in tuple(Level) for level in levels):
        raise ValueError(f"levels is {levels!r}; give one or more of {', '.join(map(str, Level))}")
    wanted = frozenset(levels)
    checks.able("summariser", summariser, "summarise", none="whole sentences")
    checks.able("extractor", extractor, "extract", none="rules")
    checks.whole("document_tokens", document_tokens, 1)
    checks.whole("section_tokens", section_tokens, 1)
    frame = build_hierarchy(document, chunkers)
    if len(frame.levels) < 3:
        raise ValueError("chunkers has only one; give one for the sections and one for the chunks")
    outline = _outline(frame)
    nodes: dict[int, Sequence[Node]] = {0: outline[0], Level.CHUNK: outline[Level.CHUNK]}
    writer = summariser or ExtractiveSummariser()
    if wanted & {Level.DOCUMENT, Level.SECTION}:
        nodes[Level.SECTION] = _sum_up_sections(document, outline, writer, section_tokens)
    if Level.DOCUMENT in wanted:
        # Of a section, the document's summary reads what its summary says; where there is only one, its chunks.
        parts = [replace(section, sources=cited(section)) for section in nodes[Level.SECTION]]
        parts = parts if len(parts) > 1 else list(outline[Level.CHUNK])
        nodes[Level.DOCUMENT] = [
            _sum_up(document, whole, parts, writer, document_tokens) for whole in outline[Level.DOCUMENT]
        ]
    if Level.PROPOSITION in wanted:
        nodes[Level.PROPOSITION] = _propositions(document, outline[Level.CHUNK], extractor or RulePropositions())
    return Hierarchy(document, _link(nodes, outline, wanted), wanted)


def cited(node: Node) -> tuple[Span, ...]:
    """The spans that a summary was taken or written from; of any other node, the spans that it stands for."""
    checks.instance("node", node, Node)
    cites = node.metadata.get("cites")
    return tuple(Span(*cite) for cite in cast("list[list[int]]", cites)) if cites else node.spans


def _outline(frame: Hierarchy) -> dict[int, list[Node]]:
    """The document, its sections and its chunks as nodes of their levels; the summaries have no words yet."""
    document = frame.document
    root, chunks = frame.root, frame.leaves
    outline: dict[int, list[Node]] = {0: [root], Level.DOCUMENT: [], Level.SECTION: [], Level.CHUNK: []}
    if not chunks:
        return outline
    whole = _node(document, Level.DOCUMENT, 0, document.span, root)
    outline[Level.DOCUMENT] = [replace(whole, sources=(document.span,))]
    section_of = {}
    for found in frame.levels[1]:
        section = _node(document, Level.SECTION, found.position, found.span, whole, found.context)
        outline[Level.SECTION].append(replace(section, sources=(found.span,)))
        section_of[found.node_id] = section
    for between in frame.levels[2:]:
        section_of |= {node.node_id: section_of[str(node.parent_id)] for node in between}
    for leaf in chunks:
        chunk = _node(document, Level.CHUNK, leaf.position, leaf.span, section_of[leaf.node_id], leaf.context)
        outline[Level.CHUNK].append(replace(chunk, text=leaf.text, metadata=leaf.metadata))
    return outline


def _node(document: Document, level: Level, position: int, span: Span, parent: Node, context: str = "") -> Node:
    name = f"{document.doc_id}:{level:d}:{position}:{span.start}-{span.end}"
    return Node(name, document.doc_id, int(level), *span, "", context, parent.node_id, position)


def _sum_up_sections(
    document: Document, outline: Mapping[int, Sequence[Node]], summariser: Summariser, max_tokens: int
) -> list[Node]:
    chunks: dict[str | None, list[Node]] = {}
    for chunk in outline[Level.CHUNK]:
        chunks.setdefault(chunk.parent_id, []).append(chunk)
    return [
        _sum_up(document, section, chunks.get(section.node_id, [section]), summariser, max_tokens)
        for section in with_progress(outline[Level.SECTION], "summaries")
    ]


def _sum_up(document: Document, node: Node, parts: Sequence[Node], summariser: Summariser, max_tokens: int) -> Node:
    summary = summariser.summarise(document, parts, max_tokens)
    cites: list[JSON] = [list(cite) for cite in summary.cites]
    return replace(node, text=summary.text, metadata={"summariser": summariser.name, "cites": cites})


def _propositions(document: Document, chunks: Sequence[Node], extractor: Extractor) -> list[Node]:
    starts = [chunk.start for chunk in chunks]
    nodes = []
    for position, found in enumerate(extractor.extract(document)):
        # With overlapping chunks this is the last one that the source begins in.
        home = chunks[max(0, bisect_right(starts, found.sources[-1].start) - 1)]
        node = _node(document, Level.PROPOSITION, position, found.span, home, home.context)
        nodes.append(replace(node, text=found.text, sources=found.sources))
    return nodes


def _link(
    nodes: Mapping[int, Sequence[Node]], outline: Mapping[int, Sequence[Node]], wanted: Collection[int]
) -> tuple[tuple[Node, ...], ...]:
    """The levels that are wanted and, above each node, the nearest one of them; empty levels keep the numbers."""
    above = {node.node_id: node for level in outline.values() for node in level}

    def nearest(node: Node) -> str | None:
        parent = None if node.parent_id is None else above[node.parent_id]
        return None if parent is None else parent.node_id if parent.level in {0, *wanted} else nearest(parent)

    kept = [nodes[level] if level in {0, *wanted} else () for level in range(max(wanted) + 1)]
    return tuple(tuple(replace(node, parent_id=nearest(node)) for node in level) for level in kept)
