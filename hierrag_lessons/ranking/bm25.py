"""BM25: how well words fit a text, from how often they come in it and how rare they are.

Lesson 02 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csc_array, csr_array, sparray

from hierrag_lessons import checks

K1, B = 0.6, 0.75
"""How fast a repeated word stops to count, and how much the length of a text counts."""


def count_terms(texts: Sequence[Sequence[str]]) -> tuple[csr_array, dict[str, int]]:
    """How often each term comes in each text: a matrix of texts by terms, and the column of each term.

    >>> counts, columns = count_terms([["dog", "cat", "dog"], ["cat"]])
    >>> columns
    {'dog': 0, 'cat': 1}
    >>> counts.toarray().tolist()
    [[2.0, 1.0], [0.0, 1.0]]

    Raises ``ValueError`` for what is no list of lists of texts.
    """
    lists = [checks.texts(f"texts[{place}]", text) for place, text in enumerate(checks.each("texts", texts, object))]
    columns: dict[str, int] = {}
    found = [columns.setdefault(term, len(columns)) for text in lists for term in text]
    ends = np.cumsum([0, *map(len, lists)])
    counts = csr_array((np.ones(len(found), np.float32), found, ends), shape=(len(lists), len(columns)))
    counts.sum_duplicates()
    return counts, columns


class BM25:
    """The BM25 scores of texts for any query, between 0 and 1.

    >>> counts, columns = count_terms([["dog", "cat", "dog"], ["cat"], ["fish"]])
    >>> BM25(counts).scores([columns["dog"]]).round(2).tolist()
    [0.68, 0.0, 0.0]

    A term gives a text

        idf · count / (count + k1 · (1 - b + b · length of the text / mean length))

    where ``idf = ln(1 + (N - n + 0.5) / (n + 0.5))`` for a term in ``n`` of ``N`` texts. The sum over the query's terms
    is divided by the sum of their idf, which no text can exceed, so that scores of different queries, and of texts of
    different levels, are on one scale.

    Source: Robertson and Walker (1994); Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009); the idf
    is Lucene's.

    Parameters
    ----------
    counts:
        Texts by terms, see :func:`count_terms`.
    k1, b:
        0 or more; 0 to 1.

    Raises ``ValueError`` for a parameter out of its range.
    """

    def __init__(self, counts: sparray, k1: float = K1, b: float = B) -> None:
        checks.number("k1", k1, 0)
        checks.number("b", b, 0, 1)
        table = csc_array(counts)
        texts, lengths = table.shape[0], table.sum(axis=1)
        mean = lengths.mean() if texts else 0.0
        with_term = np.diff(table.indptr)
        self.idf = np.log1p((texts - with_term + 0.5) / (with_term + 0.5))
        norms = k1 * (1 - b + b * lengths / mean) if mean else np.full(texts, k1)
        table.data = (table.data / (table.data + norms[table.indices])).astype(np.float32)
        self._weights = table

    def scores(self, query: Sequence[int]) -> np.ndarray:
        """The score of each text for the columns of a query's terms; a term that comes twice counts twice."""
        parts = [self.with_term(column) for column in query]
        total = self.idf[list(query)].sum()
        found = np.concatenate([np.zeros(0, np.int32), *(texts for texts, _ in parts)])
        gains = [weights * (self.idf[column] / total) for column, (_, weights) in zip(query, parts, strict=True)]
        return np.bincount(found, np.concatenate([np.zeros(0), *gains]), self._weights.shape[0])

    def with_term(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        """The texts that have a term, and the share of its idf that each of them gets."""
        here = slice(*self._weights.indptr[column : column + 2])
        return self._weights.indices[here], self._weights.data[here]
