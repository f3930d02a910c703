"""The vectors that come with the repository, so that a fresh machine need not embed the course's texts first.

Lesson 02 uses it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Container, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hierrag_lessons.embedding.protocol import unit_rows
from hierrag_lessons.reading.corpora import DATA_DIR

VECTORS_DIR = DATA_DIR / "vectors"
_KEY_BYTES = 16


class StoredVector(NamedTuple):
    """A vector as float32 of unit length, and its text's number of word pieces.

    ``word_pieces`` is 0 where the embedder reads texts of any length.
    """

    vector: np.ndarray
    word_pieces: int


def text_key(text: str) -> bytes:
    """Return the SHA-256 of a text, which stands for it wherever vectors are kept.

    >>> text_key("a span").hex()[:8]
    '1db0a5ab'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def rounded(vectors: np.ndarray) -> np.ndarray:
    """Round vectors to 16-bit numbers, and return them as float32 rows of unit length, of the same shape.

    A vector read from a file of 16-bit numbers and one computed anew are then the same. Rounding twice changes nothing.

    >>> bool((rounded(np.array([[0.6, 0.8001]])) == rounded(rounded(np.array([[0.6, 0.8001]])))).all())
    True
    """
    return unit_rows(vectors.astype(np.float16).astype(np.float32))


def vectors_file(name: str) -> Path:
    """Return the path of the file with the vectors of the embedder ``name``."""
    return VECTORS_DIR / f"{name}.npy"


def row_type(dim: int) -> np.dtype:
    """Return the type of a file's rows, for vectors of ``dim`` numbers."""
    return np.dtype([("key", f"V{_KEY_BYTES}"), ("word_pieces", "<u4"), ("vector", "<f2", (dim,))])


def note_asked(name: str, texts: Mapping[bytes, str], shipped: Container[bytes]) -> None:
    """Note which texts are asked for in the folder that ``ASKED_TEXTS`` names; ``tools/vectors.py`` reads it.

    A line has the embedder's name, the text's key and, where its vector does not come with the repository, the text.
    """
    if asked := os.environ.get("ASKED_TEXTS"):
        lines = (f"{name}\t{key.hex()}\t{'' if key in shipped else json.dumps(text)}\n" for key, text in texts.items())
        with Path(asked, f"{os.getpid()}.tsv").open("a", encoding="utf-8") as file:
            file.write("".join(lines))


class ShippedVectors:
    """The vectors of one embedder that come with the repository, read from the file as they are asked for."""

    def __init__(self, rows: np.ndarray) -> None:
        self._rows = rows
        keys = rows["key"].tobytes()
        self._places = {keys[i * _KEY_BYTES : (i + 1) * _KEY_BYTES]: i for i in range(len(rows))}

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, bytes) and key[:_KEY_BYTES] in self._places

    def __getitem__(self, key: bytes) -> StoredVector:
        row = self._rows[self._places[key[:_KEY_BYTES]]]
        return StoredVector(unit_rows(row["vector"][None].astype(np.float32))[0], int(row["word_pieces"]))


def write_vectors(path: Path, entries: Mapping[bytes, StoredVector], dim: int) -> None:
    """Write vectors, each under the `text_key` of its text, sorted by it, so that git stores only what changes."""
    rows = np.zeros(len(entries), dtype=row_type(dim))
    for i, (key, entry) in enumerate(sorted(entries.items())):
        rows[i] = (key[:_KEY_BYTES], entry.word_pieces, entry.vector.astype(np.float16))
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, rows)


@cache
def shipped_vectors(name: str, dim: int) -> ShippedVectors:
    """Open the vectors of an embedder; none where the repository has none of it, or only a damaged file."""
    none = np.empty(0, dtype=row_type(dim))
    if Path(name).name != name:  # a model's folder, or its name on a hub
        return ShippedVectors(none)
    try:
        rows = np.load(vectors_file(name), mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        rows = none
    return ShippedVectors(rows if rows.dtype == none.dtype else none)
