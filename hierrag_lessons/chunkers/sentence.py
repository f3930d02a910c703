"""Sentence chunks: whole sentences, packed together as long as they fit.

Lesson 05 builds it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_within, join_units, to_chunks
from hierrag_lessons.chunkers.recursive import split_recursively
from hierrag_lessons.model import Chunk, Document, Span
from hierrag_lessons.text import Measure, Ruler, count_tokens, make_ruler, split_clauses, split_sentences

_WORDS = (r"\s+",)


@dataclass(frozen=True)
class SentenceChunker:
    """Pack neighbouring sentences into chunks; cut inside a sentence only where it alone is too large.

    >>> document = Document("d", "It rained. The river rose. Then it fell.")
    >>> [chunk.text for chunk in SentenceChunker(30, measure=len).chunk(document)]
    ['It rained. The river rose.', 'Then it fell.']

    A sentence that is too large is cut at its clauses, a clause that is too large between words, and a word that is too
    large anywhere.

    Parameters
    ----------
    max_size:
        The largest size of a chunk, in units of ``measure``.
    overlap_sentences:
        How many sentences from the end of a chunk its successor repeats at most. Only whole sentences are repeated, and
        only while they leave room within ``max_size`` for the next sentence.
    measure:
        ``count_tokens``, ``len`` for characters, or any function from a string to an integer.
    max_sentences:
        How many sentences a chunk has a part in at most, however small they are; ``None`` for any number. With 1 every
        sentence is a chunk, and only one above ``max_size`` becomes several.

    Raises
    ------
    ValueError
        When it is made, for a ``max_size`` or ``max_sentences`` below 1, negative ``overlap_sentences``,
        ``overlap_sentences`` that would leave a chunk no room for a new sentence, and a measure that is no function.
    """

    max_size: int = 200
    overlap_sentences: int = 0
    measure: Measure = count_tokens
    max_sentences: int | None = None

    def __post_init__(self) -> None:
        checks.whole("max_size", self.max_size, 1)
        checks.whole("overlap_sentences", self.overlap_sentences, 0)
        checks.measure("measure", self.measure)
        checks.whole("max_sentences", self.max_sentences, 1, none="any number")
        if self.max_sentences is not None and self.overlap_sentences >= self.max_sentences:
            raise ValueError(
                f"overlap_sentences is {self.overlap_sentences} with max_sentences {self.max_sentences}; give fewer: "
                "a chunk needs room for a new sentence"
            )

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        text, ruler = document.text, make_ruler(document.text, self.measure)
        spans = _pack(
            text, split_sentences(text, span), ruler, self.max_size, self.overlap_sentences, self.max_sentences
        )
        return to_chunks(document, spans, ruler, self.max_size)


def sentence_units(text: str, span: Span, ruler: Ruler, limit: int) -> list[Span]:
    """The sentences of ``span`` in order; those larger than ``limit`` are cut at clauses, then between words.

    Only a single character as a reader sees it can be larger than ``limit``. Raises ``ValueError`` for a ``limit``
    below 1 and where ``span`` does not lie in the text.
    """
    checks.whole("limit", limit, 1)
    units: list[Span] = []
    for sentence in split_sentences(text, span):
        if ruler.size(*sentence) <= limit:
            units.append(sentence)
        else:
            units += join_units(_pieces(text, sentence, ruler, limit), ruler, limit)
    return units


def _pieces(text: str, sentence: Span, ruler: Ruler, limit: int) -> list[Span]:
    """The clauses of a sentence; those larger than ``limit`` are cut between words."""
    pieces: list[Span] = []
    for clause in split_clauses(text, sentence):
        if ruler.size(*clause) <= limit:
            pieces.append(clause)
        else:
            words = split_recursively(text, clause, ruler, limit, _WORDS)
            pieces += [piece for piece in words if text[piece.start : piece.end].strip()]
    return pieces


def _pack(
    text: str, sentences: Sequence[Span], ruler: Ruler, limit: int, overlap: int, most: int | None
) -> Iterator[Span]:
    """Join neighbouring sentences into spans of at most ``limit`` that repeat up to ``overlap`` sentences.

    A span has a part in at most ``most`` sentences.

    The ruler is asked how far a span can reach, a few times a span and not once a sentence: measuring costs more than
    finding the sentences.
    """
    whole = frozenset(sentences)
    rest = list(reversed(sentences))  # The next one is the last, where taking it away is cheap.
    repeatable: list[Span] = []  # The sentences at the end of the span before.
    while rest:
        unit = rest[-1]
        starts = (sentence.start for sentence in (*repeatable, unit))
        start = next((start for start in starts if ruler.size(start, unit.end) <= limit), None)
        if start is None and (pieces := _pieces(text, unit, ruler, limit)) != [unit]:
            rest[-1:] = reversed(pieces)
            continue
        shown = [sentence for sentence in repeatable if start is not None and sentence.start >= start]
        start = unit.start if start is None else start
        shown += _take(rest, start, _last_end(sentences, start, most), ruler, limit)
        yield Span(shown[0].start, shown[-1].end)
        repeatable = shown[1:][-overlap:] if overlap else []
        while not whole.issuperset(repeatable):  # What follows a piece of a sentence can be repeated, the piece cannot.
            repeatable = repeatable[1:]


def _last_end(sentences: Sequence[Span], start: int, most: int | None) -> int:
    """The end of the last sentence in a span that begins at ``start`` and has a part in ``most`` sentences."""
    if most is None:
        return sentences[-1].end
    first = bisect_right(sentences, start, key=lambda sentence: sentence.start) - 1
    return sentences[min(first + most, len(sentences)) - 1].end


def _take(rest: list[Span], start: int, end: int, ruler: Ruler, limit: int) -> list[Span]:
    """Take from the end of ``rest`` what fits a span from ``start`` to ``end`` at most, one unit at least."""
    reach = ruler.reach(start, end, limit)
    taken = [rest.pop()]
    while rest and rest[-1].end <= reach:
        taken.append(rest.pop())
    while len(taken) > 1 and ruler.size(start, taken[-1].end) > limit:
        rest.append(taken.pop())
    return taken
