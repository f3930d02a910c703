"""The decisions of an auto-merging retriever as a tree.

Lesson 15 uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from hierrag_lessons import checks
from hierrag_lessons.model import Node, Span
from hierrag_lessons.retrievers import MAJORITY, MergeDecision, MergeTrace
from hierrag_lessons.showing.views.outline import Line, OutlineView, node_line
from hierrag_lessons.showing.views.view import count
from hierrag_lessons.spans import overlap
from hierrag_lessons.text import count_tokens


@dataclass(frozen=True, repr=False)
class MergeView(OutlineView):
    """What a query hit, which parents took the place of their children, which did not, and why.

    Every node that was hit and every parent that was asked has a line: ``HIT`` with its score, ``MERGED`` or ``KEPT
    APART`` with the children found and the rule that decided, and the number of the passage that it became, which is
    also marked. Of a node inside a merged one nothing is returned by itself. The document with the best hit is first.
    """

    trace: MergeTrace

    def __post_init__(self) -> None:
        checks.instance("trace", self.trace, MergeTrace)

    @property
    def caption(self) -> str:
        """The query, the number of hits, of parents merged and asked, of passages."""
        asked, merged = len(self.trace.decisions), sum(decision.merged for decision in self.trace.decisions)
        hits, passages = count(len(self.trace.hits), "hit"), count(len(self.trace.passages), "passage")
        return f"{self.trace.query}: {hits}, {merged} of {count(asked, 'parent')} merged, {passages}"

    def lines(self) -> Iterator[Line]:
        """The nodes without a parent among those that are shown, each with what lies below it."""
        return (self._line(node, True) for node in self._nodes.values() if node.parent_id not in self._nodes)

    @cached_property
    def _decisions(self) -> dict[str, MergeDecision]:
        return {decision.parent.node_id: decision for decision in self.trace.decisions}

    @cached_property
    def _scores(self) -> dict[str, float]:
        return {hit.node.node_id: hit.score for hit in reversed(self.trace.hits)}

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        """All nodes to show, those of the document with the best hit first, each document from its start on."""
        nodes = [hit.node for hit in self.trace.hits] + [decision.parent for decision in self.trace.decisions]
        ranks = {doc_id: rank for rank, doc_id in enumerate(dict.fromkeys(node.doc_id for node in nodes))}
        nodes.sort(key=lambda node: (ranks[node.doc_id], node.start, node.level, node.node_id))
        return {node.node_id: node for node in nodes}

    @cached_property
    def _below(self) -> dict[str | None, list[Node]]:
        below: dict[str | None, list[Node]] = {}
        for node in self._nodes.values():
            below.setdefault(node.parent_id, []).append(node)
        return below

    def _line(self, node: Node, returned: bool) -> Line:
        """The node's line and those below it; ``returned`` says whether it is a passage of its own, if it is one."""
        name = f"{node.doc_id}: " if node.parent_id not in self._nodes else ""
        notes = [f"{name}level {node.level}", f"{node.start}-{node.end}", count(count_tokens(node.text), "token")]
        if node.node_id in self._scores:
            notes.append(f"HIT {self._scores[node.node_id]:.3f}")
        if node.node_id in self._decisions:
            notes.append(_verdict(self._decisions[node.node_id]))
        numbers = self._numbers(node) if returned and self._is_block(node) else []
        if returned and self._is_block(node):
            notes.append(f"PASSAGE {' and '.join(map(str, numbers))}" if numbers else "not among the best")
        return Line(node_line(notes, node.text), bool(numbers), tuple(self._lines_below(node, returned)))

    def _is_block(self, node: Node) -> bool:
        decision = self._decisions.get(node.node_id)
        return node.node_id in self._scores or (decision is not None and decision.merged)

    def _numbers(self, node: Node) -> list[int]:
        """The numbers of the passages that hold the node, or a part of what it stands for."""
        return [
            number
            for number, passage in enumerate(self.trace.passages, start=1)
            if passage.doc_id == node.doc_id and any(_holds(passage.span, span) for span in node.spans)
        ]

    def _lines_below(self, node: Node, returned: bool) -> Iterator[Line]:
        """The nodes below that are shown, and a line for the others."""
        shown = self._below.get(node.node_id, [])
        inside = not node.derived and self._is_block(node)
        yield from (self._line(child, returned and not inside) for child in shown)
        decision = self._decisions.get(node.node_id)
        if decision and decision.children > len(shown):
            more = count(decision.children - len(shown), "more node")
            yield Line(f"… {more} of level {shown[0].level}, not found")


def _verdict(decision: MergeDecision) -> str:
    children = "1 child" if decision.children == 1 else f"{decision.children} children"
    why = {
        "merged": "",
        "few": ", too few",
        "ratio": _below(decision),
        "level": ", but no parent so high is allowed",
        "derived": ", but its text is not theirs",
        "budget": f", but {decision.tokens} tokens are over the budget",
    }
    name = "MERGED" if decision.merged else "KEPT APART"
    return f"{name}, {len(decision.found)} of {children} found{why[decision.outcome]}"


def _below(decision: MergeDecision) -> str:
    if decision.size_share is not None:
        return f", {float(decision.size_share):.0%} of the text, below {float(decision.threshold):.0%}"
    return ", not more than half" if decision.threshold == MAJORITY else f", below {float(decision.threshold):.3g}"


def _holds(outer: Span, inner: Span) -> bool:
    return overlap(outer, inner) == inner.end - inner.start
