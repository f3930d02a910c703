"""The manual's pages: styles, running heads and feet, footnotes at the foot of the page they belong to."""

from pathlib import Path

from reportlab.lib.colors import Color, black, white
from reportlab.lib.enums import TA_JUSTIFY, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, IndexingFlowable, PageTemplate, Paragraph

PAGE_WIDTH, PAGE_HEIGHT = A4
LEFT, RIGHT, TOP, BOTTOM = 26 * mm, 23 * mm, 27 * mm, 24 * mm
WIDTH = PAGE_WIDTH - LEFT - RIGHT
GUTTER = 7 * mm
COLUMN = (WIDTH - GUTTER) / 2
GREY = Color(0.88, 0.9, 0.92)
BLUE = Color(0.1, 0.25, 0.42)

_HYPHENS = {"hyphenationLang": "en_GB", "hyphenationMinWordLength": 6, "embeddedHyphenation": 1}
BODY = ParagraphStyle(
    "body", fontName="Times-Roman", fontSize=10.6, leading=14.2, alignment=TA_JUSTIFY, spaceAfter=6.5, **_HYPHENS
)
ITEM = ParagraphStyle("item", BODY, leftIndent=20, bulletIndent=2, spaceAfter=4.5)
CALLOUT = ParagraphStyle(
    "callout", BODY, leftIndent=8, rightIndent=8, borderPadding=6, borderWidth=0.8, borderColor=black, spaceBefore=12
)
CALLOUT.spaceAfter = 16
NOTE = ParagraphStyle("note", BODY, fontSize=8.5, leading=10.5, leftIndent=10, firstLineIndent=-10, spaceAfter=2)
CELL = ParagraphStyle("cell", fontName="Helvetica", fontSize=8.8, leading=11.2)
CELL_RIGHT = ParagraphStyle("cell right", CELL, alignment=TA_RIGHT)
CELL_HEAD = ParagraphStyle("cell head", CELL, fontName="Helvetica-Bold")
CAPTION = ParagraphStyle("caption", fontName="Helvetica-Bold", fontSize=9.2, leading=12, spaceBefore=6, spaceAfter=4)
TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=34, leading=42, textColor=BLUE)
COVER = ParagraphStyle("cover", fontName="Helvetica", fontSize=14, leading=20)
HEADINGS = {
    1: ParagraphStyle(
        "h1", fontName="Helvetica-Bold", fontSize=19, leading=24, spaceBefore=16, spaceAfter=12, textColor=BLUE
    ),
    2: ParagraphStyle("h2", fontName="Helvetica-Bold", fontSize=13, leading=17, spaceBefore=8, spaceAfter=6),
    3: ParagraphStyle("h3", fontName="Helvetica-Bold", fontSize=11, leading=14, spaceBefore=6, spaceAfter=4),
}
CONTENTS = [
    ParagraphStyle("toc1", fontName="Helvetica-Bold", fontSize=9.5, leading=12, spaceBefore=3.4),
    ParagraphStyle("toc2", fontName="Helvetica", fontSize=9, leading=10.9, leftIndent=14),
]


class Settled(IndexingFlowable):
    """Asks for another pass until the footnotes' pages and the number of pages are those of the pass before."""

    def __init__(self, document: "Pages") -> None:
        super().__init__()
        self.document = document

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        """It takes no room."""
        return 0, 0

    def draw(self) -> None:
        """It shows nothing."""

    def isSatisfied(self) -> bool:  # noqa: N802 - the name is the library's
        """Whether this pass has come out as the one before."""
        return self.document.settle()


class Pages(BaseDocTemplate):
    """The document: one template for the cover, one for text, one with two columns.

    `notes` are the footnotes' texts by name; they are numbered in their order. Where they stand is found in passes:
    each pass keeps room at the foot of the pages on which the pass before has met their marks.
    """

    def __init__(self, path: Path, head: dict[str, str], notes: dict[str, str]) -> None:
        super().__init__(
            str(path),
            pagesize=A4,
            invariant=1,
            title=f"{head['title']}: {head['subtitle']}",
            author=head["maker"].split(",")[0],
            subject=f"{head['document']}, {head['edition']}",
        )
        self.head = head
        numbered = enumerate(notes.items(), start=1)
        self.notes = {name: Paragraph(f"<super>{n}</super> {text}", NOTE) for n, (name, text) in numbered}
        self.found: dict[str, int] = {}
        self.expected: dict[str, int] = {}
        self.total = 0
        self.chapter = ""
        whole = Frame(LEFT, BOTTOM, WIDTH, PAGE_HEIGHT - TOP - BOTTOM, 0, 0, 0, 0, id="whole")
        columns = [
            Frame(x, BOTTOM, COLUMN, PAGE_HEIGHT - TOP - BOTTOM, 0, 0, 0, 0, id=f"column {x:.0f}")
            for x in (LEFT, LEFT + COLUMN + GUTTER)
        ]
        self.addPageTemplates(
            [
                PageTemplate("cover", [whole], onPage=self._cover),
                PageTemplate("text", [whole], onPage=self._begin, onPageEnd=self._furniture),
                PageTemplate("columns", columns, onPage=self._begin, onPageEnd=self._furniture),
            ]
        )

    def settle(self) -> bool:
        """Take over what this pass has found; True if it is what was expected."""
        state = (self.found, self.page)
        same = state == (self.expected, self.total)
        self.expected, self.total = dict(self.found), self.page
        return same

    def handle_documentBegin(self) -> None:  # noqa: N802 - the name is the library's
        """Forget what the pass before has found."""
        self.found, self.chapter = {}, ""
        super().handle_documentBegin()

    def handle_pageBegin(self) -> None:  # noqa: N802 - the name is the library's
        """Keep room for the footnotes that are expected on the page that begins."""
        reserve = sum(self._height(name) for name, page in self.expected.items() if page == self.page + 1)
        bottom = BOTTOM + (reserve + 9 if reserve else 0)
        for frame in self.pageTemplate.frames:
            frame.y1, frame.height = bottom, PAGE_HEIGHT - TOP - bottom
        super().handle_pageBegin()

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 - the name is the library's
        """Report headings to the table of contents and to the outline."""
        level = getattr(flowable, "heading_level", 0)
        if not level:
            return
        text = flowable.getPlainText()
        if level == 1:
            self.chapter = text
        if level <= 2:
            key = f"heading-{self.seq.nextf('heading')}-{self.page}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(text, key, level - 1, closed=level == 1)
            self.notify("TOCEntry", (level - 1, text, self.page, key))

    def _height(self, name: str) -> float:
        return float(self.notes[name].wrap(WIDTH, PAGE_HEIGHT)[1]) + NOTE.spaceAfter

    def _cover(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        canvas.setFillColor(BLUE)
        canvas.rect(0, PAGE_HEIGHT - 60 * mm, PAGE_WIDTH, 60 * mm, stroke=0, fill=1)
        canvas.setFillColor(white)
        canvas.setFont("Helvetica-Bold", 26)
        canvas.drawString(LEFT, PAGE_HEIGHT - 38 * mm, "NORTHMERE")

    def _begin(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        # The marks of footnotes call this when they are drawn.
        canvas.setNamedCB("footnote", lambda _canvas, _kind, name: self.found.setdefault(name, self.page))

    def _furniture(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        canvas.saveState()
        canvas.setFillColor(black)
        canvas.setLineWidth(0.4)
        canvas.setFont("Helvetica", 8.5)
        head, foot = PAGE_HEIGHT - 18 * mm, 14 * mm
        canvas.drawString(LEFT, head, f"{self.head['title']} {self.head['subtitle']}")
        canvas.drawRightString(PAGE_WIDTH - RIGHT, head, self.chapter)
        canvas.line(LEFT, head - 4, PAGE_WIDTH - RIGHT, head - 4)
        canvas.line(LEFT, foot + 11, PAGE_WIDTH - RIGHT, foot + 11)
        canvas.drawString(LEFT, foot, f"{self.head['document']} · {self.head['edition']}")
        canvas.drawRightString(PAGE_WIDTH - RIGHT, foot, f"Page {self.page} of {self.total}")
        names = [name for name, page in self.expected.items() if page == self.page]
        y = BOTTOM + sum(self._height(name) for name in names)
        if names:
            canvas.line(LEFT, y + 3, LEFT + 50 * mm, y + 3)
        for name in names:
            note = self.notes[name]
            y -= self._height(name)
            note.drawOn(canvas, LEFT, y + NOTE.spaceAfter)
        canvas.restoreState()
