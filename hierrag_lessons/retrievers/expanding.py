"""Parent expansion: from what was found to the larger piece that it stands in.

Lesson 17 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hierrag_lessons import checks
from hierrag_lessons.chunkers import Level
from hierrag_lessons.model import Hit, Node, Passage
from hierrag_lessons.retrievers.passages import with_fields
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
    checks.able("index", index, "snapshot")
    checks.whole("top", top, 0)
    if not isinstance(found, Sequence) or not all(isinstance(item, Passage | Hit) for item in found):
        raise ValueError(f"found is {found!r:.80}; give a list of passages or hits")
    index = index.snapshot()
    given = [_as_passages(index, item) for item in found]
    nodes = [passages[0].hits[0].node for passages in given]
    above = index.lineages(nodes, top)
    targets: list[list[Hit]] = []  # for each that was given the node to return, or none
    for passages, node in zip(given, nodes, strict=True):
        size = cover(passage.span for passage in passages)
        line = [node, *(family.parent for family in above[node.node_id])]
        # A line can end above `top`, and begin there: the passage of a document's summary comes from level 1.
        in_one_piece = (each for each in line if each.level >= top and len(each.spans) == 1)
        larger = (each for each in in_one_piece if cover(each.spans) > size and _holds(each, passages))
        target = next(larger, None)
        targets.append([] if target is None else [Hit(target, passages[0].score)])
    expanded = zip(given, resolve_batch(index, targets), strict=True)
    return _once(replace(passage, hits=before[0].hits) for before, after in expanded for passage in (after or before))


def _holds(node: Node, passages: Iterable[Passage]) -> bool:
    return all(node.start <= passage.start and passage.end <= node.end for passage in passages)


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
        merged = with_fields(replace(known, score=max(known.score, passage.score), hits=hits))
        distinct[passage.doc_id, passage.start, passage.end] = merged
    return list(distinct.values())
