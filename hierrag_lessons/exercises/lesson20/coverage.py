"""Exercise 20.4, one pick after the other, for the words that are still missing."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Arguments = tuple[list[float], list[list[str]], dict[str, float], float]


def pick(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    """The places of all units as they are picked: each for its score and for the question's words it adds."""
    left, missing, order = list(range(len(scores))), dict(share), []
    while left:
        best = max(left, key=lambda place: scores[place] + weight * sum(missing.get(w, 0) for w in words[place]))
        order.append(best)
        left.remove(best)
        for word in words[best]:
            missing.pop(word, None)
    return order


def _ask_all_again(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    """Oracle: before each pick, work out from all picks so far which words each unit would add."""
    order: list[int] = []
    for _ in scores:
        values = []
        for place, score in enumerate(scores):
            have = {word for taken in order for word in words[taken]}
            new = [share[word] for word in set(words[place]) if word in share and word not in have]
            values.append((place in order, -(score + weight * sum(new)), place))
        order.append(min(values)[2])
    return order


def _cases(rng: Random) -> Iterator[Arguments]:
    yield [], [], {"a": 1.0}, 0.25
    yield [0.5, 0.75], [["a"], []], {"a": 1.0}, 0.0
    yield [0.75, 0.75, 0.5], [["a"], ["a"], ["b"]], {"a": 0.25, "b": 0.75}, 0.5
    yield [0.5, 0.5, 0.5], [["a"], ["a", "x"], ["b"]], {"a": 0.5, "b": 0.5}, 0.5
    yield [0.875, 0.75, 0.5, 0.375], [["a", "b"], ["a"], ["b"], ["c"]], {"a": 0.25, "b": 0.25, "c": 0.5}, 1.0
    yield [0.75, 0.625, 0.625, 0.5], [["a"], ["b"], ["a"], ["a"]], {"a": 0.5, "b": 0.5}, 0.5
    yield [0.5, 0.375], [["a", "b"], ["c"]], {"a": 0.125, "b": 0.125, "c": 0.75}, 0.5
    for _ in range(40):
        size = rng.randrange(1, 7)
        words = [rng.sample("abcdx", rng.randrange(4)) for _ in range(size)]
        share = rng.choice([{"a": 0.25, "b": 0.25, "c": 0.5}, {"a": 0.125, "b": 0.125, "c": 0.25, "d": 0.5}])
        yield [rng.randrange(9) / 8 for _ in range(size)], words, share, rng.choice([0, 0.25, 0.5, 1])


def _new(words: list[str], share: dict[str, float], have: set[str]) -> float:
    return sum(share.get(word, 0.0) for word in set(words) - have)


def _sorted_once(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    return sorted(range(len(scores)), key=lambda place: -(scores[place] + weight * _new(words[place], share, set())))


def _by_score_alone(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    return sorted(range(len(scores)), key=lambda place: -scores[place])


def _last_pick_only(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    left, order, have = list(range(len(scores))), list[int](), set[str]()
    while left:
        best = max(left, key=lambda place: scores[place] + weight * _new(words[place], share, have))
        order.append(best)
        left.remove(best)
        have = set(words[best])
    return order


def _words_counted(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    return pick(scores, words, {word: 1 / len(share) for word in share}, weight)


def _words_first(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    left, order, have = list(range(len(scores))), list[int](), set[str]()
    while left:
        best = max(left, key=lambda place: (_new(words[place], share, have), scores[place]))
        order.append(best)
        left.remove(best)
        have |= set(words[best])
    return order


def _unweighted(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    return pick(scores, words, share, 1.0)


def _last_of_equals(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    places = pick(scores[::-1], words[::-1], share, weight)
    return [len(scores) - 1 - place for place in places]


COVERAGE = Exercise(
    id="20.4",
    title="For the words that are still missing",
    solution=pick,
    oracle=_ask_all_again,
    cases=_cases,
    hints=(
        "Keep the words that no pick has yet, with their shares. In the beginning these are all of the question's.",
        "In each round a unit's value is its score plus weight times the shares of the missing words that it has.",
        "Take the highest value, the first of equals. Then strike its words out of the missing ones.",
    ),
    mistakes=(
        Mistake(_sorted_once, "The bonus was given once for all words. What an earlier pick has is no longer missing."),
        Mistake(_by_score_alone, "The order is that of the scores: the question's words play no part."),
        Mistake(_last_pick_only, "Only the last pick's words count as found. What any earlier pick has is found, too."),
        Mistake(_words_counted, "The words were counted. A rare word is worth more: add up the shares."),
        Mistake(_unweighted, "The shares were added as they are. Multiply their sum by weight."),
        Mistake(_last_of_equals, "Of equal values the last unit won. The first one does."),
        Mistake(_words_first, "The words come first and the score last. Add the two, the words times weight."),
    ),
)
