"""The outline of an index: what a reader sees of every section before opening it.

Lesson 22 builds it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hierrag_lessons import checks
from hierrag_lessons.model import Node
from hierrag_lessons.store import Index, Tree
from hierrag_lessons.summaries import ExtractiveSummariser
from hierrag_lessons.text import count_tokens

LONGEST_SUMMARY = 60
"""Tokens of a section's summary. It is one sentence; one that is longer is cut."""

_LONGEST_TITLE = 80  # characters of a document's first line
_SUMMARISER = ExtractiveSummariser(max_sentences=1)


@dataclass(frozen=True)
class Entry:
    """One line of an outline.

    Attributes
    ----------
    node:
        The section, or the document.
    title:
        Its headings; of a document its first line.
    tokens:
        The size of its text.
    sections:
        How many sections lie in it, one level down.
    summary:
        The sentence of its text that says most of what the others say, word for word.
    """

    node: Node
    title: str
    tokens: int
    sections: int
    summary: str

    @property
    def line(self) -> str:
        """The entry as a language model sees it: one JSON object."""
        shown = {
            "id": self.node.node_id,
            "title": self.title,
            "span": [self.node.start, self.node.end],
            "tokens": self.tokens,
            "sections": self.sections,
            "summary": self.summary,
        }
        return json.dumps(shown, ensure_ascii=False)

    def __str__(self) -> str:
        return f"{self.title}  [{self.tokens:,} tokens, {self.sections} sections]  {self.summary}"


class Contents:
    """The outline of all documents of an index. A summary is made when it is first asked for."""

    def __init__(self, tree: Tree) -> None:
        self._nodes, self._documents, self._children = tree.by_id, tree.documents, tree.children
        self._made: dict[str, Entry] = {}
        self._summaries: dict[tuple[str, int, int], str] = {}  # a section can be all that its document is

    def entry(self, node_id: str) -> Entry:
        """The entry of one section. Raises ``KeyError`` where there is none of this id."""
        if node_id not in self._made:
            node = self._nodes[node_id]
            sections = len(self._children.get(node_id, ()))
            self._made[node_id] = Entry(node, title_of(node), count_tokens(node.text), sections, self._summary(node))
        return self._made[node_id]

    def _summary(self, node: Node) -> str:
        place = (node.doc_id, *node.span)
        if place not in self._summaries:
            made = _SUMMARISER.summarise(self._documents[node.doc_id], [node], LONGEST_SUMMARY).text
            self._summaries[place] = " ".join(made.split())
        return self._summaries[place]

    def below(self, node_id: str | None) -> list[Entry]:
        """The entries one level below a section, in the order of the text; of ``None`` those of the documents."""
        return [self.entry(node.node_id) for node in self._children.get(node_id, ())]

    def beside(self, node_id: str) -> list[Entry]:
        """The entries of the section before and the section behind, on the same level of the same document."""
        node = self._nodes[node_id]
        around = [self._by_place.get((node.doc_id, node.level, node.position + step)) for step in (-1, 1)]
        return [self.entry(other) for other in around if other is not None]

    @cached_property
    def _by_place(self) -> dict[tuple[str, int, int], str]:
        return {(node.doc_id, node.level, node.position): node.node_id for node in self._nodes.values()}


def contents_of(tree: Tree) -> Contents:
    """The outline of an index's nodes, one for each commit of the index."""
    return tree.remember(Contents)


def outline(index: Index, node_id: str | None = None) -> list[Entry]:
    r"""The outline one level below a section, or of the documents.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, build_hierarchy, StructureChunker, temporary_index
    >>> text = "# Pets\n\n## Cats\n\nCats sleep all day in the sun.\n\n## Dogs\n\nDogs run on the beach."
    >>> pets = build_hierarchy(Document("pets", text, "markdown"), [StructureChunker(16, 1)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     print(outline(index, outline(index)[0].node.node_id)[-1])
    Pets › Dogs  [14 tokens, 0 sections]  Dogs run on the beach.

    It is the table of contents that PageIndex (Vectify AI, 2025) gives to a language model: titles, sizes and
    summaries in place of vectors. Here the levels are those of the hierarchy, and a summary is a sentence of the text.

    Raises ``ValueError`` for what is no index, ``KeyError`` where it has no such node.
    """
    checks.instance("index", index, Index)
    checks.text("node_id", node_id, none="the documents")
    contents = contents_of(index.tree())
    if node_id is not None:
        contents.entry(node_id)
    return contents.below(node_id)


def title_of(node: Node) -> str:
    """The headings of a section, or the first line of its text."""
    lines: Sequence[str] = node.text.strip().splitlines()
    first = lines[0].lstrip("# ") if lines else ""
    return node.context or (first if len(first) <= _LONGEST_TITLE else f"{first[: _LONGEST_TITLE - 1]}…")
