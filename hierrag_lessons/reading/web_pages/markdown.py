"""The main content of a page as Markdown, and where in it each block stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import regex
from bs4 import Tag

from hierrag_lessons.reading.web_pages.inline import add_inline, is_inline_leaf, longest_run, tidy, verbatim
from hierrag_lessons.reading.web_pages.page import BLOCKS, HEADINGS, attribute, walk
from hierrag_lessons.reading.web_pages.tables import is_layout, number, read_table

BlockKind = Literal["heading", "paragraph", "list item", "table", "code", "quote"]


class Block(NamedTuple):
    """A block of the Markdown text: the range ``[start, end)`` in code points, and what it is."""

    start: int
    end: int
    kind: BlockKind


@dataclass(eq=False)
class _List:
    """An open list; ``number`` is None where its items are not numbered."""

    number: int | None = None
    step: int = 1
    written: bool = False


@dataclass(eq=False)
class _Container:
    """What indents or marks the lines inside it: a list item, a definition, a quote."""

    marker: str
    indent: str
    pending: bool = True


# Lines of running text that Markdown would take for a heading, a list, a quote, a fence, an underline or a rule.
_LOOKS_LIKE_MARKUP = regex.compile(r"#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|`{3,}[^`]*$|~{3}|(?:=+|--+|__+|\*\*+)$")


class _Writer:
    def __init__(self) -> None:
        self.pieces: list[str] = []  # of the text that is about to become a block
        self.heading = 0
        self.terms = 0
        self.lists: list[_List] = []
        self.containers: list[_Container] = []
        self.output: list[str] = []
        self.length = 0
        self.blocks: list[Block] = []
        self.last_containers: list[_Container] = []
        self.last_list: _List | None = None
        self.last_was_term = False

    def write(self, root: Tag) -> None:
        def is_leaf(tag: Tag) -> bool:
            return is_inline_leaf(tag) or tag.name == "pre" or (tag.name == "table" and not is_layout(tag))

        for node, entered in walk(root, is_leaf):
            if isinstance(node, str) or node.name not in BLOCKS:
                if entered:
                    add_inline(self.pieces, node)
                continue
            self.flush()
            if not entered:
                self.leave(node)
            elif node.name == "pre":
                self.write_code(node)
            elif is_leaf(node):
                texts, table = read_table(node)
                for text in texts:
                    self.pieces.append(text)
                    self.flush()
                if table:
                    self.write_block("table", table)
            else:
                self.enter(node)
        self.flush()

    def enter(self, tag: Tag) -> None:
        if tag.name in HEADINGS:
            self.heading = int(tag.name[1])
        elif tag.name == "ol":
            backwards = tag.has_attr("reversed")
            first = len(tag.find_all("li", recursive=False)) if backwards else 1
            self.lists.append(_List(number(tag, "start", first), -1 if backwards else 1))
        elif tag.name in ("dir", "dl", "menu", "ul"):
            self.lists.append(_List())
        elif tag.name == "li":
            marker = "- "
            if self.lists and self.lists[-1].number is not None:
                value = number(tag, "value", self.lists[-1].number)
                self.lists[-1].number = value + self.lists[-1].step
                marker = f"{value}. "
            self.containers.append(_Container(marker, " " * len(marker)))
        elif tag.name == "dd":
            self.containers.append(_Container(": ", "  "))
        elif tag.name == "dt":
            self.terms += 1
        elif tag.name == "blockquote":
            self.containers.append(_Container("> ", "> "))

    def leave(self, tag: Tag) -> None:
        if tag.name in HEADINGS:
            self.heading = 0
        elif tag.name in ("dir", "dl", "menu", "ol", "ul"):
            self.lists.pop()
        elif tag.name in ("blockquote", "dd", "li"):
            self.containers.pop()
        elif tag.name == "dt":
            self.terms -= 1

    def flush(self) -> None:
        """Make a block of the running text so far; an empty line in it (two ``<br>``) parts it."""
        text = tidy("".join(self.pieces))
        self.pieces = []
        if not text:
            return
        if self.heading:
            self.write_block("heading", f"{'#' * self.heading} {text.replace(chr(10), ' ')}")
            return
        for part in regex.split("\n{2,}", text):
            lines = [f"\\{line}" if _LOOKS_LIKE_MARKUP.match(line) else line for line in part.split("\n")]
            container = self.containers[-1] if self.containers else None
            kind: BlockKind = "paragraph"
            if self.terms:
                kind = "list item"
            elif container and container.marker == "> ":
                kind = "quote"
            elif container and container.pending:
                kind = "list item"
            self.write_block(kind, "\n".join(lines), with_marker=kind == "quote" or not self.terms)

    def write_code(self, pre: Tag) -> None:
        code = verbatim(pre).removeprefix("\n")  # A line break right after <pre> is none.
        if not code.strip():
            return
        inner = pre.find("code")
        names = f"{attribute(pre, 'class')} {attribute(inner, 'class') if inner else ''}"
        language = regex.search(r"(?<!\S)lang(?:uage)?-([\w+#.-]+)", names)
        fence = "`" * max(3, longest_run(code) + 1)
        end = "" if code.endswith("\n") else "\n"
        self.write_block("code", f"{fence}{language[1] if language else ''}\n{code}{end}{fence}")

    def write_block(self, kind: BlockKind, text: str, *, with_marker: bool = False) -> None:
        """Write a block behind what indents it; its span holds the marker where that makes it what it is."""
        if self.output:
            self._put("\n")
            if not self._is_tight(kind):
                shared = [a for a, b in zip(self.last_containers, self.containers, strict=False) if a is b]
                self._put("".join(container.indent for container in shared).rstrip() + "\n")
        indent = "".join(container.indent for container in self.containers)
        start = self.length
        for depth, container in enumerate(self.containers, start=1):
            if depth == len(self.containers) and with_marker and kind in ("list item", "quote"):
                start = self.length
                self._put(container.marker if container.pending else container.indent)
            else:
                self._put(container.marker if container.pending else container.indent)
                start = self.length
            container.pending = False
        first, *more = text.split("\n")
        self._put(first)
        for line in more:
            self._put("\n" + (indent + line if line else indent.rstrip()))
        self.blocks.append(Block(start, self.length, kind))
        self.last_containers = list(self.containers)
        self.last_list = self.lists[0] if self.lists else None
        self.last_was_term = self.terms > 0
        for opened in self.lists:
            opened.written = True

    def _is_tight(self, kind: BlockKind) -> bool:
        """Whether a block follows the last one without an empty line: items of one list do."""
        if kind != "list item" or self.blocks[-1].kind != "list item":
            return False
        if not self.lists or self.lists[0] is not self.last_list or (self.terms and not self.last_was_term):
            return False
        # A paragraph goes on through a line that begins with another number than 1.
        begins_at_one = bool(self.containers) and self.containers[-1].marker == "1. "
        return self.lists[-1].written or self.lists[-1].number is None or begins_at_one

    def _put(self, text: str) -> None:
        self.output.append(text)
        self.length += len(text)


def to_markdown(content: Iterable[Tag]) -> tuple[str, list[Block]]:
    """The Markdown of some elements, one after the other, and its blocks in order; nothing of either if all is empty.

    Blocks never overlap; between two of them stand only line breaks, indentation and markers.
    """
    writer = _Writer()
    for root in content:
        writer.write(root)
    return "".join([*writer.output, "\n"]) if writer.blocks else "", writer.blocks
