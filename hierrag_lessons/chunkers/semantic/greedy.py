"""Semantic chunks, greedily: cut at each gap that is new enough, as soon as the sizes allow it.

Lesson 09 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_sizes, check_within
from hierrag_lessons.chunkers.semantic.novelty import cues, novelty, sentence_vectors
from hierrag_lessons.chunkers.semantic.sentence_runs import Size, read_sentences, runs_to_chunks, unit_size
from hierrag_lessons.model import Chunk, Document, Embedder, Span
from hierrag_lessons.text import Measure, count_tokens, make_ruler

Rule = Literal["deviation", "percentile", "absolute"]


@dataclass(frozen=True)
class NoveltyCurve:
    """What a :class:`SemanticChunker` sees of a text, and where it cuts.

    Attributes
    ----------
    units:
        The sentences.
    scores:
        Shape ``(n,)``: the novelty of the gap before each sentence, the advice of its words included.
    threshold:
        A gap with a higher score, and a higher one than its neighbours have, is a place to cut.
    starts:
        Indices of the sentences that start a chunk, 0 included.
    """

    units: tuple[Span, ...]
    scores: NDArray[np.float64]
    threshold: float
    starts: tuple[int, ...]


@dataclass(frozen=True)
class SemanticChunker:
    """Cut where the sentences that follow are unlike those before, inside hard limits of size.

    >>> from hierrag_lessons import CharNgramEmbedder
    >>> document = Document("d", "Cats sleep. Cats eat. Cats purr. Ships sail. Ships sink.")
    >>> chunker = SemanticChunker(60, 20, embedder=CharNgramEmbedder(), measure=len)
    >>> [chunk.text for chunk in chunker.chunk(document)]
    ['Cats sleep. Cats eat. Cats purr.', 'Ships sail. Ships sink.']

    Each gap between two sentences gets a score: 1 − cosine of the mean vectors of the ``window`` sentences before and
    after it, see :func:`~hierrag_lessons.chunkers.semantic.novelty.novelty`, and a little for what its words say, see
    :func:`~hierrag_lessons.chunkers.semantic.novelty.cues`. A peak above the threshold is a cut, from left to right, as
    soon as the chunk has ``min_size``. Where ``max_size`` comes first, the cut is made at the highest gap that the
    sizes allow. Similarity of neighbouring windows is Hearst's idea (TextTiling, 1997); with sentence embeddings it is
    known from Kamradt's notebook *5 Levels of Text Splitting* (2023).

    Parameters
    ----------
    max_size, min_size:
        The largest and the smallest size of a chunk, in units of ``measure``. No chunk is above ``max_size``. One can
        be below ``min_size`` where its neighbours have no room for it.
    window:
        Sentences on either side of a gap.
    rule, level:
        How the threshold follows from the document's scores. ``"deviation"``: their mean plus ``level`` standard
        deviations. ``"percentile"``: the ``level``-th percentile. ``"absolute"``: ``level`` itself, on the scale of the
        scores, where 1 means that both sides have nothing in common beyond what the whole document has.
    smoothing:
        Average so many neighbouring scores, an odd number; 1 leaves them as they are.
    overlap_sentences:
        Sentences that a chunk repeats of its predecessor, as far as ``max_size`` has room for them.
    embedder:
        The course's one for the document's language where not given. Of a sentence that is longer than the embedder
        reads, only the beginning counts.
    measure:
        ``count_tokens``, ``len`` for characters, or any function from a string to an integer.

    Raises
    ------
    ValueError
        When it is made, for impossible sizes, an unknown rule, a number out of range, an embedder that cannot embed, or
        a measure that is no function.
    """

    max_size: int = 400
    min_size: int = 100
    window: int = 2
    rule: Rule = "deviation"
    level: float = 0.8
    smoothing: int = 1
    overlap_sentences: int = 0
    embedder: Embedder | None = None
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        check_sizes(self.max_size, min_size=self.min_size)
        checks.whole("window", self.window, 1)
        check_rule(self.rule, self.level)
        checks.odd("smoothing", self.smoothing)
        checks.whole("overlap_sentences", self.overlap_sentences, 0)
        checks.able("embedder", self.embedder, "encode", none="the language's own")
        checks.measure("measure", self.measure)

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        curve = self.curve(document, within)
        ruler = make_ruler(document.text, self.measure)
        return runs_to_chunks(document, curve.units, curve.starts, ruler, self.max_size, self.overlap_sentences)

    def curve(self, document: Document, within: Span | None = None) -> NoveltyCurve:
        """The sentences of the document, or of the part ``within`` of it, with their scores and the cuts."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        units, texts, vectors = read_sentences(document, span, ruler, self.max_size, self.embedder)
        scores = np.round(novelty(vectors, self.window, self.smoothing) + cues(texts), 6)
        limit = threshold(scores, self.rule, self.level)
        starts = greedy_starts(scores, limit, unit_size(units, ruler), self.min_size, self.max_size)
        return NoveltyCurve(tuple(units), scores, limit, tuple(starts))


def semantic_boundaries(
    units: Sequence[str], embedder: Embedder, *, window: int = 2, rule: Rule = "deviation", level: float = 0.8
) -> list[int]:
    """Indices of the units (sentences, turns) that start a segment, by novelty alone; 0 is the first.

    Parameters are those of :class:`SemanticChunker`, without limits of size. The number of segments follows from the
    scores. No units give ``[]``. Raises ``ValueError`` as the chunker does.
    """
    checks.whole("window", window, 1)
    check_rule(rule, level)
    scores = np.round(novelty(sentence_vectors(units, embedder), window) + cues(units), 6)
    found = peaks(scores, threshold(scores, rule, level))
    return [i for i, peak in enumerate(found) if peak or i == 0]


def check_rule(rule: Rule, level: float) -> None:
    """Refuse an unknown rule, a level that is no number, and a percentile that is none, with a ``ValueError``."""
    checks.one_of("rule", rule, Rule)
    if rule == "percentile":
        checks.number("level", level, 0, 100)
    else:
        checks.number("level", level)


def threshold(scores: NDArray[np.float64], rule: Rule, level: float) -> float:
    """The score that a gap has to exceed; the score before the first sentence is no gap and is left out."""
    gaps = scores[1:]
    if rule == "absolute" or len(gaps) == 0:
        return level
    value = gaps.mean() + level * gaps.std() if rule == "deviation" else np.percentile(gaps, level)
    return round(float(value), 6)


def peaks(scores: NDArray[np.float64], limit: float) -> list[bool]:
    """Whether each gap is above ``limit``, no lower than the gap before it and higher than the one after it."""
    gaps = np.concatenate([[-np.inf], scores[1:], [-np.inf]])
    here = gaps[1:-1]
    found = (here > limit) & (here >= gaps[:-2]) & (here > gaps[2:])
    return [False, *found.tolist()][: len(scores)]


def greedy_starts(scores: NDArray[np.float64], limit: float, size: Size, min_size: int, max_size: int) -> list[int]:
    """Walk through the units and cut at the first peak that the sizes allow, or at the highest gap where none comes."""
    n, peak = len(scores), peaks(scores, limit)
    last = n - 1  # A cut after this one would leave less than min_size behind it.
    while last > 0 and size(last, n) < min_size:
        last -= 1
    starts, start = list[int](), 0
    while start < n:
        starts.append(start)
        end = start + 1
        while end < n and size(start, end + 1) <= max_size:
            end += 1
        allowed = [cut for cut in range(start + 1, min(end, last) + 1) if size(start, cut) >= min_size]
        if wished := [cut for cut in allowed if peak[cut]]:
            start = wished[0]
        elif allowed and end < n:
            start = max(allowed, key=lambda gap: (scores[gap], gap))
        else:
            start = end
    return starts
