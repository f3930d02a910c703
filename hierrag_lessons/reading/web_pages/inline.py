"""Running text of a web page: what stands inside a line."""

from __future__ import annotations

import regex
from bs4 import Tag

from hierrag_lessons.reading.web_pages.page import BLOCKS, attribute, walk

_CODE = frozenset(("code", "kbd", "samp", "tt"))
_SPACE = regex.compile(r"[ \t\r\n\f]+")  # HTML's white space; a no-break space is none


def longest_run(text: str, sign: str = "`") -> int:
    """The length of the longest run of a sign in a text."""
    return max((len(run) for run in regex.findall(regex.escape(sign) + "+", text)), default=0)


def is_inline_leaf(tag: Tag) -> bool:
    """Whether :func:`add_inline` takes an element as a whole."""
    return tag.name in _CODE or tag.name in ("br", "img")


def verbatim(tag: Tag) -> str:
    """The text of an element with its white space; ``<br>`` and the edges of blocks are line breaks."""
    text = ""
    for node, entered in walk(tag, lambda _: False):
        if isinstance(node, str):
            text += node
        elif (node.name == "br" and entered) or (node.name in BLOCKS and text and not text.endswith("\n")):
            text += "\n"
    return text


def add_inline(pieces: list[str], node: Tag | str) -> None:
    """Append what a text or an element puts into a line: code in backticks, an image's alternative text, …."""
    if isinstance(node, str):
        pieces.append(_SPACE.sub(" ", node))
    elif node.name == "br":
        pieces.append("\n")
    elif node.name == "img":
        pieces.append(_SPACE.sub(" ", attribute(node, "alt")))
    elif node.name in _CODE:
        pieces.append(_code_span(_SPACE.sub(" ", verbatim(node))))
    elif node.name == "sup" and pieces and pieces[-1][-1:].isdigit() and regex.match(r"\s*[-+−]?\d", node.get_text()):
        pieces.append("^")  # 10<sup>6</sup> is no 106.


def _code_span(code: str) -> str:
    if not code.strip():
        return code
    fence = "`" * (longest_run(code) + 1)
    pad = " " if code[0] == "`" or code[-1] == "`" else ""
    return f"{fence}{pad}{code}{pad}{fence}"


def tidy(text: str) -> str:
    """Join runs of blanks, and drop those at the edges of the text and of its lines."""
    return regex.sub(r" ?\n ?", "\n", regex.sub(" {2,}", " ", text)).strip()


def one_line(tag: Tag) -> str:
    """The text of an element on a single line, as a table cell or a caption needs it."""
    pieces: list[str] = []
    for node, entered in walk(tag, is_inline_leaf):
        if isinstance(node, Tag) and node.name in BLOCKS:
            pieces.append(" ")
        elif entered:
            add_inline(pieces, node)
    return tidy("".join(pieces).replace("\n", " "))
