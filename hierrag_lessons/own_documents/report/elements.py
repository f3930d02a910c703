"""The elements that a report is made of: headings, tables, folded parts, all with their text escaped.

Lesson 24 uses it.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from hierrag_lessons.evaluation import Cell
from hierrag_lessons.text.invisible import one_line, visible


def escaped(text: str) -> str:
    """Untrusted text on one line for an element or an attribute, with invisible characters made visible."""
    return html.escape(one_line(text))


def paragraph(text: str, look: str = "") -> str:
    """A paragraph of plain text."""
    return f"<p{_class(look)}>{escaped(text)}</p>"


def code(text: str) -> str:
    """Lines of a program."""
    return f'<pre class="code">{html.escape(visible(text))}</pre>'


def folded(summary: str, content: str) -> str:
    """``content``, which is HTML, under a line of plain text that unfolds it; it is open in no case."""
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str = "", chosen: str | None = None) -> str:
    """A table; the row whose first cell is ``chosen`` stands out. Texts stand to the left, numbers to the right.

    A float is shown with two decimals, a median, times and MB as they are, and a share, in a column whose name ends
    in ``%``, in hundredths.
    """
    words = [any(isinstance(row[at], str) for row in rows) for at in range(len(columns))]
    head = "".join(
        f'<th scope="col"{_class("words" if text else "")}>{escaped(column)}</th>'
        for column, text in zip(columns, words, strict=True)
    )
    body = "".join(
        f"<tr{_class('chosen' if row[0] == chosen else '')}>"
        + "".join(
            f"<td{_class('words' if text else '')}>{escaped(_shown(cell, column))}</td>"
            for cell, column, text in zip(row, columns, words, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    said = f"<caption>{escaped(caption)}</caption>" if caption else ""
    return f'<div class="wide"><table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _shown(cell: Cell, column: str) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if column.endswith("%"):
        return f"{100 * cell:.0f}"
    if column.startswith("median") or column in ("ms a query", "s to index", "MB"):
        return f"{cell:,g}"
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.2f}"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
