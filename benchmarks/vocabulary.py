"""Tokens of the course's vocabulary against OpenAI's cl100k_base: ``python -m benchmarks.vocabulary``.

cl100k_base is compared where tiktoken has downloaded it before; nothing is downloaded here.
"""

from __future__ import annotations

from typing import Any

from benchmarks.results import write
from hierrag_lessons.reading import python_reference_checksum
from hierrag_lessons.text import encode, get_encoding
from tools.train_tokenizer import cached_cl100k, course_documents


def measure() -> dict[str, Any]:
    """Characters and tokens of the course's own texts by language; without cl100k_base where it is not there."""
    documents, cl100k = course_documents(), cached_cl100k()
    encodings = [get_encoding("hierrag_16k"), *([cl100k] if cl100k else [])]
    languages = {}
    for language in ("en", "zh"):
        texts = [document.text for document in documents if document.language == language]
        tokens = {encoding.name: sum(len(encode(text, encoding)) for text in texts) for encoding in encodings}
        languages[language] = {"characters": sum(map(len, texts)), "tokens": tokens}
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
