"""Exercise 07.2, find the bug: headings and fences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from markdown_it import MarkdownIt

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def published(text: str) -> list[int]:
    """Numbers of the lines that are headings."""
    found, in_code = [], False
    for number, line in enumerate(text.split("\n")):
        if line.startswith("```"):
            in_code = not in_code
        elif not in_code and re.match(r"#{1,6}\s", line + " "):
            found.append(number)
    return found


def heading_lines(text: str) -> list[int]:
    """Numbers of the lines that are headings."""
    found, fence = [], ""
    for number, line in enumerate(text.split("\n")):
        marks = re.match(r"`{3,}|~{3,}", line)
        if fence:
            closes = marks and marks.group().startswith(fence) and not line[marks.end() :].strip()
            fence = "" if closes else fence
        elif marks:
            fence = marks.group()
        elif re.match(r"#{1,6}\s", line + " "):
            found.append(number)
    return found


def _parsed(text: str) -> list[int]:
    """Oracle: ask a Markdown parser."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [token.map[0] for token in tokens if token.type == "heading_open" and token.map]


_LINES = (
    "# A",
    "## B",
    "###### C",
    "text",
    "```",
    "````",
    "~~~",
    "~~~~",
    "```sh",
    "~~~ yaml",
    "#x",
    "####### D",
    "",
    "#",
)


def _texts(rng: Random) -> Iterator[tuple[str]]:
    for lines in (
        ["# A", "text"],
        ["```", "# in", "```", "# A"],
        ["~~~", "# in", "~~~", "# A"],
        ["~~~", "```", "~~~", "# A"],
        ["```", "~~~", "# in", "```", "# A"],
        ["````", "```", "# in", "````", "# A"],
        ["```", "```sh", "# in", "```", "# A"],
        ["```", "````", "# A"],
        ["```", "# in"],
        ["#A", "####### B", "#"],
    ):
        yield ("\n".join(lines),)
    for _ in range(60):
        yield ("\n".join(rng.choice(_LINES) for _ in range(rng.randrange(2, 9))),)


def _with(closes: Callable[[str, str], bool], heading: str = r"#{1,6}\s") -> Callable[[str], list[int]]:
    def lines(text: str) -> list[int]:
        found, fence = [], ""
        for number, line in enumerate(text.split("\n")):
            marks = re.match(r"`{3,}|~{3,}", line)
            if fence:
                fence = "" if marks and closes(fence, line) else fence
            elif marks:
                fence = marks.group()
            elif re.match(heading, line + " "):
                found.append(number)
        return found

    return lines


def _closes(fence: str, line: str) -> bool:
    return line.startswith(fence) and not line.strip(fence[0] + " ")


def _any_fence_closes(text: str) -> list[int]:
    return _with(lambda fence, line: True)(text)


def _shorter_closes(text: str) -> list[int]:
    return _with(lambda fence, line: line[0] == fence[0] and not line.strip(fence[0] + " "))(text)


def _info_closes(text: str) -> list[int]:
    return _with(lambda fence, line: line.startswith(fence))(text)


def _exactly_as_long(text: str) -> list[int]:
    return _with(lambda fence, line: line.rstrip() == fence)(text)


def _any_number_of_hashes(text: str) -> list[int]:
    return _with(_closes, r"#+\s")(text)


FENCES = Exercise(
    id="07.2",
    title="Find the bug: headings and fences",
    solution=heading_lines,
    oracle=_parsed,
    cases=_texts,
    start=published,
    hints=(
        "Run it on '~~~\\n# in\\n~~~'. Which fences does it know?",
        "One True or False is not enough to remember: a fence of tildes is not closed by backticks.",
        "Remember the marks that opened the fence. A line closes it when it has the same marks, at least as many, and "
        "nothing else behind them.",
    ),
    mistakes=(
        Mistake(
            _any_fence_closes,
            "Both kinds of fence are known now, but any of them closes any other. Inside ~~~ a line ``` is code.",
        ),
        Mistake(
            _shorter_closes,
            "A fence of four marks is not closed by three. That is how people show Markdown inside Markdown.",
        ),
        Mistake(
            _info_closes,
            "A line with text behind its marks, such as ```sh, can open a fence but closes none.",
        ),
        Mistake(_exactly_as_long, "A closing fence may be longer than the one that opened it: at least as many marks."),
        Mistake(_any_number_of_hashes, "The fences are right. But a heading has at most six #."),
    ),
)
