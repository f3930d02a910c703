"""Exercise 10.3: what a filter by topic can find at best."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Topics = dict[str, int]
Pieces = list[set[str]]


def filter_ceiling(topic_of: dict[str, int], nearest: list[int], pieces: list[set[str]], most: float) -> float:
    """The share of the pieces that can still be found in the nearest topics, with at most a share of the leaves.

    Topics are opened in the order of ``nearest``, as long as the opened leaves are at most ``most`` of all. A piece is
    the set of the leaves that say it; one of them is enough. There is at least one leaf and one piece.
    """
    opened: set[str] = set()
    for topic in nearest:
        more = opened | {leaf for leaf, its in topic_of.items() if its == topic}
        if len(more) > most * len(topic_of):
            break
        opened = more
    return sum(bool(piece & opened) for piece in pieces) / len(pieces)


def _by_number_of_topics(topic_of: Topics, nearest: list[int], pieces: Pieces, most: float) -> float:
    """Oracle: find the largest number of first topics that is small enough, then look at each piece by itself."""
    labels = list(topic_of.values())
    number = 0
    while number < len(nearest) and sum(labels.count(t) for t in nearest[: number + 1]) <= most * len(labels):
        number += 1
    found = 0
    for piece in pieces:
        for leaf in sorted(piece):
            if topic_of[leaf] in nearest[:number]:
                found += 1
                break
    return found / len(pieces)


def _cases(rng: Random) -> Iterator[tuple[Topics, list[int], Pieces, float]]:
    four = {"a": 0, "b": 0, "c": 1, "d": 2}
    yield four, [0, 1, 2], [{"a"}], 0.5
    yield four, [1, 0, 2], [{"a"}], 0.5
    yield four, [1, 0, 2], [{"a"}, {"c"}], 0.75
    yield four, [1, 0, 2], [{"d"}, {"c"}], 0.5
    yield four, [2, 1, 0], [{"a", "d"}], 0.25
    yield four, [2, 1, 0], [{"a", "d"}, {"b", "a"}, {"c"}, {"b"}], 0.5
    yield four, [0, 1, 2], [{"a", "b"}], 0.25
    yield four, [0, 1, 2], [{"a"}, {"d"}], 1.0
    yield four, [2, 0, 1], [{"d"}, {"d"}, {"c"}, {"a"}], 0.5
    for _ in range(40):
        leaves = "abcdefgh"[: rng.choice([4, 8])]
        topic_of = {leaf: rng.randrange(4) for leaf in leaves}
        pieces = [set(rng.sample(leaves, rng.choice([1, 1, 2, 3]))) for _ in range(rng.choice([1, 2, 4]))]
        yield topic_of, rng.sample(range(4), 4), pieces, rng.randrange(1, 9) / 8


def _opened(topic_of: Topics, nearest: list[int], most: float) -> set[str]:
    opened: set[str] = set()
    for topic in nearest:
        more = opened | {leaf for leaf, its in topic_of.items() if its == topic}
        if len(more) > most * len(topic_of):
            break
        opened = more
    return opened


def _gold_leaf_only(topic_of: Topics, nearest: list[int], pieces: Pieces, most: float) -> float:
    opened = _opened(topic_of, nearest, most)
    return sum(min(piece) in opened for piece in pieces) / len(pieces)


def _all_leaves_needed(topic_of: Topics, nearest: list[int], pieces: Pieces, most: float) -> float:
    opened = _opened(topic_of, nearest, most)
    return sum(piece <= opened for piece in pieces) / len(pieces)


def _skips_the_large(topic_of: Topics, nearest: list[int], pieces: Pieces, most: float) -> float:
    opened: set[str] = set()
    for topic in nearest:
        more = opened | {leaf for leaf, its in topic_of.items() if its == topic}
        if len(more) <= most * len(topic_of):
            opened = more
    return sum(bool(piece & opened) for piece in pieces) / len(pieces)


def _one_too_many(topic_of: Topics, nearest: list[int], pieces: Pieces, most: float) -> float:
    opened: set[str] = set()
    for topic in nearest:
        opened |= {leaf for leaf, its in topic_of.items() if its == topic}
        if len(opened) > most * len(topic_of):
            break
    return sum(bool(piece & opened) for piece in pieces) / len(pieces)


def _must_be_below(topic_of: Topics, nearest: list[int], pieces: Pieces, most: float) -> float:
    opened: set[str] = set()
    for topic in nearest:
        more = opened | {leaf for leaf, its in topic_of.items() if its == topic}
        if len(more) >= most * len(topic_of):
            break
        opened = more
    return sum(bool(piece & opened) for piece in pieces) / len(pieces)


def _share_of_the_topics(topic_of: Topics, nearest: list[int], pieces: Pieces, most: float) -> float:
    number = int(most * len(nearest))
    opened = {leaf for leaf, its in topic_of.items() if its in nearest[:number]}
    return sum(bool(piece & opened) for piece in pieces) / len(pieces)


def _topic_numbers_in_order(topic_of: Topics, nearest: list[int], pieces: Pieces, most: float) -> float:
    return filter_ceiling(topic_of, sorted(nearest), pieces, most)


def _leaves_counted(topic_of: Topics, nearest: list[int], pieces: Pieces, most: float) -> float:
    opened = _opened(topic_of, nearest, most)
    return sum(len(piece & opened) for piece in pieces) / sum(map(len, pieces))


FILTER_CEILING = Exercise(
    id="10.3",
    title="The ceiling of a filter",
    solution=filter_ceiling,
    oracle=_by_number_of_topics,
    cases=_cases,
    hints=(
        "First find the opened leaves, then look at the pieces. With `most` = 1 every leaf is opened.",
        "Before you open a topic, count: would the opened leaves be more than `most * len(topic_of)`? Then stop.",
        "`piece & opened` is empty where no opened leaf says the piece.",
    ),
    mistakes=(
        Mistake(
            _gold_leaf_only,
            "One leaf of each piece was looked for. Any leaf that says the piece will do: else the ceiling is too low, "
            "and a search can find more than it.",
        ),
        Mistake(_all_leaves_needed, "One opened leaf that says a piece is enough; not all of them are needed."),
        Mistake(_skips_the_large, "A topic that is too large ends it. You went on to the next one, which is farther."),
        Mistake(_one_too_many, "The last topic made it more than `most` of the leaves. Stop before you open it."),
        Mistake(_must_be_below, "Exactly `most` of the leaves is allowed: at most, not less than."),
        Mistake(_share_of_the_topics, "`most` is a share of the leaves, not of the topics: topics differ in size."),
        Mistake(_topic_numbers_in_order, "Topics are opened in the order of `nearest`, not of their numbers."),
        Mistake(_leaves_counted, "Count pieces, not leaves: a piece with three leaves is one piece."),
    ),
)
