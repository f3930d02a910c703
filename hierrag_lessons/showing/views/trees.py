"""A hierarchy as an indented tree.

Lesson 04 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from hierrag_lessons import checks
from hierrag_lessons.model import Hierarchy, Hit, Node
from hierrag_lessons.showing.views.outline import Line, OutlineView, node_line
from hierrag_lessons.showing.views.view import count
from hierrag_lessons.text import count_tokens


def hit_scores(hierarchy: Hierarchy, hits: Iterable[Hit]) -> dict[str, float]:
    """Node id to score for the hits in this document; the best score where a node was found twice.

    Raises ``ValueError`` for a hit in this document that is none of its nodes.
    """
    checks.instance("hierarchy", hierarchy, Hierarchy)
    scores: dict[str, float] = {}
    known = {node.node_id for node in hierarchy}
    for hit in checks.each("hits", hits, Hit):
        node_id = hit.node.node_id
        if hit.doc_id != hierarchy.document.doc_id:
            continue
        if node_id not in known:
            raise ValueError(f"the hit {node_id} is no node of this hierarchy; was the index built from another one?")
        scores[node_id] = max(hit.score, scores.get(node_id, hit.score))
    return scores


def nodes_above(hierarchy: Hierarchy, node_ids: Iterable[str]) -> set[str]:
    """The ids of all nodes that one of these nodes lies in: parents, their parents, up to the root."""
    above: set[str] = set()
    for node_id in node_ids:
        parent = hierarchy.parent(hierarchy.node(node_id))
        while parent and parent.node_id not in above:
            above.add(parent.node_id)
            parent = hierarchy.parent(parent)
    return above


@dataclass(frozen=True, repr=False)
class TreeView(OutlineView):
    """A hierarchy as an indented tree, each node with its level, offsets, size and first words.

    With ``hits``, a node is unfolded only where a hit lies below it, and every hit is marked. Hits in other documents
    are counted in the caption. Raises ``ValueError`` for a hit in this document that is none of its nodes.
    """

    hierarchy: Hierarchy
    hits: Sequence[Hit] = ()

    def __post_init__(self) -> None:
        hit_scores(self.hierarchy, self.hits)

    @property
    def caption(self) -> str:
        """The document, the number of nodes at each level, the number of hits."""
        levels = ", ".join(f"{len(nodes)} at level {level}" for level, nodes in enumerate(self.hierarchy.levels))
        hits = f"; {count(len(self._scores), 'hit')}" if self.hits else ""
        elsewhere = sum(hit.doc_id != self.hierarchy.document.doc_id for hit in self.hits)
        others = f", {elsewhere} in other documents" if elsewhere else ""
        return f"{self.hierarchy.document.doc_id}: {levels}{hits}{others}"

    def lines(self) -> Iterator[Line]:
        """The root, with what lies below it."""
        yield self._line(self.hierarchy.root)

    @cached_property
    def _scores(self) -> dict[str, float]:
        return hit_scores(self.hierarchy, self.hits)

    @cached_property
    def _unfolded(self) -> set[str]:
        """Nodes whose children are shown: those above a hit, or all where there are no hits."""
        return nodes_above(self.hierarchy, self._scores) if self.hits else {node.node_id for node in self.hierarchy}

    def _line(self, node: Node) -> Line:
        notes = [f"level {node.level}", f"{node.start}-{node.end}", count(count_tokens(node.text), "token")]
        if node.node_id in self._scores:
            notes.append(f"HIT {self._scores[node.node_id]:.3f}")
        children = self.hierarchy.children(node)
        found = sum(child.node_id in self._scores for child in children)
        if found:
            notes.append(f"{found} of {len(children)} below it hit")
        below = tuple(self._below(children)) if node.node_id in self._unfolded else ()
        return Line(node_line(notes, node.text), node.node_id in self._scores, below)

    def _below(self, children: Sequence[Node]) -> Iterator[Line]:
        """The children, and for those that lead to no hit, a line that counts them."""
        for leads, run in groupby(children, self._leads_to_hit):
            nodes = list(run)
            if leads:
                yield from map(self._line, nodes)
            else:
                yield Line(f"… {count(len(nodes), 'node')} of level {nodes[0].level} without a hit")

    def _leads_to_hit(self, node: Node) -> bool:
        return node.node_id in self._unfolded or node.node_id in self._scores
