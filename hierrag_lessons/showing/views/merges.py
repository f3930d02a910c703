"""The decisions of an auto-merging retriever as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from hierrag_lessons.model import Node, Span
from hierrag_lessons.retrievers import MergeDecision, MergeTrace
from hierrag_lessons.showing.views import markup
from hierrag_lessons.showing.views.view import View, count
from hierrag_lessons.spans import overlap
from hierrag_lessons.text import count_tokens, snap

_PREVIEW = 60  # characters


@dataclass(frozen=True, repr=False)
class MergeView(View):
    """What a query hit, which parents took the place of their children, which did not, and why.

    Every node that was hit and every parent that was asked has a line: ``HIT`` with its score, ``MERGED`` or ``KEPT
    APART`` with the children found and the rule that decided, and the number of the passage that it became, which is
    also marked. Of a node inside a merged one nothing is returned by itself. The document with the best hit is first.
    """

    trace: MergeTrace

    @property
    def caption(self) -> str:
        """The query, the number of hits, of parents merged and asked, of passages."""
        asked, merged = len(self.trace.decisions), sum(decision.merged for decision in self.trace.decisions)
        hits, passages = count(len(self.trace.hits), "hit"), count(len(self.trace.passages), "passage")
        return f"{self.trace.query}: {hits}, {merged} of {count(asked, 'parent')} merged, {passages}"

    def body_html(self) -> str:
        """Nested ``<details>``, open."""
        return "".join(self._html(node, returned=True) for node in self._tops)

    def body_text(self) -> str:
        """One line a node, indented by its place in the tree."""
        return "\n".join(line for node in self._tops for line in self._lines(node, "", returned=True))

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

    @property
    def _tops(self) -> list[Node]:
        return [node for node in self._nodes.values() if node.parent_id not in self._nodes]

    def _line(self, node: Node, returned: bool) -> str:
        notes = [f"level {node.level}", f"{node.start}-{node.end}", count(count_tokens(node.text), "token")]
        if node.node_id in self._scores:
            notes.append(f"HIT {self._scores[node.node_id]:.3f}")
        if node.node_id in self._decisions:
            notes.append(_verdict(self._decisions[node.node_id]))
        if returned and self._is_block(node):
            numbers = " and ".join(map(str, self._numbers(node)))
            notes.append(f"PASSAGE {numbers}" if numbers else "not among the best")
        cut = snap(node.text, _PREVIEW)
        name = f"{node.doc_id}: " if node.parent_id not in self._nodes else ""
        return f"{name}{', '.join(notes)}: {node.text[:cut].rstrip()}{'…' if cut < len(node.text) else ''}"

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

    def _children(self, node: Node, returned: bool) -> Iterator[tuple[Node, bool] | str]:
        """What to show below a node: nodes, with whether they are returned by themselves, and a line for the others."""
        shown = self._below.get(node.node_id, [])
        inside = not node.derived and self._is_block(node)
        yield from ((child, returned and not inside) for child in shown)
        decision = self._decisions.get(node.node_id)
        if decision and decision.children > len(shown):
            yield f"… {count(decision.children - len(shown), 'more node')} of level {shown[0].level}, not found"

    def _lines(self, node: Node, indent: str, returned: bool) -> Iterator[str]:
        yield indent + markup.one_line(self._line(node, returned))
        for below in self._children(node, returned):
            if isinstance(below, str):
                yield f"{indent}  {below}"
            else:
                yield from self._lines(below[0], indent + "  ", below[1])

    def _html(self, node: Node, returned: bool) -> str:
        below = "".join(
            markup.branch(item, "", marked=False) if isinstance(item, str) else self._html(*item)
            for item in self._children(node, returned)
        )
        marked = returned and self._is_block(node) and bool(self._numbers(node))
        return markup.branch(self._line(node, returned), below, marked)


def _verdict(decision: MergeDecision) -> str:
    children = "1 child" if decision.children == 1 else f"{decision.children} children"
    why = {
        "merged": "",
        "ratio": f", below {float(decision.threshold):.3g}",
        "level": ", but no parent so high is allowed",
        "derived": ", but its text is not theirs",
        "budget": f", but {decision.tokens} tokens are over the budget",
    }
    name = "MERGED" if decision.merged else "KEPT APART"
    return f"{name}, {len(decision.found)} of {children} found{why[decision.outcome]}"


def _holds(outer: Span, inner: Span) -> bool:
    return overlap(outer, inner) == inner.end - inner.start
