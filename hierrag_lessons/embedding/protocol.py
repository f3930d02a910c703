"""What an embedder is, and what all of them do with the texts that they are given.

Lesson 02 uses it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import regex

_SURROGATE = regex.compile(r"[\ud800-\udfff]")


@runtime_checkable
class LimitedEmbedder(Protocol):
    """An embedder that reads only the first ``max_tokens`` word pieces of a text; all of it where that is ``None``."""

    @property
    def max_tokens(self) -> int | None:
        """How many word pieces of a text are read."""
        ...

    def count_word_pieces(self, texts: Sequence[str], query: bool = False) -> list[int]:
        """Number of word pieces of each whole text, counted as ``max_tokens`` is.

        ``query`` says that they are questions; only an embedder with ``encode_queries`` is ever told so.
        """
        ...


class EmbeddingError(RuntimeError):
    """A model cannot be loaded, is not the file that it should be, or a server gives no usable answer."""


class TruncationWarning(UserWarning):
    """Some texts are longer than their model reads: the rest of each has no influence on its vector."""


def without_surrogates(text: str) -> str:
    """``text`` with U+FFFD for each lone surrogate: those have no UTF-8 form, so that no tokenizer takes them."""
    return _SURROGATE.sub("\ufffd", text)


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """The rows divided by their lengths, float32 of the same shape; rows of zeros stay as they are."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0), dtype=np.float32)


def warn_truncation(word_pieces: Sequence[int], max_tokens: int | None) -> None:
    """Give one warning where texts of these lengths, of all that are embedded together, exceed ``max_tokens``."""
    cut = 0 if max_tokens is None else sum(count > max_tokens for count in word_pieces)
    if cut:
        warnings.warn(
            f"{cut} of {len(word_pieces)} texts are longer than the {max_tokens} word pieces that the model reads, and "
            "the rest of each has no influence on its vector; cut them into smaller chunks first",
            TruncationWarning,
            stacklevel=stack_level(),
        )


def stack_level() -> int:
    """The stack level of the code that called into this package, so that a warning points at the reader's own line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hierrag_lessons."):
        frame, level = frame.f_back, level + 1
    return level
