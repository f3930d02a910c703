"""Exercise 19.3, the bugs on the way from a citation back to its passage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def cited(answer: str, passages: list[str]) -> list[str]:
    """The passages that an answer cites, in the order of its first mentions, each once."""
    lists = re.findall(r"\[(\d+(?:, *\d+)*)\]", answer)
    numbers = [int(number) for inside in lists for number in inside.split(",")]
    for number in numbers:
        if not 1 <= number <= len(passages):
            raise ValueError(f"the answer cites {number}; there are {len(passages)} passages")
    return [passages[number - 1] for number in dict.fromkeys(numbers)]


def _published(answer: str, passages: list[str]) -> list[str]:
    """The code that is handed out."""
    numbers = [int(n) for n in re.findall(r"\[(\d+)\]", answer)]
    return [passages[number - 1] for number in numbers if number <= len(passages)]


def _character_by_character(answer: str, passages: list[str]) -> list[str]:
    """Oracle: walk through the answer; a bracket with digits between commas, spaces behind them, is a citation."""
    found: list[str] = []
    place = 0
    while place < len(answer):
        close = answer.find("]", place)
        inside = answer[place + 1 : close] if answer[place] == "[" and close > place else ""
        names = [name if number == 0 else name.lstrip(" ") for number, name in enumerate(inside.split(","))]
        if all(name and set(name) <= set("0123456789") for name in names):
            for name in names:
                if name not in [str(n + 1) for n in range(len(passages))]:
                    raise ValueError(name)
                if passages[int(name) - 1] not in found:
                    found.append(passages[int(name) - 1])
        place += 1
    return found


def _cases(rng: Random) -> Iterator[tuple[str, list[str]]]:
    three = ["red", "green", "blue"]
    yield ("", three)
    yield ("No source.", three)
    yield ("So it is [1].", three)
    yield ("So it is [3]. And so [1].", three)
    yield ("So it is [2][3].", three)
    yield ("So it is [1, 3].", three)
    yield ("Twice [2], and again [2].", three)
    yield ("Counted from nothing [0].", three)
    yield ("Invented [4].", three)
    yield ("In [2031] it was.", three)
    yield ("Half right [1, 7].", three)
    yield ("Not one [a] [1a] [] 2].", three)
    yield ("Not one [1 2] either.", three)
    yield ("Not one [3,] nor [,3].", three)
    yield ("Without a space [3,1].", three)
    yield ("Nothing was found [1].", [])
    for _ in range(40):
        names = [f"p{i}" for i in range(rng.randrange(1, 6))]
        parts = []
        for _ in range(rng.randrange(4)):
            numbers = [str(rng.randrange(1, len(names) + 1)) for _ in range(rng.randrange(1, 3))]
            parts.append(f"text [{', '.join(numbers)}]")
        if rng.random() < 0.2:
            parts.append(f"[{rng.choice([0, len(names) + 1])}]")
        yield (" ".join(parts), names)


def _numbers(answer: str, lists: bool = True) -> list[int]:
    if not lists:
        return [int(n) for n in re.findall(r"\[(\d+)\]", answer)]
    return [int(n) for inside in re.findall(r"\[(\d+(?:, *\d+)*)\]", answer) for n in inside.split(",")]


def _checked(numbers: list[int], passages: list[str], least: int = 1) -> list[int]:
    for number in numbers:
        if not least <= number <= len(passages):
            raise ValueError(str(number))
    return numbers


def _zero_is_the_last(answer: str, passages: list[str]) -> list[str]:
    return [passages[n - 1] for n in dict.fromkeys(_checked(_numbers(answer), passages, 0))]


def _zero_is_the_last_once(answer: str, passages: list[str]) -> list[str]:
    return list(dict.fromkeys(passages[n - 1] for n in _checked(_numbers(answer), passages, 0)))


def _no_lists(answer: str, passages: list[str]) -> list[str]:
    return [passages[n - 1] for n in dict.fromkeys(_checked(_numbers(answer, lists=False), passages))]


def _silent(answer: str, passages: list[str]) -> list[str]:
    return [passages[n - 1] for n in dict.fromkeys(_numbers(answer)) if 1 <= n <= len(passages)]


def _repeated(answer: str, passages: list[str]) -> list[str]:
    return [passages[n - 1] for n in _checked(_numbers(answer), passages)]


def _sorted(answer: str, passages: list[str]) -> list[str]:
    return [passages[n - 1] for n in sorted(set(_checked(_numbers(answer), passages)))]


def _from_zero(answer: str, passages: list[str]) -> list[str]:
    return [passages[n] for n in dict.fromkeys(_checked(_numbers(answer), passages)) if n < len(passages)]


def _any_number(answer: str, passages: list[str]) -> list[str]:
    numbers = [int(n) for n in re.findall(r"\d+", answer)]
    return [passages[n - 1] for n in dict.fromkeys(_checked(numbers, passages))]


def _any_list(answer: str, passages: list[str]) -> list[str]:
    inside = " ".join(re.findall(r"\[([\d, ]+)\]", answer))
    return [passages[n - 1] for n in dict.fromkeys(_checked([int(n) for n in re.findall(r"\d+", inside)], passages))]


CITATIONS = Exercise(
    id="19.3",
    title="Find the bugs: from a citation to its passage",
    solution=cited,
    oracle=_character_by_character,
    cases=_cases,
    start=_published,
    hints=(
        "Try the answers 'see [0]', 'see [9]' and 'see [1, 2]' with two passages.",
        "passages[-1] exists in Python.",
        "A number without a passage was made up by whoever wrote the answer: raise ValueError.",
    ),
    mistakes=(
        Mistake(_zero_is_the_last, "[0] became passages[-1], the last one. There is no passage 0."),
        Mistake(_zero_is_the_last_once, "[0] found the last passage: Python counts -1 from the end. Refuse 0 as well."),
        Mistake(_no_lists, "[1, 3] cites two passages, and none of them was found."),
        Mistake(
            _silent,
            "An invented number was passed over in silence. That is the one thing a reader has to hear of: "
            "raise ValueError.",
        ),
        Mistake(_repeated, "A passage that is cited twice is returned twice; return each once."),
        Mistake(_sorted, "The order is that of the first mentions, not of the numbers."),
        Mistake(_from_zero, "Citations are counted from 1, lists from 0: [1] is passages[0]."),
        Mistake(
            _any_list,
            "'[1 2]' and '[3,]' are no citations: between two numbers stands one comma, and nothing "
            "else is in the brackets.",
        ),
        Mistake(_any_number, "Numbers outside brackets are part of the answer, and so is [1a]."),
    ),
)
