"""Byte-pair encoding: learn a vocabulary by merging the most frequent pair of neighbours, again and again.

Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units" (2016), on bytes instead of
characters as in GPT-2 (Radford et al., "Language Models are Unsupervised Multitask Learners", 2019). On bytes no text
is ever unknown: the first 256 entries are the single bytes, and every character is made of them.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

import regex

Pair = tuple[int, int]  # the ranks of two neighbouring tokens


def count_pre_tokens(texts: Iterable[str], pattern: str) -> Counter[bytes]:
    """Cut texts with ``pattern`` and count the pieces, as UTF-8 bytes. A token never reaches over two pieces."""
    split = regex.compile(pattern).findall
    counts = Counter(piece for text in texts for piece in split(text))
    return Counter({piece.encode("utf-8"): count for piece, count in counts.items()})


def train(pre_tokens: Mapping[bytes, int], n_entries: int) -> tuple[list[bytes], list[int]]:
    """Learn a byte-level BPE vocabulary.

    Each step merges the pair of neighbouring tokens that occurs most often. Among pairs that occur equally often it is
    the one whose left token has the lowest rank, then the one whose right token has: the result depends on the texts
    alone, not on the order in which they were read.

    Parameters
    ----------
    pre_tokens:
        The pieces of the texts and how often each occurs.
    n_entries:
        Size of the vocabulary, the 256 single bytes included.

    Returns
    -------
    tokens:
        ``n_entries`` tokens; a token's position is its rank. All differ: the tokens between two borders that no merge
        has crossed depend only on the bytes between them, so one byte string is never reached by two ways.
    counts:
        For each merged token, from rank 256 on, how often its pair occurred when it was merged; never rising.

    Raises
    ------
    ValueError
        Where ``n_entries`` is below 256, or the texts run out of pairs before the vocabulary is full.
    """
    if n_entries < 256:
        raise ValueError(f"n_entries is {n_entries}, but the single bytes alone are 256; ask for at least as many")
    tokens = [bytes([byte]) for byte in range(256)]
    words = [list(piece) for piece in pre_tokens]  # each piece as a list of ranks, at first its bytes
    frequencies = list(pre_tokens.values())

    # How often each pair occurs in all the texts, and in which words.
    occurrences: defaultdict[Pair, int] = defaultdict(int)
    found_in: defaultdict[Pair, set[int]] = defaultdict(set)
    for index, word in enumerate(words):
        for pair in pairwise(word):
            occurrences[pair] += frequencies[index]
            found_in[pair].add(index)

    # The heap's smallest item is the next merge. Items are never removed when a count changes: a new one is pushed, and
    # an old one is recognised by its outdated count when it comes up.
    heap = [(-count, pair) for pair, count in occurrences.items()]
    heapq.heapify(heap)
    counts: list[int] = []
    while len(tokens) < n_entries:
        if not heap:
            raise ValueError(
                f"the texts hold only {len(tokens)} tokens, not n_entries = {n_entries}; add texts or ask for fewer"
            )
        negative_count, best = heapq.heappop(heap)
        if occurrences.get(best, 0) != -negative_count:
            continue
        merged = len(tokens)
        tokens.append(tokens[best[0]] + tokens[best[1]])
        counts.append(-negative_count)

        # Rewrite the words that hold the pair, and count their pairs anew.
        changed: set[Pair] = set()
        for index in found_in.pop(best):
            old, new = words[index], merge_pair(words[index], best, merged)
            for pair in pairwise(old):
                occurrences[pair] -= frequencies[index]
                changed.add(pair)
            for pair in pairwise(new):
                occurrences[pair] += frequencies[index]
                found_in[pair].add(index)
                changed.add(pair)
            words[index] = new
        for pair in changed:
            if occurrences[pair]:
                heapq.heappush(heap, (-occurrences[pair], pair))
            else:
                del occurrences[pair]
                found_in.pop(pair, None)
    return tokens, counts


def merge_pair(word: list[int], pair: Pair, merged: int) -> list[int]:
    """Replace every occurrence of ``pair`` in ``word``, from the left, by the token ``merged``."""
    result: list[int] = []
    position = 0
    while position < len(word):
        if word[position] == pair[0] and word[position + 1 : position + 2] == [pair[1]]:
            result.append(merged)
            position += 2
        else:
            result.append(word[position])
            position += 1
    return result
