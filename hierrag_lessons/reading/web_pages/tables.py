"""HTML tables as Markdown tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile

import regex
from bs4 import Tag

from hierrag_lessons.reading.web_pages.inline import one_line
from hierrag_lessons.reading.web_pages.page import attribute, walk


@dataclass
class _Cell:
    text: str
    columns: int
    rows: int
    is_header: bool


@dataclass
class _Row:
    section: int
    in_head: bool
    cells: list[_Cell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    is_note: bool = False


def number(tag: Tag, name: str, default: int) -> int:
    """The whole number that an attribute begins with, or the default."""
    match = regex.match(r"\s*([+-]?[0-9]{1,6})", attribute(tag, name))
    return int(match[1]) if match else default


def is_layout(table: Tag) -> bool:
    """Whether a table only arranges a page: it says so, or it is one row that shows code."""
    if attribute(table, "role") in ("none", "presentation"):
        return True
    return table.find("pre") is not None and len(table.find_all("tr", limit=2)) < 2


def read_table(table: Tag) -> tuple[list[str], str]:
    """What stands before a table (its caption, text between its cells) and the table in Markdown, maybe empty.

    A cell over several columns or rows is repeated in each of them, with one exception: the only cell of a row, a
    note or a subtitle, is written once. Rows of headings become one, ``Role / Viewer``; a table without headings gets
    empty ones, because Markdown knows no table without.
    """
    texts, rows = _read_rows(table)
    _expand(rows)
    width = max((len(row.texts) for row in rows if not row.is_note), default=1)
    grid = [[row.texts[0]] if row.is_note else row.texts for row in rows]
    grid = [line + [""] * (width - len(line)) for line in grid]
    if not any(map(any, grid)):
        return texts, ""
    heads = sum(row.in_head for row in rows) or _heading_rows(rows)
    header = [" / ".join(dict.fromkeys(filter(None, column))) for column in zip(*grid[:heads], strict=True)]
    lines = [header or [""] * width, ["---"] * width, *(line for line in grid[heads:] if any(line))]
    return texts, "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _read_rows(table: Tag) -> tuple[list[str], list[_Row]]:
    texts: list[str] = []
    rows: list[_Row] = []
    heads: list[_Row] = []
    section, in_head, in_row = 0, False, False
    for node, entered in walk(table, lambda tag: tag.name in ("caption", "td", "th")):
        if isinstance(node, str):
            texts.append(" ".join(node.split()))
        elif node.name in ("thead", "tbody", "tfoot"):
            section, in_head, in_row = section + 1, entered and node.name == "thead", False
        elif node.name == "caption":
            texts.append(one_line(node))
        elif node.name == "tr" or (node.name in ("td", "th") and not in_row):
            in_row = entered
            if entered:
                (heads if in_head else rows).append(_Row(section, in_head))
        if isinstance(node, Tag) and node.name in ("td", "th"):
            # A backslash before a bar would free it again.
            text = regex.sub(r"(\\*)\|", r"\1\1\|", one_line(node))
            columns = min(max(number(node, "colspan", 1), 1), 1000)
            # rowspan="0" reaches to the end of the section.
            span = number(node, "rowspan", 1) or 65534
            (heads if in_head else rows)[-1].cells.append(_Cell(text, columns, max(span, 1), node.name == "th"))
    return list(filter(None, texts)), heads + rows


def _expand(rows: list[_Row]) -> None:
    """Fill ``texts``: one text for each column of the row, those from cells that begin further up included."""
    hanging: dict[int, tuple[int, str]] = {}  # column: how many rows are left, text
    section = -1
    for row in rows:
        if row.section != section:
            hanging, section = {}, row.section
        row.is_note = len(row.cells) == 1 and not hanging and row.cells[0].rows == 1
        left = {column: (rest - 1, text) for column, (rest, text) in hanging.items() if rest > 1}
        cells = iter(row.cells)
        cell = next(cells, None)
        while cell or len(row.texts) in hanging:
            if len(row.texts) in hanging:
                row.texts.append(hanging[len(row.texts)][1])
                continue
            assert cell is not None
            for _ in range(cell.columns):
                if cell.rows > 1:
                    left[len(row.texts)] = (cell.rows - 1, cell.text)
                row.texts.append(cell.text)
            cell = next(cells, None)
        # Columns that hang beyond a gap keep their place.
        for column in sorted(hanging):
            if column >= len(row.texts):
                row.texts += [""] * (column - len(row.texts)) + [hanging[column][1]]
        hanging = left


def _heading_rows(rows: list[_Row]) -> int:
    """How many rows at the top hold nothing but headings; of a table of headings only the first."""
    count = len(list(takewhile(lambda row: row.cells and all(cell.is_header for cell in row.cells), rows)))
    return count if count < len(rows) else min(count, 1)
