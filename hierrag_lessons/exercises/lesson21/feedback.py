"""Exercise 21.4, the words of a relevance model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def expansion(question: list[str], passages: list[list[str]], count: int) -> list[str]:
    """The ``count`` heaviest words of the passages that the question has not, heaviest first, equal ones by name.

    A word weighs, added up over the passages, its share of the passage's words divided by the passage's rank, from 1.
    """
    weights: dict[str, float] = {}
    for rank, words in enumerate(passages, start=1):
        for word in words:
            weights[word] = weights.get(word, 0) + 1 / len(words) / rank
    new = [word for word in weights if word not in question]
    return sorted(new, key=lambda word: (-round(weights[word], 9), word))[:count]


def _exactly(question: list[str], passages: list[list[str]], count: int) -> list[str]:
    """Oracle: the same in fractions, word by word."""
    words = sorted({word for passage in passages for word in passage} - set(question))
    weight = {
        word: sum((Fraction(p.count(word), len(p) * (place + 1)) for place, p in enumerate(passages) if p), Fraction(0))
        for word in words
    }
    return sorted(words, key=lambda word: -weight[word])[:count]


def _cases(rng: Random) -> Iterator[tuple[list[str], list[list[str]], int]]:
    yield [], [], 3
    yield ["dog"], [["dog", "runs"], ["cat"]], 2
    yield ["dog"], [["dog"]], 2
    yield [], [["a", "a", "b", "c"], ["b"]], 1
    yield [], [["b", "a"], []], 5
    yield ["x"], [["a", "b", "c", "d", "e", "f"], ["g", "x"]], 1
    for _ in range(40):
        passages = [rng.choices("abcdefg", k=rng.randrange(1, 7)) for _ in range(rng.randrange(1, 5))]
        yield rng.sample("abcdefg", rng.randrange(3)), passages, rng.randrange(1, 5)


def _counted(question: list[str], passages: list[list[str]], count: int) -> list[str]:
    total = Counter(word for words in passages for word in words if word not in question)
    return sorted(total, key=lambda word: (-total[word], word))[:count]


def _no_ranks(question: list[str], passages: list[list[str]], count: int) -> list[str]:
    weights: defaultdict[str, float] = defaultdict(float)
    for words in passages:
        for word in words:
            weights[word] += 1 / len(words)
    new = [word for word in weights if word not in question]
    return sorted(new, key=lambda word: (-round(weights[word], 9), word))[:count]


def _asked_again(question: list[str], passages: list[list[str]], count: int) -> list[str]:
    return expansion([], passages, count)


def _cut_too_early(question: list[str], passages: list[list[str]], count: int) -> list[str]:
    return [word for word in expansion([], passages, count) if word not in question]


FEEDBACK = Exercise(
    id="21.4",
    title="The words of a relevance model",
    solution=expansion,
    oracle=_exactly,
    cases=_cases,
    hints=(
        "In a passage of four words at rank 2 each word weighs 1/4 · 1/2.",
        "A word that stands twice in a passage counts twice there.",
        "Leave out the question's words first, then cut to count.",
    ),
    mistakes=(
        Mistake(_counted, "Words are only counted, so a long passage outweighs a short one, and the last the first."),
        Mistake(_no_ranks, "All passages weigh the same. The first is the likeliest to be right: divide by the rank."),
        Mistake(_asked_again, "These are words that the question has already. They bring nothing new."),
        Mistake(
            _cut_too_early, "The list is cut before the question's own words are left out, so it can be too short."
        ),
    ),
)
