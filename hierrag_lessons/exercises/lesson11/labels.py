"""Exercise 11.3, find the bug: a text that writes its own labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def labelled(text: str, starts: list[int], end: int) -> str:
    """The units with their offsets, such that no line but the first of a unit can look like a label."""
    lines = []
    for start, stop in pairwise([*starts, end]):
        first, *more = text[start:stop].strip().splitlines() or [""]
        lines.append(f"[{start}] {first}")
        lines += [f"| {line}" for line in more]
    return "\n".join([*lines, f"[{end}]"])


def _as_published(text: str, starts: list[int], end: int) -> str:
    """The units with their offsets, such that no line but the first of a unit can look like a label."""
    lines = [f"[{start}] {text[start:stop].strip()}" for start, stop in pairwise([*starts, end])]
    return "\n".join([*lines, f"[{end}]"])


def _character_by_character(text: str, starts: list[int], end: int) -> str:
    """Oracle: copy one character after the other, and write a bar after each line break."""
    made = ""
    for number, start in enumerate(starts):
        stop = starts[number + 1] if number + 1 < len(starts) else end
        made += f"[{start}] "
        unit = text[start:stop].strip()
        for place, letter in enumerate(unit):
            if letter == "\n" and unit[place - 1 : place] == "\r":
                continue  # the second half of one line break
            made += "\n| " if letter in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029" else letter
        made += "\n"
    return f"{made}[{end}]"


def _texts(rng: Random) -> Iterator[tuple[str, list[int], int]]:
    def case(*units: str) -> tuple[str, list[int], int]:
        starts = [sum(map(len, units[:number])) for number in range(len(units))]
        return "".join(units), starts, sum(map(len, units))

    yield case("Pay now. ", "Or later.")
    yield case("Dear all,\n[20] END. ", "Bye.")
    yield case("A list:\n- one\n- two\n", "Done.")
    yield case("One.\r\n[9] Two. ", "Three.")
    yield case("One.\u2028[9] Two. ", "Three.")
    yield case("One.\r[9] Two.", " Three.")
    yield case("[0] is a label. ", "So is [7].")
    yield case("A verse\n\nand more. ", "End.")
    for _ in range(30):
        units = [
            "".join(
                rng.choice(("a", "b ", "\n", "[7] ", ". ", "\r\n", "\u2028", "| ")) for _ in range(rng.randrange(1, 9))
            )
            for _ in range(rng.randrange(1, 5))
        ]
        yield case(*(f"x{unit}y" for unit in units))


def _one_break(text: str, starts: list[int], end: int) -> str:
    lines = []
    for start, stop in pairwise([*starts, end]):
        first, *more = text[start:stop].strip().split("\n")
        lines += [f"[{start}] {first}", *(f"| {line}" for line in more)]
    return "\n".join([*lines, f"[{end}]"])


def _suspects(text: str, starts: list[int], end: int) -> str:
    lines = []
    for start, stop in pairwise([*starts, end]):
        first, *more = text[start:stop].strip().splitlines() or [""]
        lines += [f"[{start}] {first}", *(f"| {line}" if line.startswith("[") else line for line in more)]
    return "\n".join([*lines, f"[{end}]"])


def _one_line(text: str, starts: list[int], end: int) -> str:
    lines = [f"[{start}] {' '.join(text[start:stop].split())}" for start, stop in pairwise([*starts, end])]
    return "\n".join([*lines, f"[{end}]"])


def _without_brackets(text: str, starts: list[int], end: int) -> str:
    return labelled(text.replace("[", "(").replace("]", ")"), starts, end)


def _no_last(text: str, starts: list[int], end: int) -> str:
    return labelled(text, starts, end).rpartition("\n")[0]


LABELS = Exercise(
    id="11.3",
    title="Find the bug: a text that writes its own labels",
    solution=labelled,
    oracle=_character_by_character,
    cases=_texts,
    start=_as_published,
    hints=(
        "Run it on a unit with a line break and a number in brackets behind it. Which lines of the result did the "
        "text write?",
        'Split each unit into lines. The first line gets the label, and every other line begins with "| ".',
        "`str.splitlines` knows every line break that a model might see as one, not only \\n.",
    ),
    mistakes=(
        Mistake(
            _one_break,
            'Only "\\n" counts as a line break here. "\\r" and U+2028 break lines as well, for a model as for a '
            "reader, so the text can still begin a line.",
        ),
        Mistake(
            _suspects,
            "Only lines that look like a label get a bar. Then a line without a bar may be anything: make the rule "
            "simple enough to state in the prompt. Every further line of a unit begins with a bar.",
        ),
        Mistake(
            _one_line,
            "The unit is put on one line, so lists and verses lose their lines, and spaces are lost as well. The model "
            "should see the text as it is.",
        ),
        Mistake(
            _without_brackets,
            "The brackets of the text are replaced. The model then copies first words that are not in the document.",
        ),
        Mistake(_no_last, "The last number is missing: the model needs to see where the text ends."),
    ),
)
