"""How much a text turns between two sentences: the vectors of its sentences, their novelty, and a few words' advice.

Lesson 09 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import regex
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.model import Embedder

Vectors = NDArray[np.float64]

# The mean of a few sentences is mostly those sentences. Of a text with this many, half of the mean is taken off.
_TRUST = 10

# Words that take up what was said before: a sentence that starts with one seldom starts a topic.
_REFERS_BACK = regex.compile(
    r"\W*(?:(?:he|she|it|they|him|his|her|its|their|this|these|those|that|such|however|but|and|or|also|so|then"
    r"|therefore)\b|[他她它其该此这那但而]|因此|所以|然而|于是|并且|同时)",
    regex.IGNORECASE,
)
_QUESTION = regex.compile(r"[?？]")
_ENDS_IN_QUESTION = regex.compile(r"(?r)[?？]\W*\Z")


def sentence_vectors(units: Sequence[str], embedder: Embedder) -> Vectors:
    """Vectors of neighbouring sentences, without what all of them share: float64, shape ``(n, dim)``, unit length.

    A report on pumps is about pumps in every sentence, which says nothing about where its topic turns. So the mean of
    the vectors is subtracted. The mean of few sentences is not to be trusted, and less of it is taken: the share
    ``n / (n + 10)``. A text in which the embedder finds nothing keeps its row of zeros.

    Raises ``ValueError`` for units that are no texts and an embedder that cannot embed.
    """
    checks.able("embedder", embedder, "encode")
    vectors: Vectors = embedder.encode(checks.texts("units", units)).astype(np.float64)
    n = len(vectors)
    if n == 0:
        return vectors
    known = np.linalg.norm(vectors, axis=1, keepdims=True) > 0
    centred = vectors - known * (n / (n + _TRUST)) * vectors.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    directions: Vectors = np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 1e-9)
    return directions


def prefix_sums(vectors: Vectors) -> Vectors:
    """Shape ``(n + 1, dim)``: row ``i`` is the sum of the first ``i`` vectors; any run's sum is then one difference."""
    return np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])


def novelty(vectors: Vectors, window: int = 2, smoothing: int = 1) -> NDArray[np.float64]:
    """How new what follows is: 1 − cosine of the mean of ``window`` sentences before and that of ``window`` after.

    Parameters
    ----------
    vectors:
        Shape ``(n, dim)``, one row a sentence.
    window:
        How many sentences on either side are averaged, fewer at the ends of the text.
    smoothing:
        Each value becomes the mean of this many neighbouring values (an odd number; 1 leaves them as they are).

    Returns
    -------
    Shape ``(n,)``, from 0 to 2. Value ``i`` belongs to the gap before sentence ``i``; value 0, before which there is
    nothing, is 0. Rounded to six decimals, so that the last bit of a machine decides nothing.
    """
    n = len(vectors)
    sums, gaps = prefix_sums(vectors), np.arange(1, n)
    before = sums[gaps] - sums[np.maximum(gaps - window, 0)]
    after = sums[np.minimum(gaps + window, n)] - sums[gaps]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    cosines = np.divide(np.sum(before * after, axis=1), lengths, out=np.zeros_like(lengths), where=lengths > 1e-9)
    values = 1 - cosines
    if smoothing > 1 and n > 1:
        padded = np.pad(values, smoothing // 2, mode="edge")
        values = np.convolve(padded, np.full(smoothing, 1 / smoothing), mode="valid")
    return np.round(np.concatenate([np.zeros(min(n, 1)), values]), 6)


def cues(units: Sequence[str]) -> NDArray[np.float64]:
    """What the words at a gap say about it, in units of novelty: shape ``(n,)``, 0 where they say nothing.

    A sentence that begins with "It", "However" or 因此 refers back (Halliday and Hasan, *Cohesion in English*, 1976); a
    question opens something new more often than a statement does, and what follows it is its answer.

    Raises ``ValueError`` for units that are no texts.
    """
    units = checks.texts("units", units)
    values = np.zeros(len(units))
    for i in range(1, len(units)):
        values[i] -= 0.2 * (_REFERS_BACK.match(units[i]) is not None)
        values[i] += 0.15 * (_QUESTION.search(units[i]) is not None)
        values[i] -= 0.15 * (_ENDS_IN_QUESTION.search(units[i - 1]) is not None)
    return values
