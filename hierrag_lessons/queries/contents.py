"""The contents of an index: where its headings and captions stand, and which values its metadata have.

Lesson 21 builds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import get_args

import regex

from hierrag_lessons.model import JSON, Document, Span
from hierrag_lessons.queries.places import NUMBERED, CaptionKind, NamedPlace, find_places, read_number
from hierrag_lessons.spans import trim
from hierrag_lessons.store import Index
from hierrag_lessons.store.selecting import column_values, read_documents
from hierrag_lessons.text import Block, read_blocks, terms
from hierrag_lessons.text.blocks.numbering import section_number

_UNNAMED = ("section", "chapter", "clause", "appendix")
"""What a heading with a number and no word, as ``5.8 Ports``, can be called."""

_CAPTION_MARKS = regex.compile(r"[\s*_>]*")
_INNER = regex.compile(r"\s*(?:[-*]\s*)?[(（](?P<number>[0-9]+[a-z]?|[一二三四五六七八九十]+)[)）]")
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Location:
    """A place that a document has: its span, and the titles above it as the context."""

    doc_id: str
    span: Span
    context: str


class Contents:
    """The numbered headings and captions of all documents of a snapshot, and the values of its columns."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.documents = {document.doc_id: document for document in read_documents(index)}
        self._located: defaultdict[_Key, list[Location]] = defaultdict(list)
        for document in self.documents.values():
            for key, location in _locations(document):
                self._located[key].append(location)
        self._values: dict[str, list[JSON]] = {}

    def locate(self, place: NamedPlace, question: str) -> list[Location]:
        """Where the documents have a place: of several documents those first that the question speaks of, then newer.

        A paragraph that is named in it stands in front of the whole.
        """
        found = sorted(self._located[place.kind, place.value], key=lambda each: self._order(each, question))
        located: list[Location] = []
        for location in found:
            inner = None if place.inner is None else _paragraph(self.documents[location.doc_id], location, place.inner)
            located += [location] if inner is None else [inner, location]
        return located

    def values(self, column: str) -> list[JSON]:
        """The values of a column, read once."""
        if column not in self._values:
            self._values[column] = column_values(self.index, column)
        return self._values[column]

    def _order(self, location: Location, question: str) -> tuple[float, int, str, Span]:
        document = self.documents[location.doc_id]
        asked = {*terms(question, document.language)}
        year = document.metadata.get("year")
        return (-len(asked & self._titles[location.doc_id]), -(year if isinstance(year, int) else 0), *_at(location))

    @cached_property
    def _titles(self) -> Mapping[str, set[str]]:
        """The words by which a document is known: its name, its first heading, its metadata."""
        return {doc_id: {*terms(_known_as(document), document.language)} for doc_id, document in self.documents.items()}


def contents_of(index: Index) -> Contents:
    """The contents of an index as it is now; they are read at the first call after each commit."""
    newest, snapshot = index.remember(_Newest), index.snapshot()
    contents = newest.contents
    if contents is None or contents.index.version != snapshot.version:
        contents = newest.contents = Contents(snapshot)
    return contents


class _Newest:
    """The contents of an index at the newest commit of which they were asked for."""

    def __init__(self, index: Index) -> None:
        self.contents: Contents | None = None


def _at(location: Location) -> tuple[str, Span]:
    return location.doc_id, location.span


def _known_as(document: Document) -> str:
    first = next((block.path[0] for block in read_blocks(document) if block.path), "")
    metadata = (str(value) for value in document.metadata.values() if isinstance(value, str | int))
    return " ".join([document.doc_id.replace("_", " "), first, *metadata])


def _locations(document: Document) -> Iterator[tuple[_Key, Location]]:
    """Each numbered heading with all that stands under it, and each caption with its table or figure."""
    blocks = read_blocks(document)
    for place, block in enumerate(blocks):
        if block.kind == "heading":
            span = Span(block.start, _end_of(blocks, place, len(document.text)))
            for key in _heading_keys(document, block):
                yield key, _location(document, span, block.path[:-1])
        elif (caption := _caption_key(document, block)) is not None:
            yield caption, _location(document, _with_table(blocks, place), block.path)


def _end_of(blocks: Sequence[Block], place: int, end: int) -> int:
    """Where the next heading of the same or a higher level begins: its path does not go on from this one."""
    depth = len(blocks[place].path)
    return next((b.start for b in islice(blocks, place + 1, None) if b.kind == "heading" and len(b.path) <= depth), end)


def _heading_keys(document: Document, block: Block) -> list[_Key]:
    title = block.path[-1] if block.path else ""
    named = [place for place in find_places(title, document.language) if place.kind in NUMBERED]
    if named and named[0].span.start == 0:
        return [(named[0].kind, named[0].value)]
    number = section_number(title)
    return [] if number is None else [(kind, read_number(number)) for kind in _UNNAMED]


def _caption_key(document: Document, block: Block) -> _Key | None:
    line = document.text[block.start : min(block.end, block.start + 80)]
    marks = _CAPTION_MARKS.match(line)
    line = line[marks.end() if marks else 0 :]
    captions = [place for place in find_places(line, document.language) if place.kind in get_args(CaptionKind)]
    if not captions or captions[0].span.start != 0 or block.kind not in ("paragraph", "table"):
        return None
    after = line[captions[0].span.end :].lstrip("*_ ")[:1]
    begins_a_sentence = document.language == "en" and after.islower()  # "Table 3 is the main result."
    return None if begins_a_sentence else (captions[0].kind, captions[0].value)


def _with_table(blocks: Sequence[Block], place: int) -> Span:
    """A caption with the table next to it, below it rather than above it."""
    block = blocks[place]
    for other in (*blocks[place + 1 : place + 2], *blocks[max(0, place - 1) : place]):
        if other.kind == "table" and other.path == block.path:
            return Span(min(block.start, other.start), max(block.end, other.end))
    return block.span


def _location(document: Document, span: Span, path: Sequence[str]) -> Location:
    return Location(document.doc_id, trim(document.text, span), " › ".join(path))


def _paragraph(document: Document, location: Location, number: str) -> Location | None:
    """The paragraph with a number inside a place, with what stands below it.

    In English it has its mark, ``(2)``; in Chinese only a point (项) has one, and a paragraph (款) is counted.
    """
    blocks = [b for b in read_blocks(document) if location.span.start <= b.start < location.span.end]
    marks = [(_INNER.match(document.text[block.start : block.end]), block) for block in blocks]
    parts = [(f"({read_number(mark['number']).lower()})", block.start) for mark, block in marks if mark]
    wanted = number if number.startswith("(") else f"({number.lower()})"
    if document.language == "zh" and wanted != number:
        unmarked = (block.start for mark, block in marks if not mark and block.kind == "paragraph")
        parts = [(f"({count})", start) for count, start in enumerate(unmarked, start=1)]
    ends = [*(start for _, start in parts[1:]), location.span.end]
    for (mark, start), end in zip(parts, ends, strict=False):
        if mark == wanted:
            return Location(location.doc_id, trim(document.text, Span(start, end)), location.context)
    return None
