"""Tokens of the course's vocabulary against OpenAI's cl100k_base: ``python -m benchmarks.vocabulary``.

cl100k_base is compared where tiktoken has downloaded it before; nothing is downloaded here. Its contexts say how far a
budget counted with the one vocabulary can be from the same in the other. Lesson 01 reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import tiktoken

from benchmarks.results import write
from hierrag_lessons.chunkers import FixedSizeChunker
from hierrag_lessons.model import Document
from hierrag_lessons.reading import python_reference_checksum
from hierrag_lessons.text import encode, get_encoding
from tools.train_tokenizer import cached_cl100k, course_documents

SIZES = (200, 2000)


def times_ours(documents: Sequence[Document], size: int, other: tiktoken.Encoding) -> list[float]:
    """Tokens of another vocabulary over the course's, for pieces of about ``size`` tokens: least, median, most."""
    texts = [chunk.text for document in documents for chunk in FixedSizeChunker(size).chunk(document)]
    sizes = [(len(encode(text, get_encoding("hierrag_16k"))), len(encode(text, other))) for text in texts]
    ratios = sorted(theirs / ours for ours, theirs in sizes if ours >= 0.9 * size)  # not the rest at a text's end
    return [round(ratio, 2) for ratio in (ratios[0], median(ratios), ratios[-1])]


def measure() -> dict[str, Any]:
    """Characters and tokens of the course's own texts by language; without cl100k_base where it is not there."""
    documents, cl100k = course_documents(), cached_cl100k()
    encodings = [get_encoding("hierrag_16k"), *([cl100k] if cl100k else [])]
    languages = {}
    for language in ("en", "zh"):
        own = [document for document in documents if document.language == language]
        texts = [document.text for document in own]
        tokens = {encoding.name: sum(len(encode(text, encoding)) for text in texts) for encoding in encodings}
        languages[language] = {"characters": sum(map(len, texts)), "tokens": tokens}
        if cl100k:
            languages[language]["times_ours"] = {str(size): times_ours(own, size, cl100k) for size in SIZES}
    return {"python_reference": python_reference_checksum(), "languages": languages}


def main() -> None:
    """Write the results file, unless that would lose the figures of cl100k_base."""
    results = measure()
    if "cl100k_base" not in results["languages"]["en"]["tokens"]:
        raise SystemExit(
            "cl100k_base is not in tiktoken's cache, so the results file is left as it is. Run once with a network: "
            "python -c \"import tiktoken; tiktoken.get_encoding('cl100k_base')\""
        )
    write("vocabulary", results, ("tiktoken",))


if __name__ == "__main__":
    main()
