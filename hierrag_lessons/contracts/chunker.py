"""Everything that a chunker promises, on texts of every kind.

Lesson 01 uses it.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from dataclasses import replace
from typing import Any

from hierrag_lessons.chunkers import FixedSizeChunker, build_hierarchy
from hierrag_lessons.contracts.document import Whole, check_document, check_once, given, max_size_of, measure_of, run
from hierrag_lessons.contracts.promise import BrokenPromise, check_counts, check_frozen, check_made, check_refused
from hierrag_lessons.contracts.texts import sample_documents
from hierrag_lessons.model import Chunker, Document, Span


def check_chunker(chunker: Chunker, *, keeps: Collection[Whole] = ()) -> None:
    """Check everything that a chunker promises; return without a word where all of it holds.

    >>> from hierrag_lessons import FixedSizeChunker, check_chunker
    >>> check_chunker(FixedSizeChunker(max_size=20, overlap=5))

    - A chunk's text is that of its span, and chunks are in document order.
    - Nothing is lost: every character that is not white space lies in a chunk.
    - No chunk is larger than ``max_size``, in the unit of ``measure``, but for what cannot be divided; that is marked
      ``metadata["oversized"]``.
    - No character that a reader sees is cut, nor what the chunker ``keeps``.
    - At most ``overlap`` is repeated, in the same unit, from the start of a word.
    - White space has no chunks, and all chunks lie in ``within``, so that chunkers can be nested.
    - The same document gives the same chunks, whatever was cut before, and is not written to.
    - The parameters cannot be set. Impossible ones are refused when the chunker is made, a bad ``within`` when it is
      used.

    Parameters
    ----------
    chunker:
        A frozen dataclass with a field ``max_size``, and with ``measure`` and ``overlap`` where it has such options.
        Most faults show where chunks are small, so check it with small sizes, too.
    keeps:
        What it promises not to cut where it fits: ``"code"``, ``"formula"``, ``"table"`` in Markdown, ``"turn"`` in a
        dialogue. Code and formulas are whole even where they do not fit; a table is then cut between rows.

    Raises :class:`BrokenPromise` for the first promise that is broken.
    """
    check_frozen("chunker", chunker)
    documents = sample_documents(max_size_of(chunker), measure_of(chunker))
    cuts = [(document, check_document(chunker, document, keeps=keeps)) for document in documents]
    again = copy(chunker)
    for document, chunks in reversed(cuts):  # All with one name, so that nothing can be remembered by it.
        found = run(again, replace(document, doc_id="again"))
        if [(*chunk.span, chunk.context) for chunk in found] != [(*chunk.span, chunk.context) for chunk in chunks]:
            promise = "determinism: neither what was cut before nor the document's name makes a difference"
            raise BrokenPromise(promise, found, {**given(chunker, document, None), "before": chunks})
    for document in documents:
        check_nesting(chunker, document, keeps=keeps)
    check_blank(chunker)
    check_bad_within(chunker)
    check_parameters(chunker)


def check_nesting(
    chunker: Chunker, document: Document, coarse: Chunker | None = None, *, keeps: Collection[Whole] = ()
) -> None:
    """Check that a chunker keeps to the parts that a coarser one makes, and loses nothing of them."""
    if coarse is None:  # Its parts start anywhere, are a little larger than a chunk, and repeat some text.
        size = max_size_of(chunker) * 3 // 2 + 5
        coarse = FixedSizeChunker(size, size // 5, measure_of(chunker))
        if [part.span for part in coarse.chunk(document)] == [document.span]:
            check_once(chunker, document, document.span, keeps=keeps)  # All of it, and there is nothing to nest.
            return
    cuts = [check_once(chunker, document, part.span, keeps=keeps) for part in coarse.chunk(document)]
    hierarchy = build_hierarchy(document, [coarse, chunker])
    for node in hierarchy.leaves:
        parent = hierarchy.parent(node)
        if parent is None or not parent.start <= node.start <= node.end <= parent.end:
            promise = "within: in a hierarchy every chunk lies in its parent"
            raise BrokenPromise(promise, node, {**given(chunker, document, None), "parent": parent})
    again = [(*node.span, node.context, node.metadata) for node in hierarchy.leaves]
    if again != [(*chunk.span, chunk.context, chunk.metadata) for chunks in cuts for chunk in chunks]:
        promise = "determinism: the same parts of a document give the same chunks"
        raise BrokenPromise(promise, "other chunks the second time", given(chunker, document, None))


def check_blank(chunker: Chunker) -> None:
    """Check that nothing is made of nothing."""
    asked = [(Document("blank", text), None) for text in ("", " ", "\n\n", "\t \u3000 \r\n")]
    part = Document("part", "some text \n end")
    for document, within in [*asked, (part, Span(4, 4)), (part, Span(9, 12))]:
        if chunks := run(chunker, document, within):
            promise = "blank: an empty text, and one of white space, has no chunks"
            raise BrokenPromise(promise, chunks, given(chunker, document, within))


def check_bad_within(chunker: Chunker) -> None:
    """Check that a part that does not lie in the document is refused."""
    document = Document("d", "some text")
    promise = "refused: a `within` that does not lie in the document raises a ValueError"
    for start, end in ((-1, 3), (0, 10), (5, 4)):
        within = Span(start, end)
        check_refused(
            promise,
            lambda within=within: chunker.chunk(document, within=within),  # type: ignore[misc]
            given(chunker, document, within),
            start,
            end,
        )


def check_parameters(chunker: Any) -> None:
    """Check that impossible parameters are refused when a chunker is made."""
    check_counts("chunker", chunker)
    for size in (0, -5):
        check_made("chunker", chunker, "max_size", size)
    if hasattr(chunker, "overlap"):
        for overlap in (-1, max_size_of(chunker), max_size_of(chunker) + 1):
            check_made("chunker", chunker, "overlap", overlap)
