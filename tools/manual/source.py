"""Read the manual's source: a small dialect of Markdown, one block at a time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

HEADING = re.compile(r"(#{1,3}) (.+)")
CAPTION = re.compile(r"(Table \d+\. .+)")
FIGURE = re.compile(r"\{figure (\w+)\} (.+)")
NOTE = re.compile(r"\[\^(\w+)\]: (.+)")
NUMBERED = re.compile(r"(\d+)\. (.+)")
CALLOUT = re.compile(r"> \*\*(\w+)\.\*\* (.+)")


@dataclass(frozen=True)
class Block:
    """One block: `kind` names it, `text` is its line, `rows` are the items of a list or the rows of a table."""

    kind: str
    text: str = ""
    level: int = 0
    rows: list[list[str]] = field(default_factory=list)
    right: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Manual:
    """The source taken apart: the lines of the head, the blocks in order, the footnotes by name."""

    head: dict[str, str]
    blocks: list[Block]
    notes: dict[str, str]


def cells(line: str) -> list[str]:
    """The cells of one line of a table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table(lines: list[str]) -> Block:
    """A table from its lines; the second line says which columns are aligned to the right."""
    rows = [cells(line) for line in lines]
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError(f"the rows of this table differ in length: {lines[0]}")
    right = frozenset(i for i, mark in enumerate(rows[1]) if mark.endswith(":"))
    return Block("table", rows=[rows[0], *rows[2:]], right=right)


def block(lines: list[str]) -> Block:
    """The block that these lines, without an empty one among them, make up."""
    first = lines[0]
    if first.startswith("|"):
        return table(lines)
    if all(line.startswith("- ") for line in lines):
        return Block("bullets", rows=[["", line[2:]] for line in lines])
    if numbered := [match.groups() for line in lines if (match := NUMBERED.fullmatch(line))]:
        if len(numbered) != len(lines):
            raise ValueError(f"some lines of this list have no number: {first}")
        return Block("steps", rows=[list(item) for item in numbered])
    if len(lines) > 1:
        raise ValueError(f"a paragraph takes one line, and this one takes {len(lines)}: {first[:60]}")
    if match := HEADING.fullmatch(first):
        return Block("heading", match[2], level=len(match[1]))
    if match := CALLOUT.fullmatch(first):
        return Block("callout", match[2], rows=[[match[1]]])
    if match := FIGURE.fullmatch(first):
        return Block("figure", match[2], rows=[[match[1]]])
    if CAPTION.fullmatch(first):
        return Block("caption", first)
    if first in {":::columns", ":::"}:
        return Block("columns" if first == ":::columns" else "end")
    return Block("paragraph", first)


def groups(text: str) -> Iterator[list[str]]:
    """The groups of lines between empty lines."""
    for group in re.split(r"\n{2,}", text.strip()):
        yield group.split("\n")


def read(text: str) -> Manual:
    """Take the source apart. Raises ValueError for a block that is none, or for a footnote that is missing."""
    _, head, body = text.split("---\n", 2)
    notes: dict[str, str] = {}
    blocks: list[Block] = []
    for lines in groups(body):
        if match := NOTE.fullmatch(lines[0]):
            notes[match[1]] = match[2]
        else:
            blocks.append(block(lines))
    if missing := set(re.findall(r"\[\^(\w+)\]", body)) - set(notes):
        raise ValueError(f"footnotes without text: {sorted(missing)}")
    return Manual(dict(line.split(": ", 1) for line in head.strip().split("\n")), blocks, notes)
