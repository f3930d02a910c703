"""Train the course's own vocabulary for tiktoken: ``python -m tools.train_tokenizer``.

tiktoken downloads its vocabularies at first use, which fails without a network. So the course brings its own: 16,384
entries, learned from the documents in ``data/corpora`` and from this Python's language reference. The same texts give
the same file, byte for byte, on every machine; ``SOURCES.json`` records which texts they were.

``python -m tools.train_tokenizer --compare`` measures how far the vocabulary compresses those texts.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import platform
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import tiktoken

from hierrag_lessons.model import Document
from hierrag_lessons.reading import load_corpus, python_reference_checksum, read_python_reference
from hierrag_lessons.text import PATTERN, encode, get_encoding
from hierrag_lessons.text.tokens import VOCABULARY_FILE
from tools.bpe import count_pre_tokens, train

N_ENTRIES = 16_384
SOURCES_FILE = VOCABULARY_FILE.with_name("SOURCES.json")
CL100K_URL = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"

# The 3,755 most common Chinese characters: level 1 of the national standard GB 2312 (1980), rows 16 to 55. The course's
# texts hold only some of them, and without an entry of its own a character takes up to three tokens, one for each byte.
# Counting the Chinese texts several times over was tried instead: it learns their clauses by heart and helps no other.
COMMON_CHARACTERS = "".join(
    bytes([row, cell]).decode("gb2312", errors="ignore") for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF)
)


def course_documents() -> list[Document]:
    """Every text that the vocabulary is learned from."""
    return [*load_corpus("en"), *load_corpus("zh"), *read_python_reference()]


def learn(documents: Iterable[Document], n_entries: int = N_ENTRIES) -> tuple[list[bytes], list[int]]:
    """Learn a vocabulary from documents, and from each common Chinese character seen once more, on its own.

    Returns and raises what :func:`tools.bpe.train` does.
    """
    pre_tokens = count_pre_tokens((document.text for document in documents), PATTERN)
    pre_tokens.update(Counter(character.encode() for character in COMMON_CHARACTERS))
    return train(pre_tokens, n_entries)


def file_bytes(tokens: Sequence[bytes]) -> bytes:
    """A vocabulary as tiktoken's file: a line for each token, its bytes in base64, a space, its rank."""
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))


def sources(documents: Iterable[Document]) -> dict[str, object]:
    """What the vocabulary was learned from: SHA-256 of each text of the course and of this Python's reference."""
    return {
        "python": platform.python_version(),
        "python_reference": python_reference_checksum(),
        "documents": {
            document.doc_id: hashlib.sha256(document.text.encode()).hexdigest()
            for document in documents
            if not document.doc_id.startswith("python/")
        },
    }


def cached_cl100k() -> tiktoken.Encoding | None:
    """OpenAI's cl100k_base where tiktoken has downloaded it before, else ``None``; never asks the network."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        folder = os.path.join(tempfile.gettempdir(), "data-gym-cache")
    cached = Path(folder, hashlib.sha1(CL100K_URL.encode()).hexdigest())
    return get_encoding("cl100k_base") if folder and cached.is_file() else None


def compare(documents: Sequence[Document], encodings: Iterable[tiktoken.Encoding]) -> str:
    """A table of how many tokens each vocabulary needs for the documents of each language."""
    rows = [f"{'vocabulary':<14}{'language':<10}{'characters':>12}{'tokens':>10}{'bytes/token':>13}{'tokens/char':>13}"]
    for encoding in encodings:
        for language in ("en", "zh"):
            texts = [document.text for document in documents if document.language == language]
            characters, size = sum(map(len, texts)), sum(len(text.encode()) for text in texts)
            if not characters:
                continue
            tokens = sum(len(encode(text, encoding)) for text in texts)
            rows.append(
                f"{encoding.name:<14}{language:<10}{characters:>12,}{tokens:>10,}"
                f"{size / tokens:>13.2f}{tokens / characters:>13.3f}"
            )
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and write the vocabulary, or with ``--compare`` measure the one that is there."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train_tokenizer", description="Train the course's vocabulary."
    )
    parser.add_argument("--compare", action="store_true", help="measure the compression of the vocabulary instead")
    documents = course_documents()
    if parser.parse_args(arguments).compare:
        cl100k = cached_cl100k()
        print(compare(documents, [get_encoding("hierrag_16k"), *([cl100k] if cl100k else [])]))
        print("The course's vocabulary was learned from these very texts; on others it needs more tokens.")
        if cl100k is None:
            print("cl100k_base is not in tiktoken's cache on this machine, so it is not compared.")
        return
    started = time.perf_counter()
    tokens, counts = learn(documents)
    once = counts.count(1)
    VOCABULARY_FILE.parent.mkdir(parents=True, exist_ok=True)
    VOCABULARY_FILE.write_bytes(file_bytes(tokens))
    SOURCES_FILE.write_bytes((json.dumps(sources(documents), indent=2) + "\n").encode())
    print(
        f"{len(tokens):,} entries from {len(documents)} documents in {time.perf_counter() - started:.1f} s "
        f"-> {VOCABULARY_FILE.name}"
    )
    if once:
        print(f"{once:,} of the {len(counts):,} merges join a pair that occurs once: none was left that occurs twice.")


if __name__ == "__main__":
    main()
