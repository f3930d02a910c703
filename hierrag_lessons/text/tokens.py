"""Tokens: the vocabulary, and counting.

Lesson 01 builds it.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import regex
import tiktoken

from hierrag_lessons import checks

Measure = Callable[[str], int]

VOCABULARY_FILE = Path(__file__).parent / "vocabulary" / "hierrag_16k.tiktoken"

# A byte-level BPE vocabulary merges only inside the pieces that this pattern cuts: contractions, words with the space
# before them, up to three digits, runs of signs, white space. It looks neither ahead nor back, so tiktoken can match it
# in linear time; patterns that look ahead, such as cl100k's, exhaust the stack on a megabyte of spaces.
PATTERN = r"'(?:[sdmtSDMT]|ll|ve|re|LL|VE|RE)| ?\p{L}[\p{L}\p{M}]*| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+"

_SURROGATE = regex.compile(r"[\ud800-\udfff]")


def get_encoding(name: str | None = None) -> tiktoken.Encoding:
    """Load a vocabulary.

    Parameters
    ----------
    name:
        ``"hierrag_16k"`` is the course's own and needs no network. Any other name is handed to tiktoken, which
        downloads that vocabulary at first use. Where not given, the environment variable ``HIERRAG_ENCODING`` decides,
        and without it the course's own.

    Raises
    ------
    FileNotFoundError
        Where the course's vocabulary file is missing.
    ValueError
        Where ``name`` is no text, or tiktoken does not know it or cannot download it.
    """
    checks.text("name", name, none="the course's own")
    return _encoding(name or os.environ.get("HIERRAG_ENCODING") or "hierrag_16k")


@lru_cache(maxsize=4)
def _encoding(name: str) -> tiktoken.Encoding:
    if name != "hierrag_16k":
        try:
            return tiktoken.get_encoding(name)
        except Exception as error:  # tiktoken lets its HTTP client's errors through, whatever they are.
            raise ValueError(
                f"the encoding {name!r} could not be loaded ({type(error).__name__}); tiktoken downloads it at first "
                "use, so connect to a network once, or unset HIERRAG_ENCODING to use the course's own vocabulary"
            ) from error
    if not VOCABULARY_FILE.is_file():
        raise FileNotFoundError(
            f"{VOCABULARY_FILE.name} is missing from the package; install hierrag-lessons again, or in the course's "
            "repository restore it with `git checkout hierrag_lessons/text/vocabulary`"
        )
    ranks = {}
    for line in VOCABULARY_FILE.read_bytes().splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    return tiktoken.Encoding(
        "hierrag_16k", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={"<|endoftext|>": len(ranks)}
    )


def encode(text: str, encoding: tiktoken.Encoding) -> npt.NDArray[np.uint32]:
    """Token ids of ``text``, shape ``(n,)``, all of it read as ordinary text, ``<|endoftext|>`` included.

    A lone surrogate has no UTF-8 form; it is encoded as U+FFFD, which has as many bytes, so that positions agree.
    Raises ``ValueError`` for what is no text.
    """
    checks.text("text", text)
    try:
        return encoding.encode_to_numpy(text, disallowed_special=())
    except UnicodeEncodeError:
        return encoding.encode_to_numpy(_SURROGATE.sub("\ufffd", text), disallowed_special=())


class TokenCounter:
    """Counts the tokens of a text: ``count_tokens("Hello there")`` is 2 or so, depending on the vocabulary."""

    @cached_property
    def encoding(self) -> tiktoken.Encoding:
        """The vocabulary, loaded at first use."""
        return get_encoding()

    def __call__(self, text: str) -> int:
        """Number of tokens of ``text``."""
        return len(encode(text, self.encoding))

    def __repr__(self) -> str:
        return "count_tokens"


count_tokens = TokenCounter()
"""The default measure: tokens of the course's vocabulary, or of the one that ``HIERRAG_ENCODING`` names."""
