"""Exercise 20.2, BM25 of a level with this level's own statistics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Bag = dict[str, int]


def level_words(units: list[dict[str, int]], node_of: list[int], query: list[str]) -> list[float]:
    """For each unit, BM25 of the node that it lies in: with the statistics of the nodes, and between 0 and 1."""
    nodes: dict[int, dict[str, int]] = {node: {} for node in node_of}
    for bag, node in zip(units, node_of, strict=True):
        for word, times in bag.items():
            nodes[node][word] = nodes[node].get(word, 0) + times
    lengths = {node: sum(bag.values()) for node, bag in nodes.items()}
    mean = sum(lengths.values()) / max(len(nodes), 1)
    having = {word: sum(word in bag for bag in nodes.values()) for word in query}
    idf = {word: math.log(1 + (len(nodes) - n + 0.5) / (n + 0.5)) for word, n in having.items() if n}
    said = {}
    for node, bag in nodes.items():
        norm = 0.6 * (0.25 + 0.75 * lengths[node] / mean)
        gains = (idf[word] * bag[word] / (bag[word] + norm) for word in idf if word in bag)
        said[node] = sum(gains) / sum(idf.values()) if idf else 0.0
    return [said[node] for node in node_of]


def _one_unit_after_the_other(units: list[Bag], node_of: list[int], query: list[str]) -> list[float]:
    """Oracle: for each unit collect the words of its node anew, and count in lists of words."""
    texts: list[list[str]] = []
    for node in sorted(set(node_of)):
        text: list[str] = []
        for bag, other in zip(units, node_of, strict=True):
            for word, times in bag.items():
                text += [word] * times * (other == node)
        texts.append(text)
    found, numbers = [], sorted(set(node_of))
    for node in node_of:
        text, total, score = texts[numbers.index(node)], 0.0, 0.0
        average = sum(map(len, texts)) / len(texts)
        for word in query:
            having = len([1 for other in texts if word in other])
            if having == 0:
                continue
            rare = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            times = text.count(word)
            total += rare
            score += rare * times / (times + 0.6 * (1 - 0.75 + 0.75 * len(text) / average))
        found.append(score / total if total else 0.0)
    return found


def _cases(rng: Random) -> Iterator[tuple[list[Bag], list[int], list[str]]]:
    yield [], [], ["rain"]
    yield [{"rain": 1}], [0], ["rain"]
    yield [{"rain": 1}, {"snow": 2}], [0, 1], ["hail"]
    yield [{"rain": 1, "wind": 3}, {"snow": 2}, {"rain": 1}], [0, 0, 1], ["rain", "snow"]
    yield [{"rain": 1}, {"rain": 1}, {"snow": 1}, {"sun": 1}], [0, 1, 1, 1], ["rain", "snow"]
    yield [{"rain": 2, "wind": 9}, {"rain": 2}, {"sun": 1}], [0, 1, 2], ["rain"]
    yield [{"rain": 1}, {"snow": 1}, {"sun": 3}], [2, 2, 5], ["rain", "hail"]
    for _ in range(40):
        size = rng.randrange(1, 9)
        bags = [{word: rng.randrange(1, 4) for word in rng.sample("abcdefg", rng.randrange(1, 5))} for _ in range(size)]
        nodes = sorted(rng.randrange(4) for _ in range(size))
        yield bags, nodes, rng.sample("abcdefgx", rng.randrange(1, 5))


def _words_in(bag: Bag) -> int:
    return sum(bag.values())


def _bm25(
    texts: list[Bag],
    idf: dict[str, float],
    divisor: float,
    b: float = 0.75,
    mean: float | None = None,
    size: Callable[[Bag], int] = _words_in,
) -> list[float]:
    mean = sum(map(size, texts)) / max(len(texts), 1) if mean is None else mean
    return [
        sum(idf[word] * bag.get(word, 0) / (bag.get(word, 0) + 0.6 * (1 - b + b * size(bag) / mean)) for word in idf)
        / (divisor or 1)
        for bag in texts
    ]


def _idf(texts: list[Bag], query: list[str], unknown: bool = False) -> dict[str, float]:
    having = {word: sum(word in bag for bag in texts) for word in query}
    return {w: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for w, n in having.items() if n or unknown}


def _added(units: list[Bag], node_of: list[int]) -> tuple[list[Bag], list[int]]:
    numbers = sorted(set(node_of))
    added = [Counter[str]() for _ in numbers]
    for bag, node in zip(units, node_of, strict=True):
        added[numbers.index(node)].update(bag)
    return [dict(bag) for bag in added], [numbers.index(node) for node in node_of]


def _the_unit_itself(units: list[Bag], node_of: list[int], query: list[str]) -> list[float]:
    idf = _idf(units, query)
    return _bm25(units, idf, sum(idf.values()))


def _idf_of_units(units: list[Bag], node_of: list[int], query: list[str]) -> list[float]:
    nodes, place = _added(units, node_of)
    idf = _idf(units, query)
    scores = _bm25(nodes, idf, sum(idf.values()))
    return [scores[p] for p in place]


def _not_divided(units: list[Bag], node_of: list[int], query: list[str]) -> list[float]:
    nodes, place = _added(units, node_of)
    scores = _bm25(nodes, _idf(nodes, query), 1)
    return [scores[p] for p in place]


def _divided_by_the_best(units: list[Bag], node_of: list[int], query: list[str]) -> list[float]:
    nodes, place = _added(units, node_of)
    scores = _bm25(nodes, _idf(nodes, query), 1)
    best = max(scores, default=0.0) or 1.0
    return [scores[p] / best for p in place]


def _unknown_words_too(units: list[Bag], node_of: list[int], query: list[str]) -> list[float]:
    nodes, place = _added(units, node_of)
    scores = _bm25(nodes, _idf(nodes, query), sum(_idf(nodes, query, unknown=True).values()))
    return [scores[p] for p in place]


def _length_left_out(units: list[Bag], node_of: list[int], query: list[str]) -> list[float]:
    nodes, place = _added(units, node_of)
    idf = _idf(nodes, query)
    scores = _bm25(nodes, idf, sum(idf.values()), b=0)
    return [scores[p] for p in place]


def _mean_of_units(units: list[Bag], node_of: list[int], query: list[str]) -> list[float]:
    nodes, place = _added(units, node_of)
    idf = _idf(nodes, query)
    mean = sum(sum(bag.values()) for bag in units) / max(len(units), 1)
    scores = _bm25(nodes, idf, sum(idf.values()), mean=mean)
    return [scores[p] for p in place]


def _different_words(units: list[Bag], node_of: list[int], query: list[str]) -> list[float]:
    nodes, place = _added(units, node_of)
    idf = _idf(nodes, query)
    scores = _bm25(nodes, idf, sum(idf.values()), size=len)
    return [scores[p] for p in place]


LEVEL_WORDS = Exercise(
    id="20.2",
    title="A level with its own statistics",
    solution=level_words,
    oracle=_one_unit_after_the_other,
    cases=_cases,
    hints=(
        "First add up the words of the units of each node. From then on the units play no part until the last line.",
        "N is the number of nodes, n the number of nodes that have the word, the mean length that of the nodes.",
        "Divide each sum by the sum of the idf of the query's known words, then hand each unit the score of its node.",
    ),
    mistakes=(
        Mistake(
            _the_unit_itself, "The units were scored, not the nodes that they lie in. Add up each node's words first."
        ),
        Mistake(_idf_of_units, "N and n were counted over the units. Each level has statistics of its own."),
        Mistake(
            _not_divided, "The sum was not divided. Divide it by the sum of the known words' idf: then 1 is the most."
        ),
        Mistake(
            _divided_by_the_best,
            "Divided by the best score, the best node of every question has 1, however badly it fits.",
        ),
        Mistake(
            _unknown_words_too, "A word that no node has was counted in the divisor. It can't be matched; leave it out."
        ),
        Mistake(
            _length_left_out, "The length plays no part: 0.25 + 0.75 · length / mean length is missing or always 1."
        ),
        Mistake(_mean_of_units, "The mean length is that of the units. Take the mean of the nodes' lengths."),
        Mistake(_different_words, "The length counts different words. Count every word as often as it comes."),
    ),
)
