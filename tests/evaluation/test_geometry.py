"""Where evidence lies in the course's hierarchy."""

import pytest

from hierrag_lessons.chunkers import course_hierarchy
from hierrag_lessons.evaluation import Evidence, geometry
from hierrag_lessons.model import Document

TEXT = "\n\n".join(
    f"# Chapter {a}\n\n" + "\n\n".join(f"## Section {a}.{b}\n\n" + f"Fact {a}.{b} stands here. " * 60 for b in range(6))
    for a in range(2)
)
BOOK, NOTE = Document("book", TEXT, kind="markdown"), Document("note", "A short note.")
TREES = {document.doc_id: course_hierarchy(document) for document in (BOOK, NOTE)}


def at(node):
    return Evidence(node.doc_id, node.start, node.start + 4)


def pair(level, apart):
    """The first leaves of two nodes of ``level`` that have the same parent, or not."""
    nodes = TREES["book"].levels[level]
    return next(
        [at(first), at(second)]
        for first in nodes
        for second in nodes
        if first is not second and (first.parent_id == second.parent_id) != apart
    )


def test_each_geometry():
    leaf = TREES["book"].leaves[5]
    assert geometry([at(leaf), Evidence("book", leaf.end - 3, leaf.end)], TREES) == "leaf"
    assert geometry(pair(3, apart=False), TREES) == "section"
    assert geometry(pair(2, apart=False), TREES) == "part"
    assert geometry(pair(1, apart=False), TREES) == "document"
    assert geometry([at(leaf), Evidence("note", 0, 7)], TREES) == "documents"


def test_a_piece_across_a_border_needs_the_unit_that_holds_it():
    first, second = TREES["book"].leaves[:2]
    assert geometry([Evidence("book", first.start, second.end)], TREES) != "leaf"


def test_what_cannot_be_told_is_refused():
    with pytest.raises(ValueError, match="evidence is empty"):
        geometry([], TREES)
    with pytest.raises(ValueError, match=r"none of \['elsewhere'\]"):
        geometry([Evidence("elsewhere", 0, 5)], TREES)
