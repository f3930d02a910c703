"""A small table of results that prints as aligned text, as Markdown and as HTML.

Lesson 02 uses it.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from hierrag_lessons import checks

Cell = str | int | float | None

# Columns whose numbers read better with other than three decimals.
_FORMATS = {"p": ".4f", "context_tokens": ".0f"}


@dataclass(frozen=True, repr=False)
class Table:
    """Rows of names and numbers. The cells keep full precision; only the printed forms round, ``None`` is a dash.

    Raises ``ValueError`` for a row that has not one cell a column.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    def __post_init__(self) -> None:
        checks.texts("columns", self.columns)
        checks.text("caption", self.caption)
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"the row {row} has {len(row)} cells for {len(self.columns)} columns; give one each")

    def records(self) -> list[dict[str, Cell]]:
        """Each row as a dictionary from column to unrounded cell, for figures, JSON and tests."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_markdown(self) -> str:
        """The table in GitHub's Markdown, without its caption; numbers to the right."""
        rule = ["---:" if number else "---" for number in self._is_number()]
        lines = [list(self.columns), rule, *self._cells()]
        # A table cell ends at a bar or a line break, and Markdown reads HTML inside it.
        safe = [[html.escape(" ".join(cell.split())).replace("|", r"\|") for cell in line] for line in lines]
        return "\n".join(f"| {' | '.join(line)} |" for line in safe)

    def __repr__(self) -> str:
        lines = [list(self.columns), *self._cells()]
        widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
        lines.insert(1, ["-" * width for width in widths])
        aligned = (
            "  ".join(
                " " * (width - _width(cell)) + cell if number else cell + " " * (width - _width(cell))
                for cell, width, number in zip(line, widths, self._is_number(), strict=True)
            ).rstrip()
            for line in lines
        )
        return "\n".join([*([self.caption] if self.caption else []), *aligned])

    def _repr_html_(self) -> str:
        # A page's own colour for captions may be made for another background than the one that the table stands on.
        style = "color:inherit;text-align:left"
        caption = f'<caption style="{style}">{html.escape(self.caption)}</caption>' if self.caption else ""
        align = ["right" if number else "left" for number in self._is_number()]

        def line(tag: str, attributes: str, cells: Iterable[str]) -> str:
            filled = [
                f'<{tag}{attributes} style="text-align:{a}">{html.escape(cell)}</{tag}>'
                for a, cell in zip(align, cells, strict=True)
            ]
            return f"<tr>{''.join(filled)}</tr>"

        head = line("th", ' scope="col"', self.columns)
        body = "".join(line("td", "", row) for row in self._cells())
        return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>"

    def _cells(self) -> list[list[str]]:
        return [[_show(cell, name) for name, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def _is_number(self) -> list[bool]:
        return [not any(isinstance(row[i], str) for row in self.rows) for i in range(len(self.columns))]


def _show(cell: Cell, column: str) -> str:
    if cell is None:
        return "–"
    return format(cell, _FORMATS.get(column, ".3f")) if isinstance(cell, float) else str(cell)


def _width(text: str) -> int:
    """Columns of a terminal that the text takes: Chinese characters take two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
