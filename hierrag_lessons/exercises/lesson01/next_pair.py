"""Exercise 01.4, the next pair to merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def best_pair(words: dict[tuple[int, ...], int]) -> tuple[int, int] | None:
    """The most frequent pair of neighbours; among equals the smallest; ``None`` where there is no pair."""
    counts: Counter[tuple[int, int]] = Counter()
    for word, frequency in words.items():
        for pair in pairwise(word):
            counts[pair] += frequency
    return min(counts, key=lambda pair: (-counts[pair], pair), default=None)


def _write_out_the_text(words: dict[tuple[int, ...], int]) -> tuple[int, int] | None:
    """Oracle: write down every single pair of the text, and go through the different ones in rising order."""
    seen = []
    for word, frequency in words.items():
        for i in range(len(word) - 1):
            seen += [(word[i], word[i + 1])] * frequency
    best = None
    for pair in sorted(set(seen)):
        if best is None or seen.count(pair) > seen.count(best):
            best = pair
    return best


def _words(rng: Random) -> Iterator[tuple[dict[tuple[int, ...], int]]]:
    yield ({},)
    yield ({(7,): 3},)
    yield ({(1, 2): 1},)
    yield ({(3, 4): 1, (1, 2): 1},)
    yield ({(2, 9): 2, (2, 5): 2},)
    yield ({(1, 2): 1, (1, 2, 7): 1, (8, 9): 5},)
    yield ({(4,): 6, (5,): 6, (8, 9): 1},)
    yield ({(3, 3, 3): 2, (1, 2): 3},)
    for _ in range(30):
        words: dict[tuple[int, ...], int] = {}
        for _ in range(rng.randrange(2, 6)):
            words[tuple(rng.randrange(1, 5) for _ in range(rng.randrange(1, 4)))] = rng.randrange(1, 4)
        yield (words,)


def _counts(words: dict[tuple[int, ...], int]) -> Counter[tuple[int, int]]:
    return Counter(pair for word, frequency in words.items() for pair in list(pairwise(word)) * frequency)


def _first_met(words: dict[tuple[int, ...], int]) -> tuple[int, int] | None:
    counts = _counts(words)
    return counts.most_common(1)[0][0] if counts else None


def _as_in_the_lesson(words: dict[tuple[int, ...], int]) -> tuple[int, int]:
    counts = _counts(words)
    return max(counts, key=lambda pair: counts[pair])


def _each_word_once(words: dict[tuple[int, ...], int]) -> tuple[int, int] | None:
    counts = Counter(pair for word in words for pair in pairwise(word))
    return min(counts, key=lambda pair: (-counts[pair], pair), default=None)


def _largest_of_equals(words: dict[tuple[int, ...], int]) -> tuple[int, int] | None:
    counts = _counts(words)
    return max(counts, key=lambda pair: (counts[pair], pair), default=None)


def _across_words(words: dict[tuple[int, ...], int]) -> tuple[int, int] | None:
    counts = Counter(pairwise([token for word, frequency in words.items() for token in word * frequency]))
    return min(counts, key=lambda pair: (-counts[pair], pair), default=None)


NEXT_PAIR = Exercise(
    id="01.4",
    title="The next pair to merge",
    solution=best_pair,
    oracle=_write_out_the_text,
    cases=_words,
    hints=(
        "`itertools.pairwise(word)` gives the neighbours in one word.",
        "A word that occurs five times holds each of its pairs five times.",
        "`min` with a key that is a tuple settles ties: the negative count first, then the pair itself.",
    ),
    mistakes=(
        Mistake(
            _first_met,
            "Among pairs that occur equally often, this takes the one that it met first, so the vocabulary "
            "depends on the order in which the texts were read.",
        ),
        Mistake(
            _as_in_the_lesson,
            "This is what the lesson's trainer does: max() takes the first of several equals, and raises where "
            "there is no pair at all.",
        ),
        Mistake(
            _each_word_once,
            "Each different word counts once here, but the dictionary's values say how often it occurs.",
        ),
        Mistake(
            _largest_of_equals,
            "Ties go to the largest pair here: max() with (count, pair) prefers large pairs. Asked for is the "
            "smallest.",
        ),
        Mistake(
            _across_words,
            "Pairs over the border of two words are counted too. A token never reaches over two words.",
        ),
    ),
)
