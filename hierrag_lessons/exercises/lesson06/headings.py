"""Exercise 06.4, the bug in a pattern for numbered headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def heading_starts(text: str) -> list[int]:
    """Where the lines begin that are numbered headings."""
    return [match.start() for match in re.finditer(r"(?m)^[0-9]+(?:\.[0-9]+)*\.? ", text)]


def _any_character(text: str) -> list[int]:
    """The code that is handed out."""
    return [match.start() for match in re.finditer(r"(?m)^\d+(?:.\d+)*.? ", text)]


def _line_by_line(text: str) -> list[int]:
    """Oracle: take each line's first word apart at its full stops."""
    starts, here = [], 0
    for line in text.split("\n"):
        label, space, _ = line.partition(" ")
        numbers = label.removesuffix(".").split(".")
        if space and all(number and set(number) <= set("0123456789") for number in numbers):
            starts.append(here)
        here += len(line) + 1
    return starts


def _cases(rng: Random) -> Iterator[tuple[str]]:
    yield ("",)
    yield ("2 Costs",)
    yield ("2.1 Travel\n2.1.3. Hotels",)
    yield ("1,250 terminals were sold",)
    yield ("2024-06 was a good month",)
    yield ("12% of them failed",)
    yield ("3: the result",)
    yield ("10:30 doors open",)
    yield ("2.1Travel\n 2.1 Travel",)
    yield ("The limit is 2.1 metres",)
    yield ("2\nCosts\n2.1\tTravel",)
    yield ("2..1 Travel\n2.1.. Hotels",)
    yield ("1. Scope\ntext\n1.1 Who\n1,250 people\n2 Costs",)
    yield ("１ 目标\n2.1 差旅",)
    labels = ["1", "2.1", "2.1.", "10.3.4", "1,250", "2024-06", "7%", "12:30", "a.1", "3)", "4 5", "1.2.x", "..", ".5"]
    for _ in range(40):
        lines = [f"{rng.choice(labels)}{rng.choice([' ', ' ', '', '  '])}word" for _ in range(rng.randrange(1, 5))]
        yield ("\n".join(lines),)


def _no_final_stop(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"(?m)^[0-9]+(?:\.[0-9]+)* ", text)]


def _anywhere(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"[0-9]+(?:\.[0-9]+)*\.? ", text)]


def _last_dot_forgotten(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"(?m)^[0-9]+(?:\.[0-9]+)*.? ", text)]


def _one_level(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"(?m)^[0-9]+(?:\.[0-9]+)?\.? ", text)]


def _any_white_space(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"(?m)^[0-9]+(?:\.[0-9]+)*\.?\s", text)]


def _any_row_of_stops(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"(?m)^[0-9][0-9.]* ", text)]


def _digits_of_any_script(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"(?m)^\d+(?:\.\d+)*\.? ", text)]


HEADINGS = Exercise(
    id="06.4",
    title="Find the bug: numbered headings",
    solution=heading_starts,
    oracle=_line_by_line,
    cases=_cases,
    start=_any_character,
    hints=(
        "Print what the pattern matches in '1,250 terminals were sold' and in '12% of them failed'.",
        "Outside square brackets a dot stands for any character. A full stop is written \\. in a pattern.",
        "There are two dots in the pattern. And \\d is any digit of any script; [0-9] is what the text above asks for.",
    ),
    mistakes=(
        Mistake(_no_final_stop, "'2.1.3. Hotels' is a heading too: one more full stop may stand at the end."),
        Mistake(_anywhere, "A heading stands at the start of a line; numbers inside a line are not headings."),
        Mistake(
            _last_dot_forgotten,
            "The dot between the numbers is escaped now, the one at the end is not: '12% of them' still passes.",
        ),
        Mistake(_one_level, "Headings can be deeper than two levels: the part with the full stop repeats."),
        Mistake(_any_white_space, "\\s is also a tab or a line end: a number alone in its line is not a heading."),
        Mistake(
            _digits_of_any_script,
            "The dots are right now. But `\\d` is a digit of any script: also a full-width １. "
            "The task asks for 0 to 9. Whether １ counts is a choice; make it on purpose, and write `[0-9]` where you "
            "mean it.",
        ),
        Mistake(_any_row_of_stops, "Single full stops between numbers: '2..1 Travel' is not a heading."),
    ),
)
