"""Semantic chunks, optimally: of all ways to cut that keep to the sizes, the best one, by dynamic programming.

Lesson 09 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_sizes, check_within
from hierrag_lessons.chunkers.semantic.novelty import (
    Vectors,
    cues,
    novelty,
    prefix_sums,
    sentence_vectors,
)
from hierrag_lessons.chunkers.semantic.sentence_runs import (
    Size,
    number_of_units,
    read_sentences,
    runs_to_chunks,
    unit_size,
)
from hierrag_lessons.model import Chunk, Document, Embedder, Span
from hierrag_lessons.text import Measure, count_tokens, make_ruler


@dataclass(frozen=True)
class OptimalSemanticChunker:
    """Choose all cuts at once, so that the chunks hold together and the cuts fall where the text turns.

    >>> from hierrag_lessons import CharNgramEmbedder
    >>> document = Document("d", "Cats sleep. Cats eat. Cats purr. Ships sail. Ships sink.")
    >>> chunker = OptimalSemanticChunker(60, 20, embedder=CharNgramEmbedder(), measure=len)
    >>> [chunk.text for chunk in chunker.chunk(document)]
    ['Cats sleep. Cats eat. Cats purr.', 'Ships sail. Ships sink.']

    A chunk of ``n`` sentences with unit vectors ``v`` has the cohesion ``|sum of v|² / n``, which is
    ``1 + (n - 1) · mean similarity of its pairs``. Each chunk pays ``price``, so that a sentence alone, whose cohesion
    is 1, never pays for itself; each cut earns its novelty, in standard deviations from the document's mean. The sum of
    all that is maximised over every division into runs of sentences that keeps to the sizes. Cohesion with a price is
    penalised kernel change-point detection (Harchaoui and Cappé, 2007; Arlot, Celisse and Harchaoui, 2019); the search
    is the dynamic programming of Utiyama and Isahara (2001).

    Parameters
    ----------
    max_size, min_size:
        The largest and the smallest size of a chunk, in units of ``measure``. No chunk is above ``max_size``. As few as
        possible are below ``min_size``: some texts leave no other way.
    price:
        What each chunk costs. Higher: fewer and longer chunks.
    window:
        Sentences on either side of a gap, for its novelty.
    overlap_sentences, embedder, measure:
        As in :class:`~hierrag_lessons.chunkers.semantic.greedy.SemanticChunker`.

    Raises
    ------
    ValueError
        When it is made, for impossible sizes, a window below 1, a price that is not a number, an embedder that cannot
        embed, or a measure that is no function.
    """

    max_size: int = 400
    min_size: int = 100
    price: float = 2.5
    window: int = 2
    overlap_sentences: int = 0
    embedder: Embedder | None = None
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        check_sizes(self.max_size, min_size=self.min_size)
        checks.number("price", self.price)
        checks.whole("window", self.window, 1)
        checks.whole("overlap_sentences", self.overlap_sentences, 0)
        checks.able("embedder", self.embedder, "encode", none="the language's own")
        checks.measure("measure", self.measure)

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        units, texts, vectors = read_sentences(document, span, ruler, self.max_size, self.embedder)
        rewards = cut_rewards(texts, vectors, self.window)
        starts = best_starts(vectors, rewards, unit_size(units, ruler), self.min_size, self.max_size, self.price)
        return runs_to_chunks(document, units, starts, ruler, self.max_size, self.overlap_sentences)


def optimal_boundaries(
    units: Sequence[str], embedder: Embedder, *, price: float = 2.5, window: int = 2, max_units: int | None = None
) -> list[int]:
    """Indices of the units (sentences, turns) that start a segment, by the objective of `OptimalSemanticChunker`.

    The number of segments follows from the units. ``max_units`` limits a segment's length, which keeps the time in
    proportion to the text; without it, the time grows with the square. No units give ``[]``. Raises ``ValueError`` for
    units that are no texts, a window or a limit below 1, or a price that is not a number.
    """
    units = checks.texts("units", units)
    checks.number("price", price)
    checks.whole("window", window, 1)
    checks.whole("max_units", max_units, 1, none="no limit")
    longest = len(units) + 1 if max_units is None else max_units
    vectors = sentence_vectors(units, embedder)
    rewards = cut_rewards(units, vectors, window)
    return best_starts(vectors, rewards, number_of_units, 0, longest, price)


def cut_rewards(units: Sequence[str], vectors: Vectors, window: int) -> NDArray[np.float64]:
    """What a cut before each unit earns: its score in standard deviations from the mean, shape ``(n,)``."""
    scores = np.round(novelty(vectors, window) + cues(units), 6)
    gaps = scores[1:]
    if len(gaps) == 0 or gaps.std() < 1e-6:
        return np.zeros(len(scores))
    standardised = (gaps - gaps.mean()) / gaps.std()
    return np.round(np.concatenate([[0.0], standardised]), 6)


def objective(vectors: Vectors, rewards: NDArray[np.float64], starts: Sequence[int], price: float) -> float:
    """The value of a division into runs: cohesion of the runs, less their price, plus what the cuts earn."""
    runs = pairwise([*starts, len(vectors)])
    cohesion = sum(float(np.sum(np.square(vectors[i:j].sum(axis=0)))) / (j - i) for i, j in runs)
    return cohesion - price * len(starts) + float(rewards[list(starts)].sum())


def best_starts(
    vectors: Vectors, rewards: NDArray[np.float64], size: Size, min_size: int, max_size: int, price: float
) -> list[int]:
    """The division with the fewest runs below ``min_size`` and, among those, the largest objective.

    The best division of the first ``j`` units is the best division of the first ``i``, plus the run from ``i`` to
    ``j``, for the best ``i``. With prefix sums a run costs one subtraction, and ``max_size`` bounds how far back ``i``
    can lie. Among equals the longest last run wins.
    """
    n, sums = len(vectors), prefix_sums(vectors)
    too_small, value = np.zeros(n + 1, dtype=np.intp), np.zeros(n + 1)
    came_from = np.zeros(n + 1, dtype=np.intp)
    for j in range(1, n + 1):
        first, sizes = j - 1, [size(j - 1, j)]
        while first > 0 and (larger := size(first - 1, j)) <= max_size:
            first -= 1
            sizes.append(larger)
        i = np.arange(first, j)
        cohesion = np.sum(np.square(sums[j] - sums[i]), axis=1) / (j - i)
        values = np.round(value[i] + rewards[i] + cohesion - price, 6)
        small = too_small[i] + (np.array(sizes[::-1]) < min_size)
        best = int(np.lexsort((i, -values, small))[0])
        too_small[j], value[j], came_from[j] = small[best], values[best], i[best]
    starts, j = list[int](), n
    while j > 0:
        j = int(came_from[j])
        starts.append(j)
    return starts[::-1]
