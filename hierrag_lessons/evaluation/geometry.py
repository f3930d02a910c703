"""Where the evidence of a question lies: how large a unit has to be to hold all of it.

Lesson 13 uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from hierrag_lessons import checks
from hierrag_lessons.evaluation.pieces import Located
from hierrag_lessons.model import Hierarchy

Geometry = Literal["leaf", "section", "part", "document", "documents"]
"""One leaf; several leaves of one section of at most 600 tokens; several of one part of at most 2,000; several parts of
one document; several documents."""

_LEVELS: tuple[tuple[Geometry, int], ...] = (("leaf", 3), ("section", 2), ("part", 1))


def geometry(evidence: Sequence[Located], hierarchies: Mapping[str, Hierarchy]) -> Geometry:
    """The smallest unit of the course's hierarchy that holds all pieces of evidence.

    >>> from hierrag_lessons import Document, Evidence, course_hierarchy, geometry
    >>> notes = Document("notes", "Cats purr when they are stroked. " * 40)
    >>> trees = {"notes": course_hierarchy(notes)}
    >>> first, last = Evidence("notes", 0, 32), Evidence("notes", 1287, 1319)
    >>> geometry([first], trees), geometry([first, last], trees)
    ('leaf', 'section')

    Parameters
    ----------
    evidence:
        The places of the pieces, one or more.
    hierarchies:
        What :func:`~hierrag_lessons.chunkers.course_hierarchy` makes of each document, by its ``doc_id``.

    Raises ``ValueError`` where there is no evidence, or a document's hierarchy is missing.
    """
    pieces = list(evidence)
    if not pieces:
        raise ValueError("evidence is empty; an unanswerable question has no geometry")
    checks.instance("hierarchies", hierarchies, Mapping)
    doc_ids = {piece.doc_id for piece in pieces}
    if missing := doc_ids - hierarchies.keys():
        raise ValueError(f"hierarchies has none of {sorted(missing)}; build it with course_hierarchy")
    if len(doc_ids) > 1:
        return "documents"
    start, end = min(piece.start for piece in pieces), max(piece.end for piece in pieces)
    for name, level in _LEVELS:
        nodes = hierarchies[pieces[0].doc_id].levels[level]
        if any(node.start <= start and end <= node.end for node in nodes):
            return name
    return "document"
