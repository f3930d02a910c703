"""Hybrid chunks: the author's structure first, and a finer method only where structure leaves too much in one piece.

Lesson 12 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pstdev
from typing import Literal

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_sizes, check_within
from hierrag_lessons.chunkers.dialogue import DialogueChunker
from hierrag_lessons.chunkers.recursive import MARKDOWN, RecursiveChunker
from hierrag_lessons.chunkers.semantic.greedy import SemanticChunker
from hierrag_lessons.chunkers.semantic.optimal import OptimalSemanticChunker
from hierrag_lessons.chunkers.sentence import sentence_units
from hierrag_lessons.chunkers.structure.chunker import SEPARATOR, StructureChunker
from hierrag_lessons.model import Chunk, Document, Embedder, Span
from hierrag_lessons.spans import subtract
from hierrag_lessons.text import Block, Measure, Ruler, blocks_within, count_tokens, make_ruler

Tier = Literal["fast", "balanced", "quality"]

_PARAGRAPH, _LINE, _SENTENCE, _CLAUSE, _WORD = MARKDOWN[6:]

RUNNING_TEXT = (rf"[.!?…。！？；][\"'”’」』）》)\]*_]*{_PARAGRAPH}", _SENTENCE, _PARAGRAPH, _LINE, _CLAUSE, _WORD)
"""Separators for running text: paragraph, sentence, line, clause, word. A paragraph without a full stop at its end is a
heading or leads on to the next, so it is not cut off unless there is no other way."""

LONG = 1.5
"""Prose above this multiple of ``max_size`` is long: it holds several subjects, and cuts should fall between them."""

UNEVEN = 1.0
"""Prose is uneven where its sentences' sizes have a standard deviation above this multiple of their mean."""


@dataclass(frozen=True)
class HybridChunker:
    r"""Choose the method by what stands there, and write down which and why.

    >>> document = Document("d", "# A\n\nShort.\n\n# B\n\nIt rained. The river rose.", "markdown")
    >>> chunker = HybridChunker(20, 5, 0, tier="fast", measure=len)
    >>> [(chunk.text[-6:], chunk.metadata["method"]) for chunk in chunker.chunk(document)]
    [('Short.', 'structure'), ('ained.', 'recursive'), (' rose.', 'recursive')]

    - A dialogue is cut between turns (:class:`~hierrag_lessons.chunkers.dialogue.DialogueChunker`).
    - Everything else is cut at its structure (:class:`~hierrag_lessons.chunkers.structure.StructureChunker`): a section
      that fits is a chunk, short ones are merged, code, tables and formulas stay whole.
    - Only running text above ``max_size``, neighbouring paragraphs under one heading, needs a finer method: semantic
      where it is long or uneven, recursive otherwise. The tier says how much that may cost.

    Each chunk's metadata has ``method`` and ``reason``. Chunks under headings have the heading path as context.

    The idea of cutting coarsely by structure and finely by need, with its three tiers, is common practice. The sizes
    are those of a published recipe for Chinese, 750 characters, at least 320, an overlap of 10 % and 1,100 characters
    from where text counts as long: with 0.53 tokens a character, 400, 170, 40 and one and a half times 400 tokens.

    Parameters
    ----------
    max_size:
        The largest size of a chunk's text, in units of ``measure``.
    min_size:
        Sections below this size are merged, and semantic chunks are not made smaller.
    overlap:
        How much of a chunk its successor repeats at most where running text is cut recursively. Elsewhere neighbours
        share their heading path or, in a dialogue, with any overlap above 0, one turn.
    tier:
        ``"fast"`` embeds nothing: running text is cut recursively. ``"balanced"`` cuts what is long or uneven
        greedily where the meaning changes. ``"quality"`` cuts all running text at the best set of such places.
    embedder:
        Finds where the meaning changes; the default one of the document's language where not given.
    measure:
        ``count_tokens``, ``len`` for characters, or any function from a string to an integer.

    Raises
    ------
    ValueError
        When it is made, for impossible sizes, a ``min_size`` above ``max_size``, an unknown tier, an embedder that
        cannot embed, or a measure that is no function.
    """

    max_size: int = 400
    min_size: int = 170
    overlap: int = 40
    tier: Tier = "balanced"
    embedder: Embedder | None = None
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        check_sizes(self.max_size, min_size=self.min_size, overlap=self.overlap)
        checks.one_of("tier", self.tier, Tier)
        checks.able("embedder", self.embedder, "encode", none="the language's own")
        checks.measure("measure", self.measure)

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        if document.kind == "dialogue":
            dialogue = DialogueChunker(self.max_size, overlap_turns=min(1, self.overlap), measure=self.measure)
            return [
                _noted(chunk, "dialogue", "whole turns, where they fit") for chunk in dialogue.chunk(document, span)
            ]
        ruler = make_ruler(document.text, self.measure)
        runs = [run for run in _prose(blocks_within(document, span)) if ruler.size(*run.span) > self.max_size]
        structure = StructureChunker(self.max_size, self.min_size, self.measure)
        chunks = []
        # The runs are taken out of the span first, and what is left is cut by structure: nothing can fall between.
        for rest in subtract(span, [run.span for run in runs]):
            chunks += [_with_structure(chunk, document) for chunk in structure.chunk(document, rest)]
        for run in runs:
            chunks += self._refine(document, run, ruler)
        return sorted(chunks, key=lambda chunk: chunk.start)

    def _refine(self, document: Document, run: _Run, ruler: Ruler) -> Iterator[Chunk]:
        """Cut running text that is too large for one chunk."""
        method, reason = self._method(document.text, run, ruler)
        chunker: RecursiveChunker | SemanticChunker | OptimalSemanticChunker
        if method == "recursive":
            chunker = RecursiveChunker(self.max_size, self.overlap, self.measure, RUNNING_TEXT)
        elif method == "semantic":
            chunker = SemanticChunker(self.max_size, self.min_size, embedder=self.embedder, measure=self.measure)
        else:
            chunker = OptimalSemanticChunker(self.max_size, self.min_size, embedder=self.embedder, measure=self.measure)
        for chunk in chunker.chunk(document, run.span):
            yield replace(_noted(chunk, method, reason), context=SEPARATOR.join(run.path[-3:]))

    def _method(self, text: str, run: _Run, ruler: Ruler) -> tuple[str, str]:
        """How to cut running text, and why."""
        if self.tier == "quality":
            return "optimal semantic", "running text above max_size"
        long = ruler.size(*run.span) > LONG * self.max_size
        if self.tier == "fast" or not (long or self._is_uneven(text, run, ruler)):
            return "recursive", "running text above max_size"
        return "semantic", "long running text" if long else "running text of uneven sentences"

    def _is_uneven(self, text: str, run: _Run, ruler: Ruler) -> bool:
        sizes = [ruler.size(*sentence) for sentence in sentence_units(text, run.span, ruler, self.max_size)]
        return round(pstdev(sizes) - UNEVEN * fmean(sizes), 6) > 0


@dataclass(frozen=True)
class _Run:
    """Neighbouring paragraphs under one heading, and the headings directly above them."""

    span: Span
    path: tuple[str, ...]


def _prose(blocks: Sequence[Block]) -> Iterator[_Run]:
    """The running text of a document: what a heading, a list, a table, code or a formula interrupts is two runs."""
    run: list[Block] = []
    for block in blocks:
        if block.kind in ("paragraph", "quote"):
            run.append(block)
        elif block.kind != "heading":
            # The paragraph in front of a table or a list introduces it, so it stays with it.
            yield from _as_run(run[:-1])
            run = []
        elif run and run[-1].kind == "heading" and run[-1].path == block.path[: len(run[-1].path)]:
            run.append(block)  # A heading with nothing below it but a deeper heading.
        else:
            yield from _as_run(run)
            run = [block]
    yield from _as_run(run)


def _as_run(blocks: Sequence[Block]) -> Iterator[_Run]:
    if blocks and blocks[-1].kind != "heading":
        yield _Run(Span(blocks[0].start, blocks[-1].end), blocks[-1].path)


def _with_structure(chunk: Chunk, document: Document) -> Chunk:
    """Note why a chunk of the structure is what it is."""
    atomic = [block for block in blocks_within(document, chunk.span) if block.atomic]
    if chunk.metadata.get("oversized"):
        reason = "never cut, although it is larger than max_size"
    elif "\n" in chunk.context:
        reason = "rows of a table above max_size, with its header in the context"
    elif atomic:
        reason = f"keeps whole: {', '.join(sorted({block.kind for block in atomic}))}"
    else:
        reason = "a section, or blocks of one, that fits"
    return _noted(chunk, "structure", reason)


def _noted(chunk: Chunk, method: str, reason: str) -> Chunk:
    return replace(chunk, metadata={**chunk.metadata, "method": method, "reason": reason})
