"""A web page as Markdown: the page is made simple first, and markdownify writes it with the course's conventions.

Lesson 07 uses it.
"""

from __future__ import annotations

from itertools import groupby

import regex
from bs4 import Tag
from bs4.element import PageElement
from markdownify import MarkdownConverter

from hierrag_lessons.reading.html_content import HEADINGS, attribute, drop, main_content, names, number
from hierrag_lessons.reading.html_tables import TABLE_PARTS, is_layout, write_table

_PLAIN_BLOCKS = names(
    "address article aside body center details dialog div fieldset figcaption figure footer form header hgroup legend "
    "main nav search section summary"
)
_LISTS = names("dir dl menu ol ul")
_SAME = {"dir": "ul", "menu": "ul", "tt": "code"}
_BLOCKS = TABLE_PARTS | _PLAIN_BLOCKS | _LISTS | {*HEADINGS, "blockquote", "dd", "dt", "hr", "li", "p", "pre", "table"}


def to_markdown(html: str) -> str:
    """The main content of a page as Markdown, ended by a line feed; empty where the page shows no text.

    Raises ``ValueError`` where elements are nested too deep.
    """
    converter = _Converter(
        strip=["a", "b", "del", "em", "hr", "i", "s", "strong", "sub"],  # their text stays, without a mark
        escape_asterisks=False,
        escape_underscores=False,
        wrap=True,  # line breaks of the source are blanks, …
        wrap_width=None,  # … and no others are made
    )
    written = []
    for root in main_content(html):
        drop(root)
        _simplify(root)
        written.append(converter.convert_soup(root).strip("\n"))
    text = "\n\n".join(filter(None, written))
    return text and text + "\n"


# --- making a page simple --------------------------------------------------------------------------------------------


def _simplify(root: Tag) -> None:
    """Put every running text into a paragraph, number items, and make one line of what Markdown wants in one line."""
    for tag in [root, *root.find_all(True)]:
        if tag.name == "table" and is_layout(tag):
            own = [part for part in tag.find_all(TABLE_PARTS) if part.find_parent("table") is tag]
            for part in [tag, *own]:
                part.name = "div"
        elif tag.name in (*HEADINGS, "caption", "dt", "td", "th"):
            _make_one_line(tag)
        elif tag.name == "pre":
            _make_verbatim(tag)
        elif tag.name == "ol":
            _number_items(tag)
        elif tag.name in _PLAIN_BLOCKS or (tag.name == "p" and tag.find(_BLOCKS)):
            tag.name = "div"
        else:
            tag.name = _SAME.get(tag.name, tag.name)
    for tag in [root, *root.find_all(True)]:
        if tag.name in ("blockquote", "dd", "div", "li", *_LISTS) or (tag.name not in _BLOCKS and tag.find(_BLOCKS)):
            _make_paragraphs(tag)


def _make_one_line(tag: Tag) -> None:
    for part in tag.find_all([*_BLOCKS, "br"]):
        part.name = "line-part"


def _make_verbatim(pre: Tag) -> None:
    for part in pre.find_all([*_BLOCKS, "br"]):
        if part.name == "br" or not part.get_text().endswith("\n"):
            part.append("\n")
        part.name = "span"


def _number_items(ol: Tag) -> None:
    items = ol.find_all("li", recursive=False)
    backwards = ol.has_attr("reversed")
    value = number(ol, "start", len(items) if backwards else 1)
    for item in items:
        value = number(item, "value", value)
        item["value"] = str(value)
        value += -1 if backwards else 1


def _make_paragraphs(tag: Tag) -> None:
    """Wrap each run of text and inline elements, where it stands among blocks, in a ``<p>``."""
    runs = [(is_block, list(nodes)) for is_block, nodes in groupby(tag.contents, _is_block)]
    tag.clear()
    for is_block, nodes in runs:
        if is_block:
            tag.extend(nodes)
        elif any(isinstance(node, Tag) or node.get_text().strip() for node in nodes):
            paragraph = Tag(name="p")
            tag.append(paragraph)
            paragraph.extend(nodes)


def _is_block(node: PageElement) -> bool:
    return isinstance(node, Tag) and (node.name in _BLOCKS or node.find(_BLOCKS) is not None)


# --- writing Markdown ------------------------------------------------------------------------------------------------

# Lines of running text that Markdown would take for a heading, a list, a quote, a fence, an underline or a rule.
_LOOKS_LIKE_MARKUP = regex.compile(r"#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|`{3,}[^`]*$|~{3}|(?:=+|--+|__+|\*\*+)$")


class _Converter(MarkdownConverter):
    """markdownify's converter for a page that was made simple, with the course's lists, code and tables."""

    def convert_p(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        written = []
        for part in regex.split("\n{2,}", _tidy(text)):  # two <br> part a paragraph
            lines = [f"\\{line}" if _LOOKS_LIKE_MARKUP.match(line) else line for line in part.split("\n")]
            written.append("\n".join(lines))
        text = "\n\n".join(written)
        # The list in an item follows its first line at once.
        tight = el.parent is not None and el.parent.name in ("dd", "li") and el.previous_sibling is None
        return f"\n\n{text}{chr(10) if tight else chr(10) * 2}" if text else ""

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: N802
        return f"\n\n{'#' * n} {_tidy(text)}\n\n" if text.strip() else ""

    def convert_br(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return "\n"

    def convert_line_part(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f" {text} "

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return attribute(el, "alt")

    def convert_sup(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        before = el.previous_element
        is_power = isinstance(before, str) and before[-1:].isdigit() and regex.match(r"\s*[-+−]?\d", text)
        return f"^{text}" if is_power else text  # 10<sup>6</sup> is no 106.

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        code = el.get_text()
        if not code.strip():
            return ""
        names = " ".join(attribute(tag, "class") for tag in [el, *el.find_all("code", limit=1)])
        language = regex.search(r"(?<!\S)lang(?:uage)?-([\w+#.-]+)", names)
        fence = "`" * max(3, 1 + max(map(len, regex.findall("`+", code)), default=0))
        end = "" if code.endswith("\n") else "\n"
        return f"\n\n{fence}{language[1] if language else ''}\n{code}{end}{fence}\n\n"

    def convert_blockquote(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"\n\n{_behind('> ', '> ', text)}\n\n" if text.strip() else ""

    def convert_list(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        nested = el.parent is not None and el.parent.name in ("dd", "li")
        # A paragraph goes on through a line that begins with another number than 1.
        first = el.find("li", recursive=False) if el.name == "ol" else None
        tight = nested and (first is None or attribute(first, "value") == "1")
        return f"{chr(10) if tight else chr(10) * 2}{text.strip(chr(10))}\n\n"

    convert_ul = convert_ol = convert_list

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        numbered = el.parent is not None and el.parent.name == "ol"
        return _item(f"{attribute(el, 'value')}. " if numbered else "- ", text)

    def convert_dt(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        before = el.find_previous_sibling()
        gap = "\n\n" if before is not None and before.name != "dt" else ""
        return f"{gap}{_tidy(text)}\n" if text.strip() else ""

    def convert_dd(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return _item(": ", text)

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        captions = [_tidy(self.convert_soup(part)) for part in el.find_all("caption", recursive=False)]
        table = write_table(el, lambda cell: _tidy(self.convert_soup(cell)))
        return "\n\n" + "\n\n".join(filter(None, [*captions, table])) + "\n\n"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return text

    convert_th = convert_td


def _tidy(text: str) -> str:
    """Join runs of blanks, and drop those at the edges of the text and of its lines."""
    return regex.sub(r" ?\n ?", "\n", regex.sub(r"[ \f]+", " ", text)).strip()


def _item(marker: str, text: str) -> str:
    """The item of a list; one with several blocks is followed by an empty line."""
    text = text.strip("\n ")
    end = "\n\n" if "\n\n" in text else "\n"
    return f"{_behind(marker, ' ' * len(marker), text)}{end}" if text else ""


def _behind(marker: str, indent: str, text: str) -> str:
    """A text behind a marker, its further lines behind an indentation; no line ends in blanks for it."""
    first, *lines = text.strip("\n ").split("\n")
    return "\n".join([marker + first, *((indent + line) if line else indent.rstrip() for line in lines)])
