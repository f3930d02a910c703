"""Sentence chunks: whole sentences, packed together as long as they fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hierrag_lessons.chunkers.cutting import check_sizes, check_whole, check_within, pack, to_chunks
from hierrag_lessons.chunkers.recursive import split_recursively
from hierrag_lessons.rulers import Ruler, make_ruler
from hierrag_lessons.sentences import split_clauses, split_sentences
from hierrag_lessons.spans import Chunk, Document, Span
from hierrag_lessons.tokens import Measure, count_tokens

_WORDS = (r"\s+",)


@dataclass(frozen=True)
class SentenceChunker:
    """Pack neighbouring sentences into chunks; cut inside a sentence only where it alone is too large.

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

    Raises
    ------
    ValueError
        When it is made, for a ``max_size`` below 1 or negative ``overlap_sentences``.
    """

    max_size: int = 200
    overlap_sentences: int = 0
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        check_sizes(self.max_size, 0)
        check_whole(overlap_sentences=self.overlap_sentences)
        if self.overlap_sentences < 0:
            raise ValueError(f"overlap_sentences is {self.overlap_sentences}; use 0 for none")

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        text, ruler = document.text, make_ruler(document.text, self.measure)
        spans = _pack(text, split_sentences(text, span), ruler, self.max_size, self.overlap_sentences)
        return to_chunks(document, spans, ruler, self.max_size)


def sentence_units(text: str, span: Span, ruler: Ruler, limit: int) -> list[Span]:
    """The sentences of ``span`` in order; those larger than ``limit`` are cut at clauses, then between words.

    Only a single character as a reader sees it can be larger than ``limit``.
    """
    units: list[Span] = []
    for sentence in split_sentences(text, span):
        if ruler.size(*sentence) <= limit:
            units.append(sentence)
        else:
            units += pack(_pieces(text, sentence, ruler, limit), ruler, limit)
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


def _pack(text: str, sentences: Sequence[Span], ruler: Ruler, limit: int, overlap: int) -> Iterator[Span]:
    """Join neighbouring sentences into spans of at most ``limit`` that repeat up to ``overlap`` sentences.

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
        shown += _take(rest, unit.start if start is None else start, ruler, limit)
        yield Span(shown[0].start, shown[-1].end)
        repeatable = shown[1:][-overlap:] if overlap else []
        while not whole.issuperset(repeatable):  # What follows a piece of a sentence can be repeated, the piece cannot.
            repeatable = repeatable[1:]


def _take(rest: list[Span], start: int, ruler: Ruler, limit: int) -> list[Span]:
    """Take from the end of ``rest`` what fits a span from ``start``, one unit at least."""
    reach = ruler.reach(start, rest[0].end, limit)
    taken = [rest.pop()]
    while rest and rest[-1].end <= reach:
        taken.append(rest.pop())
    while len(taken) > 1 and ruler.size(start, taken[-1].end) > limit:
        rest.append(taken.pop())
    return taken
