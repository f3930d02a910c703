"""Tokens: the vocabulary, counting, and the token positions of a whole text after one pass over it."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
import regex
import tiktoken

from hierrag_lessons.documents import DATA_DIR
from hierrag_lessons.graphemes import at_least_a_cluster, snap, snap_forward

Measure = Callable[[str], int]

VOCABULARY_FILE = DATA_DIR / "tokenizer" / "hierrag_16k.tiktoken"

# A byte-level BPE vocabulary merges only inside the pieces that this pattern cuts: contractions, words with the space
# before them, up to three digits, runs of signs, white space. It looks neither ahead nor back, so tiktoken can match it
# in linear time; patterns that look ahead, such as cl100k's, exhaust the stack on a megabyte of spaces.
PATTERN = r"'(?:[sdmtSDMT]|ll|ve|re|LL|VE|RE)| ?\p{L}[\p{L}\p{M}]*| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+"

# Where tiktoken's patterns (this one, GPT-2's, cl100k's, o200k's) always start a new piece, wherever the text began:
# at a space after something else, and after a letter that no letter, mark or apostrophe follows.
_SEAM = regex.compile(r"(?<=\S)(?= )|(?<=\p{L})(?=[^\p{L}\p{M}'])")
_LAST_SEAM = regex.compile(rf"(?r){_SEAM.pattern}")

_SURROGATE = regex.compile(r"[\ud800-\udfff]")


@lru_cache(maxsize=4)
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
        Where tiktoken does not know the name or cannot download it.
    """
    name = name or os.environ.get("HIERRAG_ENCODING") or "hierrag_16k"
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
            f"data/tokenizer/{VOCABULARY_FILE.name} is missing; it is part of the course's repository: restore it with "
            "`git checkout data/tokenizer`, or train it again with `python -m tools.train_tokenizer`"
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
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _SURROGATE.sub("\ufffd", text)
    return encoding.encode_to_numpy(text, disallowed_special=())


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


class TokenRuler:
    """Token positions of a whole text from one tokenizer pass.

    Tokens are runs of bytes. Adding up their byte lengths gives the byte offset at which each one ends; the offsets
    that fall between two characters are the places where text can be cut between tokens. No piece is encoded again to
    find its position.

    Attributes
    ----------
    cuts:
        Shape ``(c,)``, ascending code-point offsets at which a token ends and no character is broken; 0 is the first.
    tokens_before:
        Shape ``(c,)``, the number of tokens before each cut.
    """

    def __init__(self, text: str, encoding: tiktoken.Encoding) -> None:
        self.text, self.encoding = text, encoding
        byte_ends = np.concatenate(([0], np.cumsum(_token_lengths(encoding)[encode(text, encoding)], dtype=np.intp)))
        if len(text) == byte_ends[-1]:  # ASCII: bytes and code points are the same.
            self.cuts, self.tokens_before = byte_ends, np.arange(len(byte_ends))
        else:
            raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
            starts_character = np.append((raw & 0xC0) != 0x80, True)
            characters_before = np.cumsum(starts_character, dtype=np.intp) - 1
            self.tokens_before = np.flatnonzero(starts_character[byte_ends])
            self.cuts = characters_before[byte_ends[self.tokens_before]]

    def size(self, start: int, end: int) -> int:
        """Tokens of ``text[start:end]`` encoded on its own, exactly.

        A piece taken out of a text can be encoded differently at its two ends: the digits of 123456 are grouped from
        the left, wherever the left is. Between two seams (see ``_SEAM``) the encoding cannot differ, so only what lies
        outside the first and the last seam of the piece is encoded again, usually nothing.
        """
        first = self._first_seam(start, end)
        last = self._last_seam(start, end)
        if first is None or last is None or last <= first:
            return len(encode(self.text[start:end], self.encoding))
        size = int(self.tokens_before[self._cut(last)] - self.tokens_before[self._cut(first)])
        if first > start:
            size += len(encode(self.text[start:first], self.encoding))
        if last < end:
            size += len(encode(self.text[last:end], self.encoding))
        return size

    def reach(self, start: int, end: int, limit: int) -> int:
        """See :class:`~hierrag_lessons.rulers.Ruler`; cuts fall between tokens."""
        before = self.tokens_before[self.cuts.searchsorted(start, side="right") - 1]
        index = int(self.tokens_before.searchsorted(before + limit, side="right")) - 1
        while True:
            cut = snap(self.text, min(int(self.cuts[index]), end), start)
            if cut <= start or self.size(start, cut) <= limit:
                return at_least_a_cluster(self.text, start, end, cut)
            index = self._cut(cut) - 1

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """See :class:`~hierrag_lessons.rulers.Ruler`; cuts fall between tokens."""
        after = self.tokens_before[min(self._cut(end), len(self.cuts) - 1)]
        index = int(self.tokens_before.searchsorted(after - limit))
        while True:
            cut = snap_forward(self.text, start, max(start, int(self.cuts[index])))
            if cut >= end or self.size(cut, end) <= limit:
                return min(cut, end)
            index = self._cut(cut + 1)

    def _cut(self, position: int) -> int:
        """Index of the first cut at or after ``position``."""
        return int(self.cuts.searchsorted(position))

    def _first_seam(self, start: int, end: int) -> int | None:
        if start == 0:
            return 0
        seam = _SEAM.search(self.text, start, min(end + 1, len(self.text)))
        return seam.start() if seam else None

    def _last_seam(self, start: int, end: int) -> int | None:
        if end == len(self.text) or _SEAM.match(self.text, end):
            return end
        seam = _LAST_SEAM.search(self.text, start, end)
        return seam.start() if seam else None


@lru_cache(maxsize=4)
def _token_lengths(encoding: tiktoken.Encoding) -> np.ndarray:
    """Shape ``(n_vocab,)``: the number of bytes of each token."""
    lengths = np.zeros(encoding.n_vocab, dtype=np.intp)
    for token in encoding.token_byte_values():
        lengths[encoding.encode_single_token(token)] = len(token)
    return lengths
