"""HTML tables as Markdown tables.

Lesson 07 uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import regex
from bs4 import Tag

from hierrag_lessons.reading.html_content import attribute, names, number

MAX_TABLE = 20_000_000
"""Characters of a table in Markdown: a cell over a thousand columns and all rows makes gigabytes of a small page."""
TABLE_PARTS = names("caption colgroup thead tbody tfoot tr td th")


@dataclass
class _Cell:
    text: str
    columns: int
    rows: int
    is_header: bool


@dataclass
class _Row:
    section: Tag
    cells: list[_Cell]
    texts: list[str] = field(default_factory=list)
    is_note: bool = False


def is_layout(table: Tag) -> bool:
    """Whether a table only arranges a page: it says so, or it is one row that shows code."""
    if attribute(table, "role") in ("none", "presentation"):
        return True
    return table.find("pre") is not None and len(table.find_all("tr", limit=2)) < 2


def write_table(table: Tag, write: Callable[[Tag], str]) -> str:
    """A table in Markdown, maybe empty; ``write`` gives what stands in a cell, in one line.

    A cell over several columns or rows is repeated in each of them, with one exception: the only cell of a row, a
    note or a subtitle, is written once. Rows of headings become one, ``Role / Viewer``; a table without headings gets
    empty ones, because Markdown knows no table without.

    Raises ``ValueError`` where that would be more than ``MAX_TABLE`` characters.
    """
    rows = [row for name in ("thead", ("tbody", "tfoot")) for row in _read_rows(table, name, write)]
    _expand(rows)
    width = max((len(row.texts) for row in rows if not row.is_note), default=1)
    _check_size(3 * width * len(rows))
    grid = [[row.texts[0]] if row.is_note else row.texts for row in rows]
    grid = [line + [""] * (width - len(line)) for line in grid]
    if not any(map(any, grid)):
        return ""
    heads = sum(row.section.name == "thead" for row in rows) or _heading_rows(rows)
    header = [" / ".join(dict.fromkeys(filter(None, column))) for column in zip(*grid[:heads], strict=True)]
    lines = [header or [""] * width, ["---"] * width, *(line for line in grid[heads:] if any(line))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _read_rows(table: Tag, sections: str | Sequence[str], write: Callable[[Tag], str]) -> Iterator[_Row]:
    for section in table.find_all(sections, recursive=False):
        for row in section.find_all("tr", recursive=False):
            yield _Row(section, [_read_cell(cell, write) for cell in row.find_all(["td", "th"], recursive=False)])


def _read_cell(cell: Tag, write: Callable[[Tag], str]) -> _Cell:
    # A backslash before a bar would free it again.
    text = regex.sub(r"(\\*)\|", r"\1\1\|", write(cell))
    columns = min(max(number(cell, "colspan", 1), 1), 1000)
    rows = number(cell, "rowspan", 1) or 65534  # rowspan="0" reaches to the end of the section
    return _Cell(text, columns, max(rows, 1), cell.name == "th")


def _expand(rows: list[_Row]) -> None:
    """Fill ``texts``: one text for each column of the row, those from cells that begin further up included."""
    hanging: dict[int, tuple[int, str]] = {}  # column: how many rows are left, text
    section, size = None, 0

    def put(row: _Row, text: str) -> None:
        nonlocal size
        size += len(text) + 3
        _check_size(size)
        row.texts.append(text)

    for row in rows:
        if row.section is not section:
            hanging, section = {}, row.section
        row.is_note = len(row.cells) == 1 and not hanging and row.cells[0].rows == 1
        left = {column: (rest - 1, text) for column, (rest, text) in hanging.items() if rest > 1}
        cells = iter(row.cells)
        cell = next(cells, None)
        while cell or len(row.texts) in hanging:
            if len(row.texts) in hanging:
                put(row, hanging[len(row.texts)][1])
                continue
            assert cell is not None
            for _ in range(cell.columns):
                if cell.rows > 1:
                    left[len(row.texts)] = (cell.rows - 1, cell.text)
                put(row, cell.text)
            cell = next(cells, None)
        # Columns that hang beyond a gap keep their place.
        for column in sorted(hanging):
            while column >= len(row.texts):
                put(row, hanging[column][1] if column == len(row.texts) else "")
        hanging = left


def _check_size(size: int) -> None:
    if size > MAX_TABLE:
        raise ValueError(
            f"a table has cells over so many columns and rows that it would take more than {MAX_TABLE:,} characters; "
            "mend its colspan and rowspan"
        )


def _heading_rows(rows: list[_Row]) -> int:
    """How many rows at the top hold nothing but headings; of a table of headings only the first."""
    count = len(list(takewhile(lambda row: row.cells and all(cell.is_header for cell in row.cells), rows)))
    return count if count < len(rows) else min(count, 1)
