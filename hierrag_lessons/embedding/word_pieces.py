"""The vectors of single word pieces, which a sentence transformer makes before it takes their mean.

Lesson 07 builds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import numpy as np

from hierrag_lessons.embedding.cache import CachedEmbedder
from hierrag_lessons.embedding.protocol import without_surrogates
from hierrag_lessons.model import Embedder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class WordPieces(NamedTuple):
    """The word pieces of one text, as a model sees them in their surroundings.

    ``vectors`` are those of [CLS] and the pieces of the prompt, if there is one; of the text's ``n`` pieces; and of
    [SEP]: float32 of shape ``(front + n + 1, dim)``. ``offsets`` are the text's pieces' spans in it, shape ``(n, 2)``.
    """

    vectors: np.ndarray
    offsets: np.ndarray

    @property
    def front(self) -> int:
        """How many vectors stand in front of those of the text: 1 where there is no prompt."""
        return len(self.vectors) - len(self.offsets) - 1


class WordPieceEmbedder(Protocol):
    """An embedder that shows the vectors of single word pieces."""

    @property
    def name(self) -> str:
        """As ``Embedder.name``."""
        ...

    @property
    def pooling(self) -> str:
        """How it makes one vector of those of the word pieces."""
        ...

    def word_pieces(self, text: str, query: bool = False) -> WordPieces:
        """The word pieces of a document, or a question, of any length."""
        ...


def word_piece_embedder(embedder: Embedder) -> WordPieceEmbedder:
    """The embedder itself, or the one inside a cache.

    Raises ``ValueError`` for an embedder without word pieces.
    """
    inside: object = embedder.embedder if isinstance(embedder, CachedEmbedder) else embedder
    if not callable(getattr(inside, "word_pieces", None)):
        raise ValueError(
            f"{embedder!r} gives no vectors of single word pieces; use MiniLMEmbedder or SentenceTransformerEmbedder"
        )
    return cast("WordPieceEmbedder", inside)


def read_word_pieces(text: str, model: SentenceTransformer, max_tokens: int | None, prompt: str = "") -> WordPieces:
    """Let a model that reads ``max_tokens`` word pieces at once read a text of any length.

    A text that is longer than the model reads goes through it in windows, each of which repeats half of the one before.
    A word piece takes its vector from the window in which it stands nearer to the middle, so it has seen at least a
    quarter of a window on both sides. Only the first window begins with the prompt.
    """
    import torch  # Loading it takes seconds, and it is loaded with the model.

    tokenizer = model.tokenizer
    options = {"return_offsets_mapping": True, "verbose": False}
    overlap, cleaned = 0, without_surrogates(prompt + text)
    if max_tokens is None:
        read = tokenizer([cleaned], truncation=False, **options)
    else:
        overlap = (max_tokens - 2) // 2
        limit = {"truncation": True, "max_length": max_tokens, "stride": overlap}
        read = tokenizer([cleaned], return_overflowing_tokens=True, **limit, **options)
    vectors, offsets = [], []
    windows = len(read["input_ids"])
    for number, window in enumerate(read["input_ids"]):
        # One at a time: on a CPU a batch is no faster, and so a vector does not depend on what else is in the batch.
        ids = tokenizer.pad({"input_ids": [list(window)]}, return_tensors="pt", verbose=False).to(model.device)
        with torch.inference_mode():
            embedded = model.eval()(dict(ids))["token_embeddings"][0].cpu().numpy()
        # Of what two windows share, each keeps the half that is nearer to its middle.
        first = 0 if number == 0 else 1 + overlap // 2
        last = len(window) if number == windows - 1 else len(window) - 1 - (overlap - overlap // 2)
        vectors.append(embedded[first:last])
        offsets += read["offset_mapping"][number][first:last]
    spans = np.array(offsets[1:-1], dtype=np.intp).reshape(-1, 2) - len(prompt)
    if prompt:  # A piece that begins in the prompt and ends in the text belongs to the text.
        spans = spans[spans[:, 1] > 0].clip(min=0)
    return WordPieces(np.concatenate(vectors), spans)
