"""Exercise 18.4, what the levels below can still find."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def ceilings(ranking: list[str], gold: dict[str, int]) -> list[float]:
    """The highest recall that is left when the first 1, 2, … sections of the ranking are kept.

    ``gold`` holds the gold characters in each section that has any; at least one section has.
    """
    found, result = 0, []
    for section in ranking:
        found += gold.get(section, 0)
        result.append(found / sum(gold.values()))
    return result


def _count_each_time(ranking: list[str], gold: dict[str, int]) -> list[float]:
    """Oracle: for each length look at every section with gold and ask whether it was kept."""
    result = []
    for length in range(1, len(ranking) + 1):
        kept, found, total = ranking[:length], 0, 0
        for section, characters in gold.items():
            total += characters
            if section in kept:
                found += characters
        result.append(found / total)
    return result


def _cases(rng: Random) -> Iterator[tuple[list[str], dict[str, int]]]:
    yield [], {"a": 10}
    yield ["a"], {"a": 10}
    yield ["a", "b"], {"b": 10}
    yield ["a", "b", "c"], {"a": 10, "c": 30}
    yield ["a", "b"], {"b": 10, "z": 30}
    yield ["b", "a"], {"a": 20, "b": 60}
    for _ in range(40):
        sections = rng.sample("abcdefgh", 8)
        gold = {section: rng.randrange(1, 90) for section in rng.sample(sections, rng.randrange(1, 5))}
        yield sections[: rng.randrange(8)], gold


def _sections(ranking: list[str], gold: dict[str, int]) -> list[float]:
    return [sum(section in gold for section in ranking[: n + 1]) / len(gold) for n in range(len(ranking))]


def _share_of_what_was_found(ranking: list[str], gold: dict[str, int]) -> list[float]:
    found = sum(gold.get(section, 0) for section in ranking) or 1
    return [sum(gold.get(section, 0) for section in ranking[: n + 1]) / found for n in range(len(ranking))]


def _each_alone(ranking: list[str], gold: dict[str, int]) -> list[float]:
    return [gold.get(section, 0) / sum(gold.values()) for section in ranking]


def _precision(ranking: list[str], gold: dict[str, int]) -> list[float]:
    return [sum(section in gold for section in ranking[: n + 1]) / (n + 1) for n in range(len(ranking))]


CEILING = Exercise(
    id="18.4",
    title="What is left to find",
    solution=ceilings,
    oracle=_count_each_time,
    cases=_cases,
    hints=(
        "Gold in a section that is not kept can't be found by any level below.",
        "Add up the gold characters of the first n sections, and divide by all gold characters there are.",
        "Keep a running sum while you walk through the ranking.",
    ),
    mistakes=(
        Mistake(_sections, "Sections with gold were counted. Recall counts characters: one may hold most of the gold."),
        Mistake(
            _share_of_what_was_found,
            "The sums were divided by the gold in the ranking. Gold outside it is lost, and counts.",
        ),
        Mistake(_each_alone, "Each section was taken alone. With n kept, the gold of all n is within reach."),
        Mistake(_precision, "This is the share of sections with gold among those kept: a precision, not a recall."),
    ),
)
