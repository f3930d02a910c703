"""Parent expansion: from what was found to the larger piece that it stands in.

Lesson 17 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hierrag_lessons.chunkers import Level
from hierrag_lessons.model import Hit, Node, Passage
from hierrag_lessons.retrievers.resolving import best_of_each, resolve_batch
from hierrag_lessons.spans import cover
from hierrag_lessons.store import Index


def expand(index: Index, found: Sequence[Passage | Hit], *, top: int = Level.SECTION) -> list[Passage]:
    """For each passage or hit the next larger piece of its document, as an agent may ask for it.

    From the best hit's node upwards, the first node is returned that is one piece of the document, holds what was given
    and is larger. So a chunk that was returned for a proposition gives its section, and not the chunk again. Where
    there is no such node up to the level ``top``, what was given comes back. Several that stand in one piece give it
    once, where the first of them stood, with the best of their scores and all of their hits.

    There is one look-up for each level, however many passages there are, and one for the texts.

    Parameters
    ----------
    index:
        The index that it was found in, of any hierarchies.
    found:
        Passages with their hits, or hits.
    top:
        The highest level to climb to; 0 for the whole document.

    Raises
    ------
    ValueError
        For a passage without hits: nothing says which node it comes from.
    """
    index = index.snapshot()
    given = [_as_passages(index, item) for item in found]
    nodes = [passages[0].hits[0].node for passages in given]
    above = lineages(index, nodes, top)
    targets: list[list[Hit]] = []
    for passages, node in zip(given, nodes, strict=True):
        size = cover(passage.span for passage in passages)
        larger = (
            each
            for each in (node, *above[node.node_id])
            if each.level >= top and len(each.spans) == 1 and cover(each.spans) > size
            if all(each.start <= passage.start and passage.end <= each.end for passage in passages)
        )
        targets.append([Hit(each, passages[0].score) for each in larger][:1])
    expanded = zip(given, resolve_batch(index, targets), strict=True)
    return _once(replace(passage, hits=before[0].hits) for before, after in expanded for passage in (after or before))


def lineages(index: Index, nodes: Iterable[Node], top: int) -> dict[str, list[Node]]:
    """By ``node_id`` the nodes above each node, the nearest first, up to the level ``top``; one look-up a level."""
    below = {node.node_id: node for node in nodes}
    above: dict[str, Node] = {}
    step: Iterable[Node] = below.values()
    while parents := {node.parent_id for node in step if node.level > top and node.parent_id} - above.keys():
        step = index.nodes(sorted(parents))
        above |= {node.node_id: node for node in step}
    return {name: [each for each in _climb(node, above) if each.level >= top] for name, node in below.items()}


def _climb(node: Node, above: Mapping[str, Node]) -> Iterator[Node]:
    while node.parent_id in above:
        node = above[str(node.parent_id)]
        yield node


def _as_passages(index: Index, item: Passage | Hit) -> list[Passage]:
    if isinstance(item, Hit):
        return resolve_batch(index, [[item]])[0]
    if not item.hits:
        raise ValueError(
            f"the passage {item.doc_id}:{item.start}-{item.end} has no hits, so nothing says which node it comes from; "
            "give a passage as a retriever returned it"
        )
    return [item]


def _once(passages: Iterable[Passage]) -> list[Passage]:
    """Passages with one span as one, where the first of them stands."""
    distinct: dict[tuple[str, int, int], Passage] = {}
    for passage in passages:
        known = distinct.setdefault((passage.doc_id, passage.start, passage.end), passage)
        hits = tuple(best_of_each((*passage.hits, *known.hits)))
        merged = replace(known, score=max(known.score, passage.score), hits=hits)
        distinct[passage.doc_id, passage.start, passage.end] = merged
    return list(distinct.values())
