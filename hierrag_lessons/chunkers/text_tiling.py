"""Lexical cohesion: cut where the vocabulary changes. It needs no model at all.

Lesson 09 builds it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_sizes, check_within
from hierrag_lessons.chunkers.semantic.greedy import greedy_starts, peaks
from hierrag_lessons.chunkers.semantic.sentence_runs import runs_to_chunks, unit_size
from hierrag_lessons.chunkers.sentence import sentence_units
from hierrag_lessons.model import Chunk, Document, Language, Span
from hierrag_lessons.text import Measure, Ruler, count_tokens, make_ruler

if TYPE_CHECKING:
    from scipy import sparse

_WORD = re.compile(r"[^\W\d_]{2,}(?:['’][a-z]+)?")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9-]+")
_ENDING = re.compile(r"(?:'s|’s|ies|es|s|ed|ing)$")


@dataclass(frozen=True)
class TextTilingChunker:
    """Cut where the words of the sentences before and after have little in common, inside hard limits of size.

    >>> document = Document("d", "Cats sleep. Cats eat. Cats purr. Ships sail. Ships sink.")
    >>> [chunk.text for chunk in TextTilingChunker(60, 20, window=2, measure=len).chunk(document)]
    ['Cats sleep. Cats eat. Cats purr.', 'Ships sail. Ships sink.']

    Hearst, *TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages* (1997): the similarity of two
    neighbouring blocks of sentences is the cosine of their word counts, and a gap counts by the depth of its valley,
    see :func:`depths`. Chinese is compared by pairs of characters.

    Parameters
    ----------
    max_size, min_size:
        The largest and the smallest size of a chunk, in units of ``measure``. No chunk is above ``max_size``. One can
        be below ``min_size`` where its neighbours have no room for it.
    window:
        Sentences in a block.
    measure:
        ``count_tokens``, ``len`` for characters, or any function from a string to an integer.

    Raises
    ------
    ValueError
        When it is made, for impossible sizes, a window below 1, or a measure that is no function.
    """

    max_size: int = 400
    min_size: int = 100
    window: int = 6
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        check_sizes(self.max_size, min_size=self.min_size)
        checks.whole("window", self.window, 1)
        checks.measure("measure", self.measure)

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        units = sentence_units(document.text, span, ruler, self.max_size)
        scores = depths([document.text[start:end] for start, end in units], document.language, self.window)
        starts = greedy_starts(scores, _threshold(scores), unit_size(units, ruler), self.min_size, self.max_size)
        return runs_to_chunks(document, units, starts, ruler, self.max_size, 0)


def lexical_boundaries(units: Sequence[str], language: Language = "en", window: int = 6) -> list[int]:
    """Indices of the units (sentences, turns) that start a segment, by lexical cohesion alone; 0 is the first.

    A gap is a boundary where its depth is a peak above the mean depth of all valleys. Hearst (1997) goes half a
    standard deviation lower, which suits her longer blocks of words; on sentences it cuts too often.

    No units give ``[]``. Raises ``ValueError`` for units that are no texts, an unknown language, or a window below 1.
    """
    units = checks.texts("units", units)
    checks.one_of("language", language, Language)
    checks.whole("window", window, 1)
    scores = depths(units, language, window)
    return [i for i, peak in enumerate(peaks(scores, _threshold(scores))) if peak or i == 0]


def lexical_starts(
    text: str, units: Sequence[Span], language: Language, ruler: Ruler, min_size: int, max_size: int
) -> list[int]:
    """Where segments of ``units`` start: at lexical boundaries and, in too large ones, in the deepest valleys.

    Unlike :class:`TextTilingChunker` it first finds the boundaries of all the units, and then cuts only what is larger
    than ``max_size``.
    """
    texts = [text[start:end].strip() for start, end in units]
    scores = depths(texts, language)
    starts: list[int] = []
    for first, stop in pairwise([*lexical_boundaries(texts, language), len(units)]):
        size = unit_size(units[first:stop], ruler)
        starts += [units[first + cut].start for cut in greedy_starts(scores[first:stop], inf, size, min_size, max_size)]
    return starts


def depths(units: Sequence[str], language: Language = "en", window: int = 6) -> NDArray[np.float64]:
    """How deep the valley of lexical similarity at each gap is: the way up to the left plus the way up to the right.

    Parameters
    ----------
    units:
        Sentences or turns, in order.
    language:
        English words are compared without stop words and endings, Chinese by pairs of characters and Latin words.
    window:
        How many units on either side of a gap are compared, fewer at the ends of the text.

    Returns
    -------
    Shape ``(n,)``, from 0 to 2. Value ``i`` belongs to the gap before unit ``i``; value 0, before which there is
    nothing, is 0. Rounded to six decimals, so that the last bit of a machine decides nothing.
    """
    similarity = _similarities(units, language, window)
    left, right = _climb(similarity), _climb(similarity[::-1])[::-1]
    values = left + right - 2 * similarity
    return np.round(np.concatenate([np.zeros(min(len(units), 1)), values]), 6)


def _similarities(units: Sequence[str], language: Language, window: int) -> NDArray[np.float64]:
    """Cosine of the word counts of the ``window`` units before and after each gap, shape ``(n - 1,)``."""
    from scipy import sparse
    from sklearn.feature_extraction.text import CountVectorizer

    terms = [_words(unit, language) for unit in units]
    n = len(units)
    if n < 2 or not any(terms):
        return np.zeros(max(0, n - 1))
    counts = CountVectorizer(analyzer=list).fit_transform(terms).astype(np.float64)
    # Row i of a band adds up the units on one side of the gap before unit i + 1.
    reach = np.arange(min(window, n - 1))
    before = sparse.diags_array(np.ones(len(reach)), offsets=-reach, shape=(n - 1, n)) @ counts
    after = sparse.diags_array(np.ones(len(reach)), offsets=reach + 1, shape=(n - 1, n)) @ counts
    lengths = np.sqrt(_row_sums(before * before) * _row_sums(after * after))
    products = _row_sums(before * after)
    cosines: NDArray[np.float64] = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return cosines.round(6)


def words(unit: str, language: Language) -> list[str]:
    """What lexical cohesion compares in a unit.

    English: words without stop words and without their commonest endings. Chinese: pairs of neighbouring characters,
    and Latin words, such as the names of products. Raises ``ValueError`` for an unknown language.
    """
    checks.text("unit", unit)
    checks.one_of("language", language, Language)
    return _words(unit, language)


def _words(unit: str, language: Language) -> list[str]:
    if language == "zh":
        pairs = [a + b for run in _HAN.findall(unit) for a, b in pairwise(run)]
        return [*pairs, *(word.lower() for word in _LATIN.findall(unit))]
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    found = (match.lower() for match in _WORD.findall(unit))
    return [stem(word) for word in found if word not in ENGLISH_STOP_WORDS]


def stem(word: str) -> str:
    """A word without a common ending, where enough of it is left: enough to match meter and meters."""
    stem = _ENDING.sub("", word)
    return stem if len(stem) >= 3 else word


def _row_sums(matrix: sparse.sparray) -> NDArray[np.float64]:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


def _climb(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each gap, how high the similarity goes when one walks to the left until it falls."""
    tops = similarity.copy()
    for i in range(1, len(tops)):
        if similarity[i - 1] >= similarity[i]:
            tops[i] = tops[i - 1]
    return tops


def _threshold(scores: NDArray[np.float64]) -> float:
    """The mean of the depths that are above 0."""
    valleys = scores[scores > 0]
    return round(float(valleys.mean()), 6) if len(valleys) else 0.0
