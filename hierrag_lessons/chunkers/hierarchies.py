"""Spans nested in spans: a document, its sections, their chunks.

Lesson 02 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from hierrag_lessons import checks
from hierrag_lessons.chunkers.sentence import SentenceChunker
from hierrag_lessons.chunkers.structure.chunker import StructureChunker
from hierrag_lessons.model import Chunker, Document, Hierarchy, Node


class Level(IntEnum):
    """The levels below the document itself, which is level 0."""

    DOCUMENT = 1
    SECTION = 2
    CHUNK = 3
    PROPOSITION = 4


COURSE_CHUNKERS = (StructureChunker(2000, 600), StructureChunker(600, 200), StructureChunker(200, 80))
"""Parts of at most 2,000 tokens, sections of at most 600, leaves of at most 200: the sizes that the "Hierarchical RAG
study note" of 2026 recommends. All are cut by structure, so that every node has its heading path as context."""

BROAD_CHUNKERS = (StructureChunker(3600, 1800), StructureChunker(600, 300), StructureChunker(100, 40))
"""The second standard, for when the share of a parent's children that was found should mean something: parts of at
most 3,600 tokens, sections of at most 600, leaves of at most 100. In the course's texts of both languages the median
section has five leaves, and nine sections in ten have four to eight; a part that is more than one section has five or
six of them. With ``COURSE_CHUNKERS`` the median section has two leaves, and one in ten has four to eight."""


def build_hierarchy(document: Document, chunkers: Sequence[Chunker]) -> Hierarchy:
    """Run each chunker inside each node of the level above, and link the results.

    Parameters
    ----------
    document:
        The document; it becomes the only node of level 0.
    chunkers:
        One for each level below, from coarse to fine. ``chunkers[0]`` runs on the whole document, ``chunkers[1]``
        inside each of its chunks, and so on.

    Returns
    -------
    Hierarchy
        ``len(chunkers) + 1`` levels. A blank document has only its root, and empty levels below.

    Raises
    ------
    ValueError
        Where ``chunkers`` is no list of chunkers or empty, or a chunker returns a chunk outside the span that it was
        given.
    """
    checks.instance("document", document, Document)
    steps: list[Any] = checks.each("chunkers", chunkers, object)
    for place, chunker in enumerate(steps):
        checks.able(f"chunkers[{place}]", chunker, "chunk")
    if not steps:
        raise ValueError("chunkers is empty; give one chunker for each level below the document")
    root = Node(f"{document.doc_id}:0:0-{len(document.text)}", document.doc_id, 0, 0, len(document.text), document.text)
    levels: list[tuple[Node, ...]] = [(root,)]
    for level, chunker in enumerate(steps, start=1):
        nodes: list[Node] = []
        for parent in levels[-1]:
            for chunk in chunker.chunk(document, within=parent.span):
                if chunk.start < parent.start or chunk.end > parent.end:
                    raise ValueError(
                        f"{type(chunker).__name__} returned {chunk.chunk_id}, outside {parent.start}-{parent.end}; "
                        "a chunker must keep to the span given as `within`"
                    )
                nodes.append(
                    Node(
                        # Overlapping parents can hold equal children, so the parent's position is part of the name.
                        node_id=f"{document.doc_id}:{level}:{parent.position}:{chunk.start}-{chunk.end}",
                        doc_id=document.doc_id,
                        level=level,
                        start=chunk.start,
                        end=chunk.end,
                        text=chunk.text,
                        context=chunk.context,
                        parent_id=parent.node_id,
                        position=len(nodes),
                        metadata=chunk.metadata,
                    )
                )
        levels.append(tuple(nodes))
    return Hierarchy(document, tuple(levels))


def course_hierarchy(document: Document) -> Hierarchy:
    """The hierarchy that the lessons on retrievers share, made by ``COURSE_CHUNKERS``; the leaves are level 3."""
    return build_hierarchy(document, COURSE_CHUNKERS)


def broad_hierarchy(document: Document) -> Hierarchy:
    """A hierarchy of four to eight children a parent, made by ``BROAD_CHUNKERS``; the leaves are level 3.

    >>> document = Document("rain", "It rained all day. " * 80)
    >>> [len(tree.leaves) for tree in (course_hierarchy(document), broad_hierarchy(document))]
    [3, 5]
    """
    return build_hierarchy(document, BROAD_CHUNKERS)


def sentence_hierarchy(document: Document) -> Hierarchy:
    """The course's hierarchy and, as level 4, the sentences of each leaf under its headings."""
    tree, one = course_hierarchy(document), SentenceChunker(max_sentences=1)
    found = [(leaf, chunk) for leaf in tree.leaves for chunk in one.chunk(document, within=leaf.span)]
    sentences = [
        Node(f"{chunk.doc_id}:4:{place}", chunk.doc_id, 4, *chunk.span, chunk.text, leaf.context, leaf.node_id, place)
        for place, (leaf, chunk) in enumerate(found)
    ]
    return Hierarchy(document, (*tree.levels, tuple(sentences)))
