"""Sentences and turns below the leaves: the smallest things that are worth returning.

Lesson 20 builds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hierrag_lessons import checks
from hierrag_lessons.chunkers.dialogue import read_turns
from hierrag_lessons.model import Document, Hierarchy, Node, Span
from hierrag_lessons.text import split_sentences

SHORTEST = 60
"""Characters below which an English sentence is joined to its neighbour: too short to be found for itself."""

_HEADING = re.compile(r"#{1,6}[ \t]")


def make_units(hierarchy: Hierarchy) -> Hierarchy:
    """The hierarchy with one more level, its units: the sentences of each leaf, or the turns of a dialogue.

    >>> from hierrag_lessons import RecursiveChunker, build_hierarchy
    >>> text = "Otters hold hands in their sleep, so that no wave parts them. Dogs do not. Why would they sleep at sea?"
    >>> tree = make_units(build_hierarchy(Document("pets", text), [RecursiveChunker(200, measure=len)]))
    >>> [unit.text for unit in tree.leaves]
    ['Otters hold hands in their sleep, so that no wave parts them. Dogs do not. Why would they sleep at sea?']

    Units tile the leaf. Sentences of fewer than 60 characters are joined to the next one of their leaf, the last to the
    one before; in Chinese, where a sentence says more in fewer characters, they are not. A heading goes with what
    follows it, never with what is in front of it. A unit has the leaf's context.
    Only the units are searched. It is a level for :class:`~hierrag_lessons.retrievers.MultiLevelRetriever`.

    Raises ``ValueError`` for what is no hierarchy, and one that has units already.
    """
    checks.instance("hierarchy", hierarchy, Hierarchy)
    if hierarchy.units is not None:
        raise ValueError(f"the hierarchy of {hierarchy.document.doc_id!r} has units already; give it without them")
    level = len(hierarchy.levels)
    found = [(leaf, span) for leaf in hierarchy.leaves for span in _units(hierarchy.document, leaf.span)]
    units = tuple(
        Node(
            f"{leaf.doc_id}:{level}:{leaf.position}:{span.start}-{span.end}",
            leaf.doc_id,
            level,
            *span,
            hierarchy.document.text[span.start : span.end],
            leaf.context,
            leaf.node_id,
            position,
        )
        for position, (leaf, span) in enumerate(found)
    )
    return replace(hierarchy, levels=(*hierarchy.levels, units), searched=frozenset({level}), units=level)


def _units(document: Document, leaf: Span) -> Iterator[Span]:
    if document.kind == "dialogue":
        starts = [turn.start for turn in read_turns(document, leaf)]
    else:
        shortest = 1 if document.language == "zh" else SHORTEST
        runs = _runs(document, split_sentences(document.text, leaf))
        starts = [start for run in runs for start in _starts(run, shortest)]
    # What stands between two units, white space, belongs to the first.
    for place, start in enumerate(starts):
        yield Span(start if place else leaf.start, starts[place + 1] if place + 1 < len(starts) else leaf.end)


def _runs(document: Document, sentences: Sequence[Span]) -> list[list[Span]]:
    """The sentences in runs that are not joined to each other: each begins with a heading, or several."""
    runs: list[list[Span]] = []
    before = False
    for sentence in sentences:
        heading = document.kind == "markdown" and _HEADING.match(document.text, sentence.start) is not None
        if not runs or (heading and not before):
            runs.append([])
        runs[-1].append(sentence)
        before = heading
    return runs


def _starts(sentences: Sequence[Span], shortest: int) -> list[int]:
    starts: list[int] = []
    end = 0
    for sentence in sentences:
        if not starts or end - starts[-1] >= shortest:
            starts.append(sentence.start)
        end = sentence.end
    if len(starts) > 1 and end - starts[-1] < shortest:
        starts.pop()
    return starts
