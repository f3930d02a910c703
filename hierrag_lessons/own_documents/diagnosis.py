"""What cutting does to a folder's documents: lengths, tables and pairs cut through, families, ceilings, truncation.

Lesson 24 uses it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, median

from hierrag_lessons import checks
from hierrag_lessons.chunkers import broad_hierarchy, course_hierarchy
from hierrag_lessons.chunkers.dialogue import read_turns
from hierrag_lessons.embedding import CachedEmbedder, LimitedEmbedder, TruncationWarning
from hierrag_lessons.evaluation import Cell, Question, Table, recall
from hierrag_lessons.model import Chunk, Document, Embedder, Hierarchy, Language, Passage, Span
from hierrag_lessons.own_documents.methods import SIZES, flat_chunker
from hierrag_lessons.retrievers import FlatRetriever
from hierrag_lessons.store import temporary_index
from hierrag_lessons.text import count_tokens, read_blocks

COARSE = (("documents", 0), ("parts of 2,000", 1), ("sections of 600", 2))
KEPT = (1, 3, 10)
"""How many of the best of a coarse level its ceiling is computed for."""

_TINY = 20  # tokens
_ASKING = ("?", "？")


@dataclass(frozen=True)
class Diagnosis:
    """Tables about the documents, and the tokens of every chunk by the name of the chunker."""

    sizes: Mapping[str, Sequence[int]]
    chunks: Table
    families: Table
    ceilings: Table


def diagnose(
    documents: Sequence[Document], questions: Sequence[Question], embedders: Mapping[Language, Embedder]
) -> Diagnosis:
    """Cut the documents in every way that flat search is tried with, and look at the pieces.

    ``chunks`` has for each chunker the number of chunks, their lengths in tokens, and the shares of tables and of
    pairs of question and answer that no single chunk holds whole; of the chunks that are longer than the embedder
    reads; and of all word pieces that are so never read. ``families`` has the children per parent of both trees of the
    course. ``ceilings`` has the recall of all text in the best one, three and ten nodes of each coarse level, found by
    vectors and words: what a search that keeps only these cannot exceed.

    Raises ``ValueError`` for no documents, and a language without an embedder.
    """
    read = checks.each("documents", documents, Document)
    asked = checks.each("questions", questions, Question)
    missing = sorted({document.language for document in read} - embedders.keys())
    if not read or missing:
        raise ValueError(f"there are {len(read)} documents, without an embedder: {missing}; give one of each language")
    wholes = {document.doc_id: (_tables(document), _pairs(document)) for document in read}
    sizes, lines = dict[str, list[int]](), list[tuple[Cell, ...]]()
    for kind in ("recursive", "structure"):
        for size in SIZES:
            chunker, name = flat_chunker(kind, size), f"{kind} {size}"
            cut = {document.doc_id: chunker.chunk(document) for document in read}
            chunks = [chunk for found in cut.values() for chunk in found]
            lengths = sorted(count_tokens(chunk.text) for chunk in chunks)
            sizes[name] = lengths
            torn = [_torn([spans[at] for spans in wholes.values()], list(cut.values())) for at in (0, 1)]
            spread = (median(lengths), lengths[int(0.95 * (len(lengths) - 1))], lengths[-1]) if lengths else (0, 0, 0)
            tiny = fmean(length < _TINY for length in lengths) if lengths else 0.0
            lines.append((name, len(lengths), *spread, tiny, *torn, *_unread(read, cut, embedders)))
    columns = (
        "chunker",
        "chunks",
        "median",
        "95th",
        "longest",
        "tiny",
        "tables cut",
        "pairs cut",
        "too long",
        "unread",
    )
    caption = (
        f"Lengths in tokens; tiny: share below {_TINY} tokens; cut: share of tables, and of questions with their "
        "answer, that no chunk holds whole; too long: share of chunks longer than the embedder reads; unread: share of "
        "all word pieces that it does not read"
    )
    return Diagnosis(sizes, Table(columns, tuple(lines), caption), _families(read), _ceilings(read, asked, embedders))


def _tables(document: Document) -> list[Span]:
    return [Span(block.start, block.end) for block in read_blocks(document) if block.kind == "table"]


def _pairs(document: Document) -> list[Span]:
    """Turns and headings that ask, each with what comes next: another speaker's turn, or the block below."""
    if document.kind == "dialogue":
        turns = read_turns(document, document.span)
        return [
            Span(turn.start, after.end)
            for turn, after in pairwise(turns)
            if turn.speaker != after.speaker and any(mark in document.text[turn.start : turn.end] for mark in _ASKING)
        ]
    return [
        Span(block.start, after.end)
        for block, after in pairwise(read_blocks(document))
        if block.kind == "heading" and after.kind != "heading" and block.path and block.path[-1].endswith(_ASKING)
    ]


def _torn(wholes: Sequence[Sequence[Span]], cut: Sequence[Sequence[Chunk]]) -> float | None:
    """The share of the spans that no single chunk holds, white space at their ends aside; None where there are none."""
    torn = [
        not any(chunk.start <= start and end <= chunk.end for chunk in chunks)
        for spans, chunks in zip(wholes, cut, strict=True)
        for start, end in spans
    ]
    return fmean(torn) if torn else None


def _unread(
    documents: Sequence[Document], cut: Mapping[str, Sequence[Chunk]], embedders: Mapping[Language, Embedder]
) -> tuple[float | None, float | None]:
    """The share of chunks that are longer than their embedder reads, and of word pieces that it does not read."""
    counts: list[int] = []
    cut_off: list[int] = []
    for language, embedder in embedders.items():
        model = embedder.embedder if isinstance(embedder, CachedEmbedder) else embedder
        if not isinstance(model, LimitedEmbedder) or model.max_tokens is None:
            continue
        texts = [c.embedding_text for d in documents if d.language == language for c in cut[d.doc_id]]
        pieces = model.count_word_pieces(texts)
        counts += pieces
        cut_off += [max(0, piece - model.max_tokens) for piece in pieces]
    if not counts:
        return None, None
    return fmean(beyond > 0 for beyond in cut_off), sum(cut_off) / sum(counts)


def _families(documents: Sequence[Document]) -> Table:
    trees: dict[str, Callable[[Document], Hierarchy]] = {
        "2,000/600/200": course_hierarchy,
        "3,600/600/100": broad_hierarchy,
    }
    lines: list[tuple[Cell, ...]] = []
    for name, make in trees.items():
        made = [make(document) for document in documents]
        for parents, level in (("documents", 0), ("parts", 1), ("sections", 2)):
            children = [len(tree.children(node)) for tree in made for node in tree.levels[level]]
            many = fmean(4 <= n <= 8 for n in children) if children else 0.0
            lines.append((name, parents, len(children), median(children or [0]), fmean(n == 1 for n in children), many))
    caption = "Children per parent. A parent with one child adds nothing; four to eight are good for merging"
    return Table(("tree", "parents", "number", "median children", "only one", "four to eight"), tuple(lines), caption)


def _ceilings(
    documents: Sequence[Document], questions: Sequence[Question], embedders: Mapping[Language, Embedder]
) -> Table:
    found: dict[str, list[list[float]]] = {name: [] for name, _ in COARSE}
    for language, embedder in embedders.items():
        asked = [question for question in questions if question.language == language]
        for name, passages in _coarse([d for d in documents if d.language == language], asked, embedder):
            found[name] += [
                [recall(best[:kept], question.evidence) for kept in KEPT]
                for question, best in zip(asked, passages, strict=True)
            ]
    trees = [course_hierarchy(document) for document in documents]
    lines: list[tuple[Cell, ...]] = []
    for name, level in COARSE:
        means = [fmean(scores) for scores in zip(*found[name], strict=True)]
        lines.append((name, sum(len(tree.levels[level]) for tree in trees), *means))
    caption = "Recall of everything inside the best nodes of a coarse level: no search inside them can find more"
    return Table(("level", "nodes", *(f"best {kept}" for kept in KEPT)), tuple(lines), caption)


def _coarse(
    documents: Sequence[Document], questions: Sequence[Question], embedder: Embedder
) -> Iterator[tuple[str, list[list[Passage]]]]:
    levels = frozenset(level for _, level in COARSE)
    trees = (replace(course_hierarchy(document), searched=levels) for document in documents)
    queries = [question.question for question in questions]
    with temporary_index(trees, embedder=embedder) as index, warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        for name, level in COARSE:
            yield name, FlatRetriever(index, level, "hybrid").retrieve_batch(queries, max(KEPT))
