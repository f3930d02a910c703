"""The rows of the grand comparison: every chunker under every retriever that fits, and forms as others publish them.

``benchmarks.grand`` measures them; lesson 24 reads what it found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise

from benchmarks.bakeoff import methods
from benchmarks.retrievers import KINDS, course_indexes, entries
from hierrag_lessons.chunkers import (
    MARKDOWN,
    FixedSizeChunker,
    RecursiveChunker,
    SentenceChunker,
    StructureChunker,
    broad_hierarchy,
    build_hierarchy,
    make_units,
)
from hierrag_lessons.model import Chunk, Chunker, Document, Embedder, Hierarchy, Language, Retriever, Span
from hierrag_lessons.ranking import MaxSimReranker
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    FlatRetriever,
    FourLevelRetriever,
    HybridRetriever,
    LocalWindow,
    MultiLevelRetriever,
    ParentChildRetriever,
    SegmentRetriever,
    SentenceWindowRetriever,
    SummaryTreeRetriever,
)
from hierrag_lessons.store import Index, temporary_index
from hierrag_lessons.text import blocks_within

OUTER = (StructureChunker(2000, 600), StructureChunker(600, 200))
"""Parts and sections around every kind of leaf, as in the course's own hierarchy."""

SECTION, LEAF = 2, 3
CHILDREN = 4  # to search for each parent asked for, so that large contexts fill
FLAT = "structure | flat hybrid"
SIZES = (100, 200, 400, 800, 1200)


@dataclass(frozen=True)
class Method:
    """A retriever on its index, and the number of passages that its source returns, where it comes from a reference."""

    retriever: Retriever
    index: Index
    passages: int | None = None


Methods = Mapping[str, Method]
Group = Callable[[Sequence[Document], Embedder], AbstractContextManager[Methods]]


def _open(stack: ExitStack, trees: Iterator[Hierarchy], embedder: Embedder) -> Index:
    return stack.enter_context(temporary_index(trees, embedder=embedder))


@contextmanager
def under_every_retriever(name: str, documents: Sequence[Document], embedder: Embedder) -> Iterator[Methods]:
    """One chunker's chunks: flat over the whole text, and as leaves inside sections and parts."""
    chunker = methods(embedder)[name]
    with ExitStack() as stack:
        flat = _open(stack, (build_hierarchy(d, [chunker]) for d in documents), embedder)
        trees = [build_hierarchy(d, [*OUTER, chunker]) for d in documents]
        leaves = _open(stack, (replace(t, searched=frozenset({SECTION, LEAF})) for t in trees), embedder)
        units = _open(stack, map(make_units, trees), embedder)
        yield {
            f"{name} | flat vectors": Method(FlatRetriever(flat), flat),
            f"{name} | flat words": Method(FlatRetriever(flat, mode="text"), flat),
            f"{name} | flat hybrid": Method(FlatRetriever(flat, mode="hybrid"), flat),
            f"{name} | parent-child": Method(
                ParentChildRetriever(leaves, LEAF, mode="hybrid", children_per_passage=CHILDREN), leaves
            ),
            f"{name} | auto-merging": Method(AutoMergingRetriever(leaves, LEAF, mode="hybrid"), leaves),
            f"{name} | segments": Method(SegmentRetriever(leaves, LEAF, mode="hybrid"), leaves),
            f"{name} | leaf and section": Method(HybridRetriever(leaves, LEAF, {SECTION: 0.5}), leaves),
            f"{name} | every level": Method(MultiLevelRetriever(units), units),
        }


@contextmanager
def of_the_course(documents: Sequence[Document], embedder: Embedder) -> Iterator[Methods]:
    """What needs an index of its own: windows, summaries, four levels, larger families; and the former fusion."""
    with ExitStack() as stack:
        made = {
            kind: _open(stack, (KINDS[kind](d, embedder) for d in documents), embedder)
            for kind in ("leaves", "sentences", "summary tree", "four levels")
        }
        broad = [broad_hierarchy(document) for document in documents]
        leaves, units = _open(stack, iter(broad), embedder), _open(stack, map(make_units, broad), embedder)
        sentences, tree, four = made["sentences"], made["summary tree"], made["four levels"]
        yield {
            "structure | sentence window ±2": Method(SentenceWindowRetriever(sentences, mode="hybrid"), sentences),
            "structure | summary tree, collapsed": Method(SummaryTreeRetriever(tree, mode="hybrid"), tree),
            "structure | four levels": Method(FourLevelRetriever(four, mode="hybrid"), four),
            "structure | hybrid by ranks": Method(
                HybridRetriever(made["leaves"], fusion="reciprocal_rank"), made["leaves"]
            ),
            "broad, leaves of 100 | auto-merging": Method(AutoMergingRetriever(leaves, mode="hybrid"), leaves),
            "broad, leaves of 100 | parent-child": Method(
                ParentChildRetriever(leaves, mode="hybrid", children_per_passage=CHILDREN), leaves
            ),
            "broad, leaves of 100 | every level": Method(MultiLevelRetriever(units), units),
        }


SECOND_LOOK = {
    "coarse to fine, by meaning",
    "coarse to fine, by words",
    "diverse",
    "fixed policy with tools",
    "reranking by late interaction",
}
"""What looks twice or more, and so takes long: on the cores alone. Named as in ``benchmarks.retrievers``."""


@contextmanager
def with_a_second_look(documents: Sequence[Document], embedder: Embedder) -> Iterator[Methods]:
    """Coarse to fine, diversity, an agent's fixed policy, and late interaction where the model knows the language."""
    with course_indexes(documents, embedder) as indexes:
        found = entries(indexes, documents[0].language)
        yield {
            f"structure | {name}": Method(entry.retriever, indexes[entry.kind])
            for name, entry in found.items()
            if name in SECOND_LOOK
        }


@contextmanager
def of_sizes(documents: Sequence[Document], embedder: Embedder) -> Iterator[Methods]:
    """Flat hybrid search over recursive chunks of several sizes: what to try before any hierarchy."""
    with ExitStack() as stack:
        yield {
            f"recursive {size} | flat hybrid": Method(FlatRetriever(index, mode="hybrid"), index)
            for size in SIZES
            for chunker in [RecursiveChunker(size, separators=MARKDOWN)]
            for index in [_open(stack, (build_hierarchy(d, [chunker]) for d in documents), embedder)]
        }


@contextmanager
def as_published(documents: Sequence[Document], embedder: Embedder) -> Iterator[Methods]:
    """Forms and settings of the references, by vectors alone unless they say otherwise, on blind cuts as in their code.

    The number is how many passages the reference returns: its own context, which differs from row to row.
    """

    def tree(stack: ExitStack, *chunkers: Chunker) -> Index:
        return _open(stack, (build_hierarchy(d, chunkers) for d in documents), embedder)

    with ExitStack() as stack:
        small, large = tree(stack, FixedSizeChunker(200)), tree(stack, FixedSizeChunker(800))
        parents = tree(stack, FixedSizeChunker(1500), FixedSizeChunker(400))
        three = tree(stack, FixedSizeChunker(2000), FixedSizeChunker(600), FixedSizeChunker(200))
        llama = tree(stack, SentenceChunker(2048), SentenceChunker(512), SentenceChunker(128))
        window = LocalWindow(180, siblings=1, gap=50)
        rows = {
            "note: flat 200": Method(FlatRetriever(small), small, 5),
            "note: flat 800": Method(FlatRetriever(large), large, 5),
            "note: window of ±1 leaf": Method(SentenceWindowRetriever(three, LEAF, 1, 1, SECTION), three, 3),
            "note: parent-child 1500/400": Method(
                ParentChildRetriever(parents, alpha=1, coverage=0, children_per_passage=2), parents, 2
            ),
            "note: auto-merging 2000/600/200, 12, .5": Method(
                AutoMergingRetriever(three, leaves=12, threshold=0.5), three, 5
            ),
            "LlamaIndex: 2048/512/128, 12, over .5": Method(AutoMergingRetriever(llama, leaves=12), llama, 6),
            "article: small to big, .7 max, .3 coverage, windows": Method(
                ParentChildRetriever(parents, alpha=0.7, coverage=0.3, window=window), parents, 3
            ),
        }
        if documents[0].language == "en":  # The model whose word pieces are compared knows few Chinese characters.
            rows["note: 50 leaves, reranked to 10, merged, 5"] = Method(
                AutoMergingRetriever(three, leaves=10, threshold=0.5, candidates=50, reranker=MaxSimReranker()),
                three,
                5,
            )
        yield rows


@dataclass(frozen=True)
class _CutAt:
    """Pieces that begin where a line matches, as a law's Titles and Articles do; for texts that have such lines."""

    pattern: str

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """See :class:`~hierrag_lessons.model.Chunker`."""
        start, end = within or document.span
        found = re.finditer(rf"^(?:{self.pattern})", document.text[start:end], re.MULTILINE)
        cuts = sorted({start, end} | {start + match.start() for match in found})
        spans = [(a, b) for a, b in pairwise(cuts) if document.text[a:b].strip()]
        return [Chunk(document.doc_id, a, b, document.text[a:b], _headings(document, Span(a, b))) for a, b in spans]


def _headings(document: Document, span: Span) -> str:
    """The headings that the first block of a span stands under."""
    blocks = blocks_within(document, span)
    return " › ".join(blocks[0].path[-3:]) if blocks else ""


LAW = {
    "en": ("# (?:Title|Annex)|## Recitals", "### Article|## Table", r"\(\d+\)"),
    "zh": ("## 第.{1,3}编", r"\*\*第.{1,6}条", "（.{1,3}）"),
}
"""Where the Titles, Articles and paragraphs of the course's two laws begin."""


def advised(kind: str, language: Language) -> tuple[Chunker, ...] | None:
    """The sizes that the study note advises for this sort of text (section 7.2); ``None`` where it advises none."""
    sizes = {"research paper": (4000, 1000, 250), "annual report": (2000, 600, 200)}
    if kind in sizes:
        return tuple(StructureChunker(size, size // 3) for size in sizes[kind])
    if kind == "regulation":
        return tuple(_CutAt(pattern) for pattern in LAW[language])
    if kind == "news":
        return (RecursiveChunker(200, separators=("\n\n",)), SentenceChunker(max_sentences=1))
    if kind == "questions and answers":
        return (_CutAt("## "), _CutAt("### "), RecursiveChunker(200, separators=("\n\n",)))
    return None


@contextmanager
def by_advised_sizes(
    kind: str, documents: Sequence[Document], embedder: Embedder, language: Language
) -> Iterator[Methods]:
    """Merging and every level on a tree of the sizes that the note advises, beside the course's own."""
    chunkers = advised(kind, language)
    assert chunkers is not None
    with ExitStack() as stack:
        made = [build_hierarchy(d, chunkers) for d in documents]
        ours = [build_hierarchy(d, [*OUTER, methods()["structure"]]) for d in documents]
        rows: dict[str, Method] = {}
        for name, trees in (("advised", made), ("ours", ours)):
            leaves, units = _open(stack, iter(trees), embedder), _open(stack, map(make_units, trees), embedder)
            rows[f"{name} | flat hybrid"] = Method(FlatRetriever(leaves, mode="hybrid"), leaves)
            rows[f"{name} | auto-merging"] = Method(AutoMergingRetriever(leaves, mode="hybrid"), leaves)
            rows[f"{name} | every level"] = Method(MultiLevelRetriever(units), units)
        yield rows


GROUPS: Mapping[str, Group] = {
    "course": of_the_course,
    "second look": with_a_second_look,
    "sizes": of_sizes,
    "published": as_published,
}
"""Groups of rows that share indexes, beside one for each chunker."""
