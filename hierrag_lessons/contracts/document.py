"""What every chunker promises of the chunks of one document, or of a part of it.

Lesson 01 uses it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NoReturn, cast

import regex

from hierrag_lessons.contracts.promise import BrokenPromise, shorten
from hierrag_lessons.model import Chunk, Chunker, Document, Span
from hierrag_lessons.spans import clip, trim
from hierrag_lessons.text import Measure, blocks_within, count_tokens, snap

Whole = Literal["code", "formula", "table", "turn"]
"""What a chunker can keep whole besides the characters that a reader sees."""

_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_LINE_START, _LINE_END = regex.compile(r"(?r)(?:[\r\n]|^)\s*$"), regex.compile(r"\s*(?:[\r\n]|$)")
_ONE_CHARACTER = regex.compile(r"\X|[\ud800-\udbff][\udc00-\udfff]")


@dataclass(frozen=True)
class Cut:
    """A document, or a part of it, and the chunks that came back."""

    chunker: Chunker
    document: Document
    within: Span | None
    chunks: list[Chunk]

    @property
    def span(self) -> Span:
        """What was to be cut."""
        return self.document.span if self.within is None else self.within

    def text(self, start: int, end: int) -> str:
        """A part of the document."""
        return self.document.text[start:end]

    def measure(self, start: int, end: int) -> int:
        """The size of a part of the document in the chunker's unit."""
        return measure_of(self.chunker)(self.text(start, end))

    def fail(self, promise: str, came_back: object) -> NoReturn:
        """Raise a broken promise with what was given."""
        raise BrokenPromise(promise, came_back, given(self.chunker, self.document, self.within))


def check_document(
    chunker: Chunker, document: Document, within: Span | None = None, *, keeps: Collection[Whole] = ()
) -> list[Chunk]:
    """Check all that holds for the chunks of one document; returns them for checks of one's own."""
    before = deepcopy(document.metadata)
    chunks = check_once(chunker, document, within, keeps=keeps)
    if run(chunker, replace(document, metadata=before), within) != chunks:
        promise = "determinism: the same document gives the same chunks"
        raise BrokenPromise(promise, "other chunks the second time", given(chunker, document, within))
    return chunks


def check_once(
    chunker: Chunker, document: Document, within: Span | None = None, *, keeps: Collection[Whole] = ()
) -> list[Chunk]:
    """Check the same of one cut; who calls this cuts a second time and compares."""
    before = deepcopy(document.metadata)
    cut = Cut(chunker, document, within, run(chunker, document, within))
    if document.metadata != before:
        cut.fail("untouched: a document is only read, its metadata, too", f"metadata {document.metadata!r}")
    check_texts(cut)
    check_order(cut)
    check_cover(cut)
    check_characters(cut)
    check_sizes(cut)
    check_overlap(cut)
    for kept in keeps:
        check_wholes(cut, kept)
    return cut.chunks


def run(chunker: Chunker, document: Document, within: Span | None = None) -> list[Chunk]:
    """The chunks of a document. Any text can be cut, and a list of chunks comes back."""
    try:
        chunks = chunker.chunk(document) if within is None else chunker.chunk(document, within=within)
    except Exception as error:
        promise = "any text: every document, and every part of it, can be cut"
        raise BrokenPromise(promise, error, given(chunker, document, within)) from error
    if not isinstance(chunks, list) or not all(isinstance(chunk, Chunk) for chunk in chunks):
        raise BrokenPromise("any text: a list of Chunk comes back", chunks, given(chunker, document, within))
    return chunks


def given(chunker: Chunker, document: Document, within: Span | None) -> dict[str, object]:
    """What a message shows of a call."""
    return {"chunker": chunker, "document": document} | ({} if within is None else {"within": within})


def max_size_of(chunker: Chunker) -> int:
    """The size that no chunk may exceed."""
    size = getattr(chunker, "max_size", None)
    if size is None:
        promise = "size: a chunker has a parameter max_size, and no chunk measures more than that"
        raise BrokenPromise(promise, "no such field", {"chunker": chunker})
    return int(size)


def measure_of(chunker: Chunker) -> Measure:
    """The unit of ``max_size``: tokens where the chunker has no other."""
    return cast("Measure", getattr(chunker, "measure", count_tokens))


def check_texts(cut: Cut) -> None:
    """Check that each chunk is a span of what was to be cut, with the text that stands there."""
    for chunk in cut.chunks:
        if chunk.doc_id != cut.document.doc_id:
            cut.fail("text: a chunk names its document", chunk)
        if not cut.span.start <= chunk.start < chunk.end <= cut.span.end:
            cut.fail("within: every chunk lies in what was to be cut, with offsets in the whole document", chunk)
        if chunk.text != cut.text(chunk.start, chunk.end):
            cut.fail("text: a chunk's text is document.text[start:end]", chunk)
        if not chunk.text.strip():
            cut.fail("blank: no chunk is only white space", chunk)
        try:
            json.dumps(chunk.metadata, allow_nan=False)
        except (TypeError, ValueError):
            cut.fail("metadata: a chunk's metadata is what JSON can hold", f"{chunk.metadata!r}")


def check_order(cut: Cut) -> None:
    """Check that starts and ends both rise."""
    for before, chunk in pairwise(cut.chunks):
        if not (before.start < chunk.start and before.end < chunk.end):
            promise = "order: chunks are in document order, and none is there twice or lies in another one"
            cut.fail(promise, f"{before.chunk_id}, then {chunk.chunk_id}")


def check_cover(cut: Cut) -> None:
    """Check that nothing is lost."""
    covered = bytearray(len(cut.document.text))
    for chunk in cut.chunks:
        covered[chunk.start : chunk.end] = b"\x01" * (chunk.end - chunk.start)
    lost = [i for i in range(*cut.span) if not covered[i] and not cut.document.text[i].isspace()]
    if lost:
        shown = cut.text(lost[0], lost[0] + 40)
        promise = "cover: every character that is not white space lies in at least one chunk"
        cut.fail(promise, f"{len(lost)} characters lost, the first at {lost[0]}: {shown!r}")


def check_characters(cut: Cut) -> None:
    """Check that no character that a reader sees is cut."""
    for position in sorted({edge for chunk in cut.chunks for edge in chunk.span} - {*cut.span}):
        if snap(cut.document.text, position) != position:
            promise = "characters: no cut falls inside a grapheme cluster, a CRLF or a surrogate pair"
            cut.fail(promise, f"a cut at {position}, in {cut.text(max(0, position - 8), position + 8)!r}")


def check_sizes(cut: Cut) -> None:
    """Check that only what cannot be divided is too large, and that it is marked."""
    max_size = max_size_of(cut.chunker)
    for chunk in cut.chunks:
        size = cut.measure(*chunk.span)
        if chunk.metadata.get("oversized"):
            if size <= max_size:
                cut.fail(f"size: only what measures more than max_size is marked oversized, and not {size}", chunk)
            if not _is_indivisible(cut, chunk):
                promise = "size: only what cannot be divided may be oversized: a character, code, a formula, a table"
                cut.fail(f"{promise} or its row, a turn", chunk)
        elif size > max_size:
            cut.fail(f"size: no chunk measures more than max_size, and this one measures {size}", chunk)


def _is_indivisible(cut: Cut, chunk: Chunk) -> bool:
    """Whether a chunk is one character as a reader sees it, one atomic block or a row of a table, or one turn."""
    start, end = trim(cut.document.text, chunk.span)
    if is_one_character(cut.text(start, end)):
        return True
    inside = [b for b in blocks_within(cut.document, cut.span) if b.atomic and b.start <= start and end <= b.end]
    if any(trim(cut.document.text, block.span) == (start, end) for block in inside):
        return True
    tables = [block for block in inside if block.kind == "table"]
    if tables and (cut.text(start, end) == tables[0].header or not regex.search(r"[\r\n]", cut.text(start, end))):
        return True  # The header with the row of dashes below it, or another row.
    return Span(start, end) in _turns(cut)


def is_one_character(text: str) -> bool:
    """Whether a text is one character as a reader sees it: a grapheme cluster, or both halves of a surrogate pair."""
    return bool(_ONE_CHARACTER.fullmatch(text))


def check_overlap(cut: Cut) -> None:
    """Check what is repeated. A parameter says how much: ``overlap`` in the chunker's unit, others in their own."""
    overlap = getattr(cut.chunker, "overlap", None)
    may_repeat = any("overlap" in name for name in dir(cut.chunker))
    for before, chunk in pairwise(cut.chunks):
        if chunk.start >= before.end:
            continue
        repeated = cut.text(chunk.start, before.end)
        if not may_repeat or overlap == 0:
            cut.fail("overlap: nothing is repeated where no parameter says so", repr(repeated))
        if overlap is None or (cut.document.kind == "dialogue" and _LINE_START.search(cut.text(0, chunk.start))):
            continue  # In sentences or turns, which a dialogue repeats whole.
        if (size := cut.measure(chunk.start, before.end)) > overlap:
            cut.fail(f"overlap: at most `overlap` is repeated, in the unit of max_size, and not {size}", repr(repeated))
        if not (cut.text(chunk.start - 1, chunk.start).isspace() or _UNSPACED.match(repeated)):
            cut.fail("overlap: what is repeated begins where a word begins", repr(repeated))


def check_wholes(cut: Cut, kept: Whole) -> None:
    """Check that what the chunker says it keeps is whole."""
    edges = sorted({edge for chunk in cut.chunks for edge in chunk.span})
    for whole in _turns(cut) if kept == "turn" else _blocks(cut, kept):
        fits = cut.measure(*whole) <= max_size_of(cut.chunker)
        inside = [edge for edge in edges if whole.start < edge < whole.end]
        if kept == "table" and not fits:
            inside = [edge for edge in inside if not _is_between_rows(cut, edge)]
        if inside and (fits or kept != "turn"):
            promise = f"wholes: a {kept} that fits is not cut; code and formulas never are, tables only between rows"
            cut.fail(promise, f"a cut at {inside[0]} in {shorten(cut.text(*whole))}")


def _is_between_rows(cut: Cut, edge: int) -> bool:
    """Whether only white space stands between a cut and the start or the end of its line."""
    before, after = cut.text(0, edge), cut.text(edge, len(cut.document.text))
    return bool(_LINE_START.search(before) or _LINE_END.match(after))


def _blocks(cut: Cut, kind: str) -> Iterator[Span]:
    for block in blocks_within(cut.document, cut.span):
        if block.kind == kind:
            yield trim(cut.document.text, block.span)


def _turns(cut: Cut) -> list[Span]:
    """The turns of a dialogue in what was to be cut, as they stand in its metadata, without the white space around."""
    if cut.document.kind != "dialogue":
        return []
    recorded = cast("list[Mapping[str, Any]]", cut.document.metadata.get("turns") or [])
    spans = (clip(Span(turn["start"], turn["end"]), cut.span) for turn in recorded)
    return [trim(cut.document.text, span) for span in spans if span.start < span.end]
