"""What every chunker guarantees. A test module runs this suite over each configuration of its chunker.

``CHECKS`` holds the properties that any chunker can be held to on any text; call :func:`check_all` on the chunks of a
text, or parametrise over the functions to see which one fails.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
import regex

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.model import Chunk, Chunker, Document, Span
from hierrag_lessons.text import snap

WITHOUT_SPACES = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


def check_text_equality(document: Document, chunks: list[Chunk]) -> None:
    for chunk in chunks:
        assert chunk.doc_id == document.doc_id
        assert 0 <= chunk.start < chunk.end <= len(document.text)
        assert document.text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()


def check_cover(document: Document, chunks: list[Chunk], within: Span | None = None) -> None:
    """Every character that is not white space lies in at least one chunk, and none outside ``within``."""
    span = within or document.span
    covered = bytearray(len(document.text))
    for chunk in chunks:
        assert span.start <= chunk.start
        assert chunk.end <= span.end
        covered[chunk.start : chunk.end] = b"\x01" * (chunk.end - chunk.start)
    lost = [i for i in range(span.start, span.end) if not covered[i] and not document.text[i].isspace()]
    assert not lost, f"lost {len(lost)} characters, the first at {lost[0]}: {document.text[lost[0] :][:40]!r}"


def check_order(document: Document, chunks: list[Chunk]) -> None:
    """Document order: starts and ends both rise, so no chunk lies inside another and ids are unique."""
    for previous, chunk in pairwise(chunks):
        assert previous.start < chunk.start
        assert previous.end < chunk.end
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)


def check_size(document: Document, chunks: list[Chunk], max_size: int, measure: Callable[[str], int]) -> None:
    for chunk in chunks:
        size = measure(chunk.text)
        if chunk.metadata.get("oversized"):
            assert size > max_size
        else:
            assert size <= max_size, f"{size} > {max_size}: {chunk.text[:60]!r}"


def check_oversized_is_one_cluster(document: Document, chunks: list[Chunk]) -> None:
    """For chunkers without atomic blocks, only a single character as a reader sees it can be too large."""
    for chunk in chunks:
        if chunk.metadata.get("oversized"):
            clusters = regex.findall(r"\X", chunk.text.strip())
            pair = regex.fullmatch("[\ud800-\udbff][\udc00-\udfff]", chunk.text)
            assert len(clusters) == 1 or pair, f"oversized but divisible: {chunk.text[:60]!r}"


def check_cuts(document: Document, chunks: list[Chunk], within: Span | None = None) -> None:
    """No cut inside a grapheme cluster, a CRLF or a surrogate pair."""
    edges = set(within or document.span)
    for chunk in chunks:
        for position in (chunk.start, chunk.end):
            assert position in edges or snap(document.text, position) == position


def check_overlap(document: Document, chunks: list[Chunk], overlap: int, measure: Callable[[str], int]) -> None:
    """At most ``overlap`` is repeated, from the start of a word; and some is, where the words are short enough."""
    repeated = 0
    for previous, chunk in pairwise(chunks):
        if chunk.start < previous.end:
            repeated += 1
            assert measure(document.text[chunk.start : previous.end]) <= overlap
            before, first = document.text[chunk.start - 1], document.text[chunk.start]
            assert before.isspace() or WITHOUT_SPACES.match(first)
    assert repeated == 0 or overlap > 0


def check_determinism(chunker: Chunker, document: Document) -> None:
    again = replace(document, doc_id=document.doc_id)
    assert chunker.chunk(document) == chunker.chunk(again)


def check_nesting(coarse: Chunker, chunker: Chunker, document: Document) -> None:
    """Run inside each part of a coarser cut, a chunker keeps to that part and still loses nothing of it."""
    for part in coarse.chunk(document):
        chunks = chunker.chunk(document, within=part.span)
        check_text_equality(document, chunks)
        check_cover(document, chunks, part.span)
        check_order(document, chunks)
        check_cuts(document, chunks, part.span)
    hierarchy = build_hierarchy(document, [coarse, chunker])
    for node in hierarchy.leaves:
        parent = hierarchy.parent(node)
        assert parent is not None
        assert parent.start <= node.start <= node.end <= parent.end


def check_blank(chunker: Chunker) -> None:
    for text in ("", " ", "\n\n", "\t \u3000 \r\n"):
        assert chunker.chunk(Document("blank", text)) == []
    assert chunker.chunk(Document("d", "some text"), within=Span(4, 4)) == []


def check_bad_within(chunker: Chunker) -> None:
    for within in (Span(-1, 3), Span(0, 10), Span(5, 4)):
        with pytest.raises(ValueError, match=rf"within is {within.start}-{within.end}"):
            chunker.chunk(Document("d", "some text"), within=within)


def check_all(document: Document, chunker: Chunker, max_size: int, measure: Callable[[str], int]) -> list[Chunk]:
    """Everything that holds for one text; returns the chunks for checks of the chunker's own."""
    chunks = chunker.chunk(document)
    check_text_equality(document, chunks)
    check_cover(document, chunks)
    check_order(document, chunks)
    check_size(document, chunks, max_size, measure)
    check_cuts(document, chunks)
    check_determinism(chunker, document)
    return chunks
