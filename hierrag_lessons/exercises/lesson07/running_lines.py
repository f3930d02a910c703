"""Exercise 07.3, the running heads and feet of a PDF."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def without_running_lines(pages: list[str]) -> list[str]:
    """The pages without their running heads and feet."""

    def key(line: str) -> str:
        return re.sub(r"[0-9]+", "#", line.strip().split("   ")[0])

    kept = [page.split("\n") for page in pages]
    for end in (0, -1):
        keys = [key(page.split("\n")[end]) for page in pages]
        for lines, own in zip(kept, keys, strict=True):
            if lines and own and keys.count(own) >= 2 and 2 * keys.count(own) > len(pages):
                del lines[end]
    return ["\n".join(lines) for lines in kept]


def _alike(one: str, other: str) -> bool:
    """Whether two lines have the same first column, whatever their digits are, read from left to right."""

    def parts(line: str) -> list[str]:
        made, before = [], ""
        for sign in line.strip().partition("   ")[0]:
            if not (sign in "0123456789" and before in "0123456789" and before):
                made.append("digit" if sign in "0123456789" else sign)
            before = sign
        return made

    return parts(one) == parts(other) != []


def _page_by_page(pages: list[str]) -> list[str]:
    """Oracle: hold each first and each last line beside those of all pages."""
    made = []
    for page in pages:
        lines = page.split("\n")
        heads = sum(_alike(lines[0], other.split("\n")[0]) for other in pages)
        feet = sum(_alike(lines[-1], other.split("\n")[-1]) for other in pages)
        first = 1 if heads >= 2 and heads > len(pages) / 2 else 0
        last = len(lines) - (1 if feet >= 2 and feet > len(pages) / 2 else 0)
        made.append("\n".join(lines[first:last]))
    return made


def _files(rng: Random) -> Iterator[tuple[list[str]]]:
    yield ([],)
    yield (["Manual\ntext\nPage 1"],)
    yield (["Manual\none\nPage 1", "Manual\ntwo\nPage 2"],)
    yield (["Manual   2 Safety\none\nPage 9 of 44", "Manual   3 The meter\ntwo\nPage 10 of 44"],)
    yield (["Manual\nManual\none\nPage 1", "Manual\ntwo\nPage 2"],)
    yield (["one\nsee\nPage 1", "two\nPage 7 has it\nPage 2", "three\nmore\nPage 3"],)
    yield (["A\none\nx", "B\ntwo\ny", "A\nthree\nz", "B\nfour\nw"],)
    yield (["A\none\nx", "B\ntwo\ny", "A\nthree\nz"],)
    yield (["Title", "Manual\none\nPage 2", "Manual\ntwo\nPage 3"],)
    yield (["Manual\n12 volts\n- 1 -", "Manual\n13 volts\n- 2 -", ""],)
    for _ in range(40):
        head, foot = rng.choice(["Manual", "Report 2025", ""]), rng.choice(["Page {} of 12", "- {} -", "{}", ""])
        pages = []
        for number in range(rng.randrange(1, 6)):
            lines = [rng.choice(["one", "two", "Page 3", "Manual", "4 volts"]) for _ in range(rng.randrange(1, 4))]
            if head and rng.random() < 0.8:
                lines.insert(0, head + rng.choice(["", "   1 Safety", "   2 Use"]))
            if foot and rng.random() < 0.8:
                lines.append(foot.format(number + 8))
            pages.append("\n".join(lines))
        yield (pages,)


def _with(
    key: Callable[[str], str] = lambda line: re.sub(r"[0-9]+", "#", line.strip().split("   ")[0]),
    ends: tuple[int, ...] = (0, -1),
    least: Callable[[int, int], bool] = lambda count, pages: count >= 2 and 2 * count > pages,
) -> Callable[[list[str]], list[str]]:
    def strip(pages: list[str]) -> list[str]:
        kept = [page.split("\n") for page in pages]
        for end in ends:
            keys = [key(page.split("\n")[end]) for page in pages]
            for lines, own in zip(kept, keys, strict=True):
                if lines and own and least(keys.count(own), len(pages)):
                    del lines[end]
        return ["\n".join(lines) for lines in kept]

    return strip


def _exactly_the_same(pages: list[str]) -> list[str]:
    return _with(key=lambda line: line.strip().split("   ")[0])(pages)


def _whole_line(pages: list[str]) -> list[str]:
    return _with(key=lambda line: re.sub(r"[0-9]+", "#", line.strip()))(pages)


def _digit_by_digit(pages: list[str]) -> list[str]:
    return _with(key=lambda line: re.sub(r"[0-9]", "#", line.strip().split("   ")[0]))(pages)


def _heads_only(pages: list[str]) -> list[str]:
    return _with(ends=(0,))(pages)


def _half_is_enough(pages: list[str]) -> list[str]:
    return _with(least=lambda count, all_pages: count >= 2 and 2 * count >= all_pages)(pages)


def _always(pages: list[str]) -> list[str]:
    return ["\n".join(page.split("\n")[1:-1]) for page in pages]


def _anywhere(pages: list[str]) -> list[str]:
    def key(line: str) -> str:
        return re.sub(r"[0-9]+", "#", line.strip().split("   ")[0])

    ends = [key(page.split("\n")[end]) for end in (0, -1) for page in pages]
    running = {own for own in ends if own and ends.count(own) >= 2 and 2 * ends.count(own) > len(pages)}
    return ["\n".join(line for line in page.split("\n") if key(line) not in running) for page in pages]


RUNNING_LINES = Exercise(
    id="07.3",
    title="Running heads of a PDF",
    solution=without_running_lines,
    oracle=_page_by_page,
    cases=_files,
    hints=(
        "Write a function that makes of a line what is compared: 'Page 9' and 'Page 10' must become the same.",
        "`re.sub(r'[0-9]+', '#', line.strip().split('   ')[0])` is such a function. Count its values over the first "
        "lines of all pages, then over the last lines.",
        "Remove a page's first line if its value occurs on at least two pages and on more than half of them. An empty "
        "line is no head. Then the same for last lines.",
    ),
    mistakes=(
        Mistake(
            _exactly_the_same,
            "Feet count the pages: 'Page 9 of 44' and 'Page 10 of 44' are one running line. Compare lines without "
            "their numbers.",
        ),
        Mistake(
            _whole_line,
            "The second column of a head names the chapter, so it changes. Compare only what comes before the first "
            "gap of three spaces.",
        ),
        Mistake(
            _digit_by_digit,
            "Each digit is replaced on its own, so 'Page 9' and 'Page 10' still differ. Replace whole numbers.",
        ),
        Mistake(_heads_only, "The feet are still there: do the same with the last line of each page."),
        Mistake(
            _half_is_enough,
            "More than half of the pages, not half. In a document of two pages, half is one page, and two pages of "
            "four may share a first line by chance.",
        ),
        Mistake(
            _always,
            "First and last lines are removed without a look at them. A page without a head loses its first sentence.",
        ),
        Mistake(
            _anywhere,
            "Lines in the middle of a page are removed because they look like a head. Only first and last lines are "
            "candidates.",
        ),
    ),
)
