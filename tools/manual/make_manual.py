"""Make the manual of the meter Sentry-5 as a PDF file, the same to the byte each time.

    python -m tools.manual.make_manual [the PDF file]

It needs reportlab, and pyphen for the hyphens at the ends of lines. The course does not need them: the file that they
make is part of its texts.
"""

import argparse
import re
from pathlib import Path
from xml.sax.saxutils import escape

from reportlab.lib.colors import black
from reportlab.lib.units import mm
from reportlab.platypus import (
    CondPageBreak,
    Flowable,
    NextPageTemplate,
    PageBreak,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)
from reportlab.platypus.tableofcontents import TableOfContents

from tools.manual import layout
from tools.manual.figures import Figure
from tools.manual.source import Block, Manual, read

# A chapter begins on the page where the one before ends if there is this much room, and a section likewise.
CHAPTER_ROOM = 120 * mm
SECTION_ROOM = {"figure": 112 * mm, "callout": 52 * mm, "caption": 44 * mm}
SIDES = ("TOP", "BOTTOM", "LEFT", "RIGHT")
SOURCE = Path(__file__).with_name("sentry5_manual.md")
TARGET = Path(__file__).parents[2] / "data" / "corpora" / "en" / "archive" / "sentry5_manual.pdf"


def inline(text: str, numbers: dict[str, int]) -> str:
    """The text in the library's markup: bold, italics, and marks of footnotes that report where they are drawn."""
    marked = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(text))
    marked = re.sub(r"\*(.+?)\*", r"<i>\1</i>", marked)
    return re.sub(
        r"\[\^(\w+)\]",
        lambda match: f'<super>{numbers[match[1]]}</super><onDraw name="footnote" label="{match[1]}"/>',
        marked,
    )


def column_widths(rows: list[list[str]], width: float) -> list[float]:
    """Widths that follow the mean length of the columns' cells, and let no word be cut where there is room for it."""
    columns = list(zip(*rows, strict=True))
    least = [max(len(word) for cell in column for word in cell.split()) * 5.3 + 12 for column in columns]
    wish = [(sum(len(cell) for cell in column) / len(column)) for column in columns]
    spare = width - sum(least)
    if spare < 0:
        return [width * one / sum(least) for one in least]
    return [one + spare * share / sum(wish) for one, share in zip(least, wish, strict=True)]


def table(block: Block, width: float, numbers: dict[str, int]) -> Table:
    """A table that may be broken between its rows and repeats its first one."""
    heads = [Paragraph(inline(cell, numbers), layout.CELL_HEAD) for cell in block.rows[0]]
    styles = [layout.CELL_RIGHT if i in block.right else layout.CELL for i in range(len(heads))]
    body = [
        [Paragraph(inline(cell, numbers), style) for cell, style in zip(row, styles, strict=True)]
        for row in block.rows[1:]
    ]
    return Table(
        [heads, *body],
        colWidths=column_widths(block.rows, width),
        repeatRows=1,
        spaceAfter=12,
        hAlign="LEFT",
        style=[
            ("GRID", (0, 0), (-1, -1), 0.4, black),
            ("BACKGROUND", (0, 0), (-1, 0), layout.GREY),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("TOPPADDING", (0, 0), (-1, -1), 3),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
            ("LEFTPADDING", (0, 0), (-1, -1), 5),
            ("RIGHTPADDING", (0, 0), (-1, -1), 5),
        ],
    )


def flowables(block: Block, following: str, width: float, numbers: dict[str, int]) -> list[Flowable]:
    """What one block becomes in a frame of this width. A heading keeps room for the kind of block that follows it."""
    text = inline(block.text, numbers)
    match block.kind:
        case "heading":
            heading = Paragraph(text, layout.HEADINGS[block.level])
            heading.heading_level = block.level
            room = CHAPTER_ROOM if block.level == 1 else SECTION_ROOM.get(following, 34 * mm)
            return [CondPageBreak(room), heading]
        case "caption":
            return [CondPageBreak(34 * mm), Paragraph(text, layout.CAPTION)]
        case "table":
            return [table(block, width, numbers)]
        case "steps" | "bullets":
            marks = [f"{number}." if number else "–" for number, _ in block.rows]
            items = [inline(item, numbers) for _, item in block.rows]
            pairs = zip(items, marks, strict=True)
            return [*(Paragraph(item, layout.ITEM, bulletText=mark) for item, mark in pairs), Spacer(1, 4)]
        case "callout":
            return [Paragraph(f"<b>{block.rows[0][0].upper()}</b> {text}", layout.CALLOUT)]
        case "figure":
            name = block.rows[0][0]
            return [CondPageBreak(95 * mm), Figure(name, width), Paragraph(text, layout.CAPTION), Spacer(1, 6)]
        case "columns":
            return [NextPageTemplate("columns"), PageBreak()]
        case "end":
            return [NextPageTemplate("text"), PageBreak()]
        case _:
            return [Paragraph(text, layout.BODY)]


def cover(head: dict[str, str]) -> list[Flowable]:
    """The title page."""
    return [
        Spacer(1, 70 * mm),
        Paragraph(head["title"], layout.TITLE),
        Paragraph(head["subtitle"], layout.TITLE.clone("subtitle", fontSize=22, leading=30)),
        Spacer(1, 12 * mm),
        Paragraph(head["scope"], layout.COVER),
        Spacer(1, 45 * mm),
        *(Paragraph(head[name], layout.COVER) for name in ("document", "edition", "maker")),
        NextPageTemplate("text"),
        PageBreak(),
    ]


def contents() -> list[Flowable]:
    """The table of contents, with dots up to the page numbers."""
    table_of_contents = TableOfContents(dotsMinLevel=0, levelStyles=layout.CONTENTS)
    paddings = [(f"{side}PADDING", (0, 0), (-1, -1), 0.6 if side in {"TOP", "BOTTOM"} else 0) for side in SIDES]
    table_of_contents.tableStyle = TableStyle([("VALIGN", (0, 0), (-1, -1), "TOP"), *paddings])
    return [Paragraph("Contents", layout.HEADINGS[1]), table_of_contents]


def story(manual: Manual, document: layout.Pages) -> list[Flowable]:
    """All flowables in order."""
    numbers = {name: number for number, name in enumerate(manual.notes, start=1)}
    found: list[Flowable] = [*cover(manual.head), *contents(), layout.Settled(document), PageBreak()]
    width = layout.WIDTH
    kinds = [*(block.kind for block in manual.blocks[1:]), ""]
    for block, following in zip(manual.blocks, kinds, strict=True):
        found += flowables(block, following, width, numbers)
        width = {"columns": layout.COLUMN, "end": layout.WIDTH}.get(block.kind, width)
    return found


def make(source: Path, target: Path) -> int:
    """Write the PDF file and return the number of its pages."""
    manual = read(source.read_text(encoding="utf-8"))
    document = layout.Pages(target, manual.head, manual.notes)
    document.multiBuild(story(manual, document))
    return document.page


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Make the manual of the meter Sentry-5.")
    parser.add_argument("target", nargs="?", type=Path, default=TARGET, help="the PDF file (default: in the archive)")
    target = parser.parse_args().target
    print(f"{target.name}: {make(SOURCE, target)} pages")


if __name__ == "__main__":
    main()
