"""What is known of a place in a document: its section, the kind of block, the page, who speaks and when.

Lesson 18 uses it.

None of it needs to be written into chunks: it follows from the document and the spans, whatever made these.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hierrag_lessons import checks
from hierrag_lessons.model import JSON, Document, Span
from hierrag_lessons.reading.dialogue import recorded_turns
from hierrag_lessons.spans import overlap
from hierrag_lessons.text.blocks.numbering import section_number
from hierrag_lessons.text.blocks.reading import Block, blocks_within

_Known = Callable[[Document, Sequence[Span]], Iterator[Any]]


def known_values(field: str, document: Document, spans: Sequence[Span]) -> list[JSON]:
    r"""All values of one of the ``PLACE_FIELDS`` in some spans of a document, each once, in the order of the text.

    >>> guide = Document("guide", "# 1 Setup\n\nInstall it.\n\n# 2 Use\n\n| a | b |\n|---|---|\n| 1 | 2 |", "markdown")
    >>> known_values("section", guide, [guide.span]), known_values("kind", guide, [guide.span])
    (['1', '2'], ['paragraph', 'table'])

    - ``section``: the numbers of the headings that the blocks stand under, of each the innermost that has a number;
    - ``kind``: the kinds of the blocks; a heading counts only where nothing stands under it;
    - ``page``: the pages, counted from 1, where ``metadata["pages"]`` has the offsets at which they begin;
    - ``speaker`` and ``speakers``: who speaks, where ``metadata["turns"]`` has the turns;
    - ``time``: where the turns have times, the second at which the first turn starts, and that at which the last ends;
    - ``source``: the name of the file that a reader read, ``metadata["file"]``.

    The list is empty where nothing is known.

    Raises ``ValueError`` for another field, spans outside the document, and turns that are not in order.
    """
    checks.instance("document", document, Document)
    checks.one_of("field", field, PLACE_FIELDS)
    for span in checks.each("spans", spans, tuple):
        checks.span("a span", span, len(document.text))
    return list(dict.fromkeys(PLACE_FIELDS[field](document, spans)))


def only_or_first(field: str, values: Sequence[JSON]) -> JSON:
    """The one value that stands for several, or None.

    A section, a page and a time are where the text begins. A kind of block or a speaker is said only of a text that
    has no other.
    """
    return values[0] if values and (len(values) == 1 or field in ("section", "page", "time")) else None


def _blocks(document: Document, spans: Sequence[Span]) -> list[Block]:
    return [block for span in spans for block in blocks_within(document, Span(*span))]


def _sections(document: Document, spans: Sequence[Span]) -> Iterator[str]:
    for block in _blocks(document, spans):
        numbers = (section_number(title) for title in reversed(block.path))
        yield from [number for number in numbers if number is not None][:1]


def _kinds(document: Document, spans: Sequence[Span]) -> Iterator[str]:
    kinds = [block.kind for block in _blocks(document, spans)]
    yield from [kind for kind in kinds if kind != "heading"] or kinds


def _pages(document: Document, spans: Sequence[Span]) -> Iterator[int]:
    starts = document.metadata.get("pages")
    if not isinstance(starts, list) or not starts or not all(type(start) is int for start in starts):
        return
    for start, end in spans:
        yield from range(bisect_right(starts, start), bisect_right(starts, max(start, end - 1)) + 1)  # type: ignore[type-var]


def _turns(document: Document, spans: Sequence[Span]) -> list[Mapping[str, Any]]:
    turns = recorded_turns(document) or []
    return [turn for turn in turns if any(overlap(Span(turn["start"], turn["end"]), Span(*span)) for span in spans)]


def _speakers(document: Document, spans: Sequence[Span]) -> Iterator[str]:
    yield from (turn["speaker"] for turn in _turns(document, spans) if isinstance(turn.get("speaker"), str))


def _times(document: Document, spans: Sequence[Span]) -> Iterator[float]:
    times = [turn["time"] for turn in _turns(document, spans) if turn.get("time")]
    if times:
        yield from (times[0][0], max(end for _, end in times))


def _sources(document: Document, spans: Sequence[Span]) -> Iterator[JSON]:
    file = document.metadata.get("file")
    if isinstance(file, str):
        yield file


PLACE_FIELDS: Mapping[str, _Known] = {
    "section": _sections,
    "kind": _kinds,
    "page": _pages,
    "speaker": _speakers,
    "speakers": _speakers,
    "time": _times,
    "source": _sources,
}
"""The fields whose values follow from a place, and how."""
