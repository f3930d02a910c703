"""What a browser makes of a view, and the things that the tests of views look at."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.model import Chunk, Document, Passage
from hierrag_lessons.showing import View

# Written out by hand, so that the pattern in markup.py is held against something else than itself.
DANGEROUS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls
    "\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f"  # directions and separators
    "\xad\u034f\u115f\u1160\u180e\u200b\u200c\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"  # no width, or blank
    "\ud800-\udfff\U000e0000-\U000e007f]"  # surrogates, tags
)
# What the sanitiser of JupyterLab 4 lets through in notebooks that are not trusted yet, as far as the views need it.
TAGS = {"b", "details", "div", "em", "li", "mark", "p", "pre", "span", "strong", "summary", "ul"}
# It takes the last three away. They are for the keyboard and the screen reader, and come back with the first run.
ATTRIBUTES = {"class", "dir", "open", "style", "tabindex", "role", "aria-label"}
PROPERTIES = {
    *("background-color", "background-image", "background-size", "border", "border-bottom", "border-left"),
    *("border-radius", "border-top", "color", "display", "flex", "flex-wrap", "font-family", "font-size"),
    *("font-weight", "gap", "line-height", "list-style", "margin", "max-height", "min-width", "overflow"),
    *("overflow-wrap", "overflow-x", "padding", "text-decoration", "white-space", "word-break"),
}


class Page(HTMLParser):
    """What a browser makes of a view, and a check that every tag is closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.styles, self.attributes = [], set(), [], set()
        self.text, self.documents, self.labels, self.marked, self.lines = "", [], [], [], []
        self.strings: list[str] = []  # what stands between two tags, where MathJax looks for formulas
        self.feed(re.sub("(<pre [^>]*>)\n", r"\1", source))  # A browser drops that line break, too.
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        # A span without attributes only sets a sign apart from the text around it.
        name = "line" if tag == "span" and attributes else tag
        self.open.append((name, attributes.get("class"), attributes.get("dir") == "auto"))
        self.tags.add(tag)
        self.attributes |= set(attributes)
        self.styles.append(attributes.get("style") or "")
        if attributes.get("dir") == "auto":
            self.documents.append("")
        if tag == "mark":
            self.marked.append("")
        if name == "line":
            self.lines.append("")
        if attributes.get("class") == "hierrag-label":
            self.labels.append("")

    def handle_endtag(self, tag):
        assert self.open.pop()[0].replace("line", "span") == tag

    def handle_data(self, data):
        names, classes = {tag for tag, _, _ in self.open}, {name for _, name, _ in self.open}
        self.text += data
        self.strings.append(data)
        if "line" in names:
            self.lines[-1] += data
        if "hierrag-label" in classes:
            self.labels[-1] += data
        elif any(is_document for _, _, is_document in self.open):
            self.documents[-1] += _restored(data) if "hierrag-hidden" in classes else data
            if "mark" in names:
                self.marked[-1] += _restored(data) if "hierrag-hidden" in classes else data


def _restored(mark: str) -> str:
    """The character that a mark stands for; bytes are left as they are."""
    return chr(int(mark[3:-1], 16)) if mark.startswith("<U+") else mark


def page_of(view: View) -> Page:
    """The view as a browser has it."""
    return Page(view._repr_html_())


def chunk_of(document: Document, start: int, end: int) -> Chunk:
    return Chunk(document.doc_id, start, end, document.text[start:end])


def passage_of(document: Document, start: int, end: int, score: float = 0.5, context: str = "") -> Passage:
    return Passage(document.doc_id, start, end, document.text[start:end], context, score)


@dataclass(frozen=True)
class Every:
    """Chunks of so many characters, the simplest chunker there is."""

    size: int

    def chunk(self, document, within=None):
        start, end = within or document.span
        return [chunk_of(document, i, min(i + self.size, end)) for i in range(start, end, self.size)]


TEXT = "One risk is rain.\n\nAnother is snow: 3.5 million days. 第三个风险是雾。" + " The end is near." * 3
REPORT = Document("report", TEXT)
TREE = build_hierarchy(REPORT, [Every(60), Every(20)])


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb`` as in WCAG 2.1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """Contrast of two colours as in WCAG 2.1, from 1 to 21."""
    light, dark = sorted([luminance(a), luminance(b)], reverse=True)
    return (light + 0.05) / (dark + 0.05)
