"""Tokens: the vocabulary, counting, and rulers that measure any span of a text after one pass over it.

Sizes in this course are counted by a *measure*, any function from a string to an integer. Tokens (:data:`count_tokens`)
and characters (``len``) are the usual two. A *ruler* answers the two questions that every chunker asks of a text: how
large is this span, and how far can a chunk reach from here?
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt
import regex
import tiktoken

from hierrag_lessons.documents import DATA_DIR

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
_SURROGATE_PAIR = regex.compile(r"[\ud800-\udbff][\udc00-\udfff]")
_CLUSTER = regex.compile(r"\X")
# Two neighbours that no rule of Unicode's grapheme segmentation (UAX 29) ever joins.
_LAST_PLAIN_PAIR = regex.compile(r"(?r)(?<=\p{Grapheme_Cluster_Break=Other})(?=\p{Grapheme_Cluster_Break=Other})")


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


def snap(text: str, position: int, start: int = 0) -> int:
    """The last place at or before ``position`` where a cut breaks no character that a reader sees.

    Such places lie between grapheme clusters (Unicode UAX 29): never inside an emoji with its joiners, between a letter
    and its accent, or inside a CRLF; nor between the two halves of a surrogate pair. ``start`` is a place already known
    to be one, and the lowest answer.
    """
    if position <= start or position >= len(text):
        return max(start, min(position, len(text)))
    left, right = text[position - 1], text[position]
    if left < "\x7f" and right < "\x7f":
        return position - (left == "\r" and right == "\n")
    if "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff":
        return max(start, position - 1)
    plain = _LAST_PLAIN_PAIR.search(text, start, position)
    first = plain.start() if plain else start
    # On a slice, because the pattern counts a run of flags back to the beginning of its text. One character after the
    # position is enough to tell whether a cluster goes on.
    ends = [first + cluster.end() for cluster in _CLUSTER.finditer(text[first : position + 1])]
    return max((end for end in ends if end <= position), default=first)


def _cluster_end(text: str, start: int) -> int:
    """Where the grapheme cluster that starts at ``start`` ends; a surrogate pair counts as one."""
    window = 64
    while True:
        piece = text[start : start + window]
        cluster = _CLUSTER.match(piece)
        end = cluster.end() if cluster else 1
        if end == 1 and _SURROGATE_PAIR.match(piece):
            return start + 2
        if end < len(piece) or start + window >= len(text):
            return start + end
        window *= 8


class Ruler(Protocol):
    """Measures spans of one text."""

    def size(self, start: int, end: int) -> int:
        """The measure of ``text[start:end]``, exactly as if it were measured on its own."""
        ...

    def reach(self, start: int, end: int, limit: int) -> int:
        """How far a chunk from ``start`` can go: the last permitted cut up to ``end`` with ``size`` at most ``limit``.

        A cut is permitted where :func:`snap` permits it. Where not even one cluster fits, its end is returned.
        """
        ...

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """How far a piece that stops at ``end`` can go back: the first permitted cut from which it fits the limit.

        Where not even one cluster fits, ``end`` is returned.
        """
        ...


class MeasureRuler:
    """A ruler for any measure that does not shrink when a text grows; each question measures a few slices."""

    def __init__(self, text: str, measure: Measure) -> None:
        self.text, self.measure = text, measure

    def size(self, start: int, end: int) -> int:
        """The measure of ``text[start:end]``."""
        return self.measure(self.text[start:end])

    def reach(self, start: int, end: int, limit: int) -> int:
        """See :meth:`Ruler.reach`; found by doubling the span until it is too large, then by bisection."""
        fits, step = start, max(1, limit)
        while fits + step < end and self.size(start, fits + step) <= limit:
            fits, step = fits + step, step * 2
        too_far = min(end, fits + step) + 1
        while too_far - fits > 1:
            middle = (fits + too_far) // 2
            if self.size(start, middle) <= limit:
                fits = middle
            else:
                too_far = middle
        return _at_least_a_cluster(self.text, start, end, snap(self.text, fits, start))

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """See :meth:`Ruler.reach_back`; found by bisection."""
        too_long, fits = start - 1, end
        while fits - too_long > 1:
            middle = (too_long + fits) // 2
            if self.size(middle, end) <= limit:
                fits = middle
            else:
                too_long = middle
        return _snap_forward(self.text, start, fits)


class CharacterRuler:
    """A ruler for ``len``: the size of a span is the number of its code points."""

    def __init__(self, text: str) -> None:
        self.text = text

    def size(self, start: int, end: int) -> int:
        """``end - start``."""
        return end - start

    def reach(self, start: int, end: int, limit: int) -> int:
        """See :meth:`Ruler.reach`."""
        return _at_least_a_cluster(self.text, start, end, snap(self.text, min(end, start + limit), start))

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """See :meth:`Ruler.reach_back`."""
        return _snap_forward(self.text, start, max(start, end - limit))


def _snap_forward(text: str, start: int, position: int) -> int:
    """The first permitted cut at or after ``position``, from a permitted ``start`` on."""
    cut = snap(text, position, start)
    return cut if cut == position else _at_least_a_cluster(text, cut, len(text), cut)


def _at_least_a_cluster(text: str, start: int, end: int, cut: int) -> int:
    return min(end, cut if cut > start or start >= end else _cluster_end(text, start))


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
        byte_ends = np.concatenate(([0], np.cumsum(_token_lengths(encoding)[encode(text, encoding)])))
        if len(text) == byte_ends[-1]:  # ASCII: bytes and code points are the same.
            self.cuts, self.tokens_before = byte_ends, np.arange(len(byte_ends))
        else:
            raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
            starts_character = np.append((raw & 0xC0) != 0x80, True)
            characters_before = np.cumsum(starts_character) - 1
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
        """See :meth:`Ruler.reach`; cuts fall between tokens."""
        before = self.tokens_before[np.searchsorted(self.cuts, start, side="right") - 1]
        index = int(np.searchsorted(self.tokens_before, before + limit, side="right")) - 1
        while True:
            cut = snap(self.text, min(int(self.cuts[index]), end), start)
            if cut <= start or self.size(start, cut) <= limit:
                return _at_least_a_cluster(self.text, start, end, cut)
            index = self._cut(cut) - 1

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """See :meth:`Ruler.reach_back`; cuts fall between tokens."""
        after = self.tokens_before[min(self._cut(end), len(self.cuts) - 1)]
        index = int(np.searchsorted(self.tokens_before, after - limit))
        while True:
            cut = _snap_forward(self.text, start, max(start, int(self.cuts[index])))
            if cut >= end or self.size(cut, end) <= limit:
                return min(cut, end)
            index = self._cut(cut + 1)

    def _cut(self, position: int) -> int:
        """Index of the first cut at or after ``position``."""
        return int(np.searchsorted(self.cuts, position))

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


@lru_cache(maxsize=8)
def make_ruler(text: str, measure: Measure) -> Ruler:
    """The fastest ruler for a text and a measure; the last few are kept, since a hierarchy asks for the same again."""
    if isinstance(measure, TokenCounter):
        return TokenRuler(text, measure.encoding)
    if measure is len:
        return CharacterRuler(text)
    return MeasureRuler(text, measure)
