"""Late interaction: query and text meet word piece by word piece, not as two single vectors.

Lesson 19 builds it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.embedding import HypotheticalDocument, MiniLMEmbedder
from hierrag_lessons.embedding.protocol import unit_rows
from hierrag_lessons.embedding.sides import two_sided
from hierrag_lessons.embedding.word_pieces import word_piece_embedder
from hierrag_lessons.model import Embedder


def max_sim(query: np.ndarray, text: np.ndarray) -> float:
    """Mean over the query's rows of the best cosine with any row of the text (Khattab and Zaharia, ColBERT, 2020).

    ColBERT adds the best cosines up; the mean orders the texts of one query alike, and its values are on the scale of a
    cosine whatever the length of the query.

    Parameters
    ----------
    query, text:
        Shapes ``(m, dim)`` and ``(n, dim)``, rows of unit length.

    Returns
    -------
    float
        From -1 to 1; 0 where one of them has no rows.
    """
    if not len(query) or not len(text):
        return 0.0
    # Not `query @ text.T`: to start the threads of that takes longer than so small a product.
    cosines = np.einsum("ik,jk->ij", query, text)
    return float(cosines.max(axis=1).mean(dtype=np.float64))


class MaxSimReranker:
    """Judge texts by :func:`max_sim` over the vectors of their word pieces.

    ColBERT is a model trained for this. Here any sentence transformer lends its word pieces, which it was trained for
    only as parts of a mean; it needs no other model than the one that is installed. Texts of any length are read whole,
    see ``MiniLMEmbedder.word_pieces``. [CLS], [SEP] and the model's prompts are read with them and left out.

    Reading a text takes tens of milliseconds, comparing it far less than one. So vectors are kept, as 16-bit numbers,
    and those of the texts not used for longest are forgotten where there are too many.

    Parameters
    ----------
    embedder:
        `MiniLMEmbedder`, which is also what ``None`` stands for, or a `SentenceTransformerEmbedder`, with or without a
        cache around it. all-MiniLM-L6-v2 does not know most Chinese characters, so for Chinese give another.
    capacity:
        How many word pieces to keep the vectors of. A piece of 384 dimensions takes 768 bytes, so the default is about
        150 MB.

    Raises
    ------
    ValueError
        When made with another embedder or a negative ``capacity``.
    """

    def __init__(self, embedder: Embedder | None = None, capacity: int = 200_000) -> None:
        checks.able("embedder", embedder, "encode", none="MiniLMEmbedder()")
        checks.whole("capacity", capacity, 0)
        self.embedder = embedder or MiniLMEmbedder()
        self.capacity = capacity
        self._reader = word_piece_embedder(self.embedder)
        self._kept: OrderedDict[tuple[str, bool], np.ndarray] = OrderedDict()
        self._size = 0

    def __repr__(self) -> str:
        return f"MaxSimReranker({self.embedder!r})"

    def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """The mean best cosine of the query's word pieces with each text's, float64 of shape ``(len(texts),)``."""
        checks.text("query", query)
        texts = checks.texts("texts", texts)
        asked = self.vectors(query, query=not isinstance(query, HypotheticalDocument))
        return np.array([max_sim(asked, self.vectors(text)) for text in texts], dtype=np.float64)

    def vectors(self, text: str, query: bool = False) -> np.ndarray:
        """The word pieces of a document, or a question, as rows of unit length, float32 of shape ``(n, dim)``."""
        checks.text("text", text)
        checks.instance("query", query, bool)
        side = {"query": True} if query and two_sided(self.embedder) else {}
        key = (text, bool(side))
        rows = self._kept.pop(key, None)
        if rows is None:
            # All rows are rounded, not only those that are kept: a second look at a text gives the same score.
            read = self._reader.word_pieces(text, **side)
            rows = unit_rows(read.vectors[read.front : -1]).astype(np.float16)
            self._size += len(rows)
        self._kept[key] = rows
        while self._size > self.capacity:
            self._size -= len(self._kept.popitem(last=False)[1])
        return rows.astype(np.float32)
