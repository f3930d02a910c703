"""Exercise 07.3, find the bug: numbered headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def published(line: str) -> int | None:
    """The level of a numbered heading: how many numbers it begins with. None where the line is none."""
    match = re.match(r"\d+(.\d+)*\s", line)
    return match.group().count(".") + 1 if match else None


def heading_level(line: str) -> int | None:
    """The level of a numbered heading: how many numbers it begins with. None where the line is none."""
    match = re.match(r"(\d+(?:\.\d+)*)\.?\s+\S", line)
    return match.group(1).count(".") + 1 if match else None


def _word_by_word(line: str) -> int | None:
    """Oracle: take the first word apart without a regular expression."""
    words = line.split(maxsplit=1)
    if len(words) < 2 or line[0].isspace():
        return None
    numbers = words[0].removesuffix(".").split(".")
    return len(numbers) if all(number.isdecimal() for number in numbers) else None


def _lines(rng: Random) -> Iterator[tuple[str]]:
    for line in (
        *("3 Scope", "3. Scope", "3.2 Scope", "3.2. Scope", "3.2.1 Scope", "12.10.3 术语"),
        *("3x2 grid of meters", "2025-11-21 Minutes", "1,284 meters were sold", "10:45 Break", "3-2 Scope"),
        *(
            "3..2 Scope",
            ".5 Scope",
            "... Scope",
            "3.2",
            "3.2 ",
            "Scope",
            "",
            "see 3.2 Scope",
            " 3.2 Scope",
            "3.2.1Scope",
        ),
    ):
        yield (line,)
    for _ in range(60):
        number = "".join(rng.choice(["1", "2", "30", ".", ".", "-", "x", ","]) for _ in range(rng.randrange(1, 6)))
        yield (f"{number}{rng.choice([' ', ' ', '  ', ''])}{rng.choice(['Scope', '范围', ''])}",)


def _still_any_sign(line: str) -> int | None:
    match = re.match(r"(\d+(?:.\d+)*)\.?\s+\S", line)
    return match.group(1).count(".") + 1 if match else None


def _no_last_dot(line: str) -> int | None:
    match = re.match(r"\d+(?:\.\d+)*\s+\S", line)
    return match.group().count(".") + 1 if match else None


def _counts_the_last_dot(line: str) -> int | None:
    match = re.match(r"\d+(?:\.\d+)*\.?\s+\S", line)
    return match.group().count(".") + 1 if match else None


def _digits_and_dots(line: str) -> int | None:
    match = re.match(r"([\d.]+)\s+\S", line)
    return match.group(1).rstrip(".").count(".") + 1 if match else None


def _without_a_title(line: str) -> int | None:
    match = re.match(r"(\d+(?:\.\d+)*)\.?(?:\s|$)", line)
    return match.group(1).count(".") + 1 if match else None


def _anywhere(line: str) -> int | None:
    match = re.search(r"(\d+(?:\.\d+)*)\.?\s+\S", line)
    return match.group(1).count(".") + 1 if match else None


NUMBERED = Exercise(
    id="07.3",
    title="Find the bug: numbered headings",
    solution=heading_level,
    oracle=_word_by_word,
    cases=_lines,
    start=published,
    hints=(
        "Try '3x2 grid of meters' and '2025-11-21 Minutes'.",
        "In a regular expression a dot stands for any sign. Which sign is meant here?",
        "Write \\. for a real dot. Then allow one more of them at the end, and ask for a title: \\s+\\S.",
    ),
    mistakes=(
        Mistake(
            _still_any_sign, "The dot between the numbers still stands for any sign: '2025-11-21' has three parts."
        ),
        Mistake(
            _no_last_dot, "'3. Scope' and '3.2. Scope' are headings, too: one dot may stand behind the last number."
        ),
        Mistake(
            _counts_the_last_dot,
            "The level is the number of numbers. In '3.2.' the last dot separates nothing, so it must not be counted.",
        ),
        Mistake(
            _digits_and_dots,
            "[\\d.]+ takes digits and dots in any order: '3..2' and '...' are no numbers of a section.",
        ),
        Mistake(_without_a_title, "A number alone is no heading: behind it comes white space and then a title."),
        Mistake(_anywhere, "The number has to stand at the very start of the line: use match, not search."),
    ),
)
