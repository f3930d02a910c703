"""Character n-grams: an embedder that needs no model and no training, for Chinese.

Lesson 02 builds it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import regex

from hierrag_lessons import checks
from hierrag_lessons.embedding.protocol import unit_rows, without_surrogates

# Runs of Chinese characters, and runs of other letters and digits; white space and punctuation separate them.
_RUN = regex.compile(r"(?P<han>\p{Han}+)|[^\W\p{Han}]+")

# Characters that are mostly grammar: particles, pronouns, prepositions, question words. They say little about a topic.
_GRAMMAR = frozenset(
    "的了是在和有与及或等为以于之而其也都就不这那我你他她它们个中上下到由从对被把将会能可要所吗呢吧啊着过何什么哪谁几多少"
)


class CharNgramEmbedder:
    """Single characters and pairs of characters, hashed into a vector (Weinberger et al., 2009, signed hashing).

    Words are not marked in Chinese, and pairs of characters find most of them. A text is cut into runs of Chinese
    characters and runs of other letters and digits; pairs never reach across a space or a punctuation mark. A run that
    is not Chinese counts as a whole, too, so that 308 is not only 30 and 08. An n-gram that occurs ``c`` times weighs
    ``3c / (c + 2)``, the saturation of BM25 (Robertson and Zaragoza, 2009) with ``k1 = 2``; one that holds nothing but
    grammar, such as 的, weighs a tenth of that.

    Nothing is fitted to a corpus: a text has the same vector wherever it is. Two n-grams that fall into one of the
    ``dim`` places look alike, which is the price of a short vector.

    Parameters
    ----------
    dim:
        Length of the vectors: the longer, the fewer n-grams share a place, and the larger the index.

    Raises
    ------
    ValueError
        Where ``dim`` is less than 1.
    """

    def __init__(self, dim: int = 2048) -> None:
        checks.whole("dim", dim, 1)
        self.dim = dim

    def __repr__(self) -> str:
        return f"CharNgramEmbedder(dim={self.dim})"

    @property
    def name(self) -> str:
        """``char-ngrams-`` and the dimension."""
        return f"char-ngrams-{self.dim}"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts, float32 of shape ``(len(texts), dim)``; a text with no letter or digit in it gives zeros."""
        texts = checks.texts("texts", texts)
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        from sklearn.feature_extraction import FeatureHasher

        hasher = FeatureHasher(n_features=self.dim, input_type="pair", dtype=np.float32)
        return unit_rows(hasher.transform(_weights(text) for text in texts).toarray())


def _weights(text: str) -> Iterator[tuple[str, float]]:
    for ngram, count in Counter(_ngrams(text)).items():
        weight = 0.1 if _GRAMMAR.issuperset(ngram) else 1.0
        yield ngram, weight * 3 * count / (count + 2)


def _ngrams(text: str) -> Iterator[str]:
    for run in _RUN.finditer(unicodedata.normalize("NFKC", without_surrogates(text)).lower()):
        piece = run.group()
        if run["han"]:
            yield from piece
        else:
            yield f" {piece} "  # The spaces tell the whole run "30" from a pair inside 308.
        yield from map("".join, pairwise(piece))
