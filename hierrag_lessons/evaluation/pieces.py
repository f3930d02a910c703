"""How much of each piece of evidence a list of passages shows, wherever it stands.

Lesson 03 builds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hierrag_lessons.model import Span
from hierrag_lessons.spans import cover, merge, overlap, subtract


class Located(Protocol):
    """Anything with a place in a document: a passage, a chunk, a node, a hit, a piece of evidence."""

    @property
    def doc_id(self) -> str:
        """The document's name."""
        ...

    @property
    def start(self) -> int:
        """The first code point of the range."""
        ...

    @property
    def end(self) -> int:
        """The code point after the last."""
        ...


def by_document(items: Iterable[Located]) -> dict[str, list[Span]]:
    """The ranges of the items, by document."""
    spans: defaultdict[str, list[Span]] = defaultdict(list)
    for item in items:
        spans[item.doc_id].append(Span(item.start, item.end))
    return spans


def length_of(items: Iterable[Located]) -> int:
    """Characters of all items together; what two of them share counts twice."""
    return sum(item.end - item.start for item in items)


@dataclass
class Piece:
    """A piece of the gold: what it counts, and what of each place where it stands has not been shown yet."""

    weight: int
    missing: list[tuple[str, list[Span]]]
    sizes: list[int]
    shown: float = 0.0

    def show(self, passage: Located) -> float:
        """How much more of the piece is found once ``passage`` was shown: the best of its places counts."""
        before, start, end = self.shown, passage.start, passage.end
        for number, (doc_id, parts) in enumerate(self.missing):
            if doc_id == passage.doc_id and any(start < part.end and part.start < end for part in parts):
                left = [rest for part in parts for rest in subtract(part, [Span(start, end)])]
                self.missing[number] = (doc_id, left)
                size = self.sizes[number]
                self.shown = max(self.shown, self.weight * (size - cover(left)) / size)
        return self.shown - before

    def left(self) -> tuple[int, list[Span]]:
        """The size of the place that was shown best, and the parts of it that no passage has shown."""
        number = min(range(len(self.sizes)), key=lambda n: cover(self.missing[n][1]) / self.sizes[n])
        return self.sizes[number], self.missing[number][1]


def pieces_of(evidence: Sequence[Located]) -> list[Piece]:
    """Where somebody looked for alternatives, each piece counts 1; otherwise each piece counts its characters.

    Characters that two pieces share count once in the second case.
    """
    if any(getattr(item, "alternatives", None) is not None for item in evidence):
        places = [[item, *(getattr(item, "alternatives", None) or ())] for item in evidence]
        return [
            Piece(1, [(p.doc_id, [Span(p.start, p.end)]) for p in each], [p.end - p.start for p in each])
            for each in places
        ]
    spans = [(doc_id, span) for doc_id, found in by_document(evidence).items() for span in merge(found)]
    pieces = [Piece(end - start, [(doc_id, [Span(start, end)])], [end - start]) for doc_id, (start, end) in spans]
    if not pieces:
        raise ValueError("evidence is empty; leave unanswerable questions out of measures that need evidence")
    return pieces


def gains_of(passages: Sequence[Located], evidence: Sequence[Located]) -> tuple[list[float], list[Piece]]:
    """How much of the gold each passage is the first to show; and the pieces, with what none has shown."""
    pieces = pieces_of(evidence)
    wanted = {doc_id for piece in pieces for doc_id, _ in piece.missing}  # most passages are from other documents
    gains = (sum(piece.show(p) for piece in pieces) if p.doc_id in wanted else 0.0 for p in passages)
    return list(gains), pieces


def shown_characters(passages: Sequence[Located], evidence: Sequence[Located]) -> int:
    """Characters of the gold, wherever it stands, that the passages show."""
    pieces_of(evidence)
    places = by_document(place for item in evidence for place in (item, *(getattr(item, "alternatives", None) or ())))
    shown = by_document(passages)
    return sum(
        overlap(gold, span)
        for doc_id, spans in places.items()
        for gold in merge(spans)
        for span in merge(shown[doc_id])
    )
