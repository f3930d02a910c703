"""Late chunking: embed the whole text, then cut it, so that a chunk's vector knows what stands around the chunk.

Lesson 07 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.embedding.protocol import unit_rows
from hierrag_lessons.embedding.word_pieces import word_piece_embedder
from hierrag_lessons.model import Embedder, Span


def embed_late(text: str, spans: Sequence[Span], embedder: Embedder) -> np.ndarray:
    """Embed the spans of a text with the rest of the text in view (late chunking; Günther et al., 2024).

    An embedder reads a text, makes one vector for each word piece, and returns their mean. Ordinarily each chunk is
    read alone, so "it" in a chunk can only be "it". Here the model reads the text, and the mean is taken over the word
    pieces of each span: "it" has seen the sentence before. One span around a short text gives what ``encode`` gives.

    A text that is longer than the model reads goes through it in windows, each of which repeats half of the one before
    (the paper's *long late chunking*). A word piece takes its vector from the window in which it stands nearer to the
    middle, so it has seen at least a quarter of a window on both sides. Every piece is thus read about twice.

    Parameters
    ----------
    text:
        The whole document.
    spans:
        The chunks, in any order; they may overlap. A word piece that only partly lies in a span counts as in it.
    embedder:
        `MiniLMEmbedder` or a `SentenceTransformerEmbedder` whose model takes the mean, with or without a cache around
        it. The cache is not used: these vectors depend on the whole text.

    Returns
    -------
    np.ndarray
        float32, shape ``(len(spans), embedder.dim)``, rows of unit length. The row of a span without a word piece
        (empty, or only white space) is zero, and so is its similarity to everything.

    Raises
    ------
    ValueError
        For another embedder, a model that does not take the mean of its vectors, or a span outside the text.
    """
    checks.text("text", text)
    checks.able("embedder", embedder, "encode")
    spans = checks.each("spans", spans, object)
    for number, span in enumerate(spans):
        checks.span(f"spans[{number}]", span, len(text))
    model = word_piece_embedder(embedder)
    if model.pooling != "mean":
        raise ValueError(
            f"the model {model.name!r} is trained with the pooling {model.pooling!r}; late chunking needs one whose "
            "vector is the mean of its word pieces'"
        )
    read = model.word_pieces(text)
    (vectors, offsets), front = read, read.front
    n = len(offsets)
    rows = np.zeros((len(spans), embedder.dim), dtype=np.float32)
    for row, span in zip(rows, spans, strict=True):
        first = int(np.searchsorted(offsets[:, 1], span.start, side="right"))
        last = int(np.searchsorted(offsets[:, 0], span.end, side="left"))
        if span.start < span.end and first < last:
            # The ordinary mean includes [CLS], the prompt and [SEP]; here they belong to the first or the last piece.
            row[:] = vectors[first + front if first else 0 : last + front + (last == n)].mean(axis=0)
    return unit_rows(rows)
