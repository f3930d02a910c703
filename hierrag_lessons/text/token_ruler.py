"""The token positions of a whole text after one pass over it.

Lesson 01 builds it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import regex
import tiktoken

from hierrag_lessons.text.graphemes import at_least_a_cluster, snap, snap_forward
from hierrag_lessons.text.tokens import encode

# A seam is a place where a new piece starts wherever the text began, so that what stands on one side of it never
# changes how the other side is encoded. Whether a place is one depends on the kinds of character left and right of it.
# Only characters that every version of Unicode reads alike have a kind; the apostrophe has none, since 's is a piece.
_KINDS = {
    "space": " ",
    "line": r"\t\n\r\u3000",
    "letter": r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u4e00-\u9fa5",
    "digit": "0-9",
    "sign": r"!-&(-/:-@\[-`{-~\u2010-\u2027\u3001-\u3003\u3008-\u3011\uff01-\uff0f\uff1a-\uff20",
}
_ANY_KIND = regex.compile("|".join(f"([{kind}])" for kind in _KINDS.values()))
# These pairs hold for the patterns of GPT-2, cl100k and o200k, and for the one above.
_SEAMS = ("letter space", "digit space", "sign space", "letter line", "letter digit", "letter sign")
# In the one above white space, letters, digits and signs never share a piece, but for one space in front.
_OWN_SEAMS = (
    *_SEAMS, "digit line", "sign line", "line letter", "line digit", "line sign",
    "digit letter", "digit sign", "sign letter", "sign digit",
)  # fmt: skip
_SEAM = regex.compile(rf"(?<=[{_KINDS['letter']}])(?=[{_KINDS['space']}{_KINDS['line']}{_KINDS['sign']}])")

# A text longer than this many characters is encoded in parts, on all cores.
_PART = 50_000


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
        ids, table = _encode_on_all_cores(text, encoding), _token_table(encoding)
        ends = np.zeros(len(ids) + 1, dtype=np.intp)
        np.cumsum(table.characters[ids], out=ends[1:])
        # No character is broken where the next token begins with the first byte of one.
        self.tokens_before = np.flatnonzero(np.append(table.begins[ids], True))
        self.cuts = ends[self.tokens_before]
        is_seam = np.ones(len(ids) + 1, dtype=np.bool_)
        is_seam[1:-1] = table.seams[table.last_kind[ids[:-1]], table.first_kind[ids[1:]]]
        self._tokens_before_seam = np.flatnonzero(is_seam)
        self._seams = ends[self._tokens_before_seam]

    def size(self, start: int, end: int) -> int:
        """Tokens of ``text[start:end]`` encoded on its own, exactly.

        A piece taken out of a text can be encoded differently at its two ends: the digits of 123456 are grouped from
        the left, wherever the left is. Between two seams the encoding cannot differ, so only what lies outside the
        first and the last seam of the piece is encoded again: usually nothing, or a word.
        """
        first, last = self._seams.searchsorted(start), self._seams.searchsorted(end, side="right") - 1
        if first >= last:
            return self._count(start, end)
        between = int(self._tokens_before_seam[last] - self._tokens_before_seam[first])
        return self._count(start, int(self._seams[first])) + between + self._count(int(self._seams[last]), end)

    def sizes(self, spans: Sequence[tuple[int, int]]) -> list[int]:
        """The ``size`` of each span; all are looked up at once."""
        if not spans:
            return []
        starts, ends = np.array(spans).T
        first, last = self._seams.searchsorted(starts), self._seams.searchsorted(ends, side="right") - 1
        between = self._tokens_before_seam[last] - self._tokens_before_seam[first]
        inner = zip(self._seams[first].tolist(), self._seams[last].tolist(), between.tolist(), strict=True)
        return [
            self._count(start, first) + size + self._count(last, end) if first < last else self._count(start, end)
            for (start, end), (first, last, size) in zip(spans, inner, strict=True)
        ]

    def before(self, positions: Sequence[int]) -> Sequence[int]:
        """See :class:`~hierrag_lessons.text.rulers.Ruler`; the tokens before each position, all found at once."""
        before: list[int] = self.tokens_before[self.cuts.searchsorted(positions)].tolist()
        return before

    def reach(self, start: int, end: int, limit: int) -> int:
        """See :class:`~hierrag_lessons.text.rulers.Ruler`; cuts fall between tokens."""
        before = self.tokens_before[self.cuts.searchsorted(start, side="right") - 1]
        index = int(self.tokens_before.searchsorted(before + limit, side="right")) - 1
        while True:
            cut = snap(self.text, min(int(self.cuts[index]), end), start)
            if cut <= start or self.size(start, cut) <= limit:
                return at_least_a_cluster(self.text, start, end, cut)
            index = self._cut(cut) - 1

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """See :class:`~hierrag_lessons.text.rulers.Ruler`; cuts fall between tokens."""
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

    def _count(self, start: int, end: int) -> int:
        """Tokens of a piece that is encoded again; words come again and again, so short pieces are kept."""
        if start == end:
            return 0
        piece = self.text[start:end]
        return _count_word(piece, self.encoding) if end - start <= 32 else len(encode(piece, self.encoding))


@lru_cache(maxsize=65_536)
def _count_word(word: str, encoding: tiktoken.Encoding) -> int:
    """Tokens of a short piece; the same words are asked for again and again."""
    return len(encode(word, encoding))


class _TokenTable(NamedTuple):
    """What is known of each token of a vocabulary; arrays of shape ``(n_vocab,)``, and the seams by two kinds."""

    characters: npt.NDArray[np.intp]  # how many characters begin in it
    begins: npt.NDArray[np.bool_]  # whether its first byte begins a character
    first_kind: npt.NDArray[np.uint8]
    last_kind: npt.NDArray[np.uint8]
    seams: npt.NDArray[np.bool_]


@lru_cache(maxsize=4)
def _token_table(encoding: tiktoken.Encoding) -> _TokenTable:
    n, kinds = encoding.n_vocab, ["", *_KINDS]
    seams = np.zeros((len(kinds), len(kinds)), dtype=np.bool_)
    for pair in _OWN_SEAMS if encoding.name == "hierrag_16k" else _SEAMS:
        left, right = pair.split()
        seams[kinds.index(left), kinds.index(right)] = True
    tokens = encoding.token_byte_values()
    ids = [encoding.encode_single_token(token) for token in tokens]
    starts = np.cumsum([0, *map(len, tokens[:-1])])
    first_bytes = np.frombuffer(b"".join(tokens), dtype=np.uint8) & 0xC0 != 0x80  # The other bytes are 10xxxxxx.
    table = _TokenTable(
        np.zeros(n, np.intp), np.zeros(n, np.bool_), np.zeros(n, np.uint8), np.zeros(n, np.uint8), seams
    )
    table.characters[ids], table.begins[ids] = np.add.reduceat(first_bytes, starts, dtype=np.intp), first_bytes[starts]
    texts = [token.decode("utf-8", "replace") for token in tokens]  # A part of a character becomes U+FFFD: no kind.
    table.first_kind[ids] = [_kind(text[0]) for text in texts]
    table.last_kind[ids] = [_kind(text[-1]) for text in texts]
    return table


def _kind(character: str) -> int:
    """Number of the kind of a character in ``_KINDS``, counted from 1; 0 for any other character."""
    match = _ANY_KIND.match(character)
    return match.lastindex or 0 if match else 0


def _encode_on_all_cores(text: str, encoding: tiktoken.Encoding) -> npt.NDArray[np.uint32]:
    """The same as ``encode``: a long text is cut at seams, and tiktoken works on the parts at the same time."""
    edges = [0]
    while len(text) - edges[-1] > _PART and (seam := _SEAM.search(text, edges[-1] + _PART)):
        edges.append(seam.start())
    if len(edges) == 1:
        return encode(text, encoding)
    parts = [text[start:end] for start, end in pairwise([*edges, len(text)])]
    return np.concatenate(list(_threads(os.getpid()).map(encode, parts, repeat(encoding))))


@lru_cache(maxsize=1)
def _threads(process: int) -> ThreadPoolExecutor:
    """Threads that stay, because tiktoken prepares its pattern again for each new one; a forked process has none."""
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="tokenizer")
