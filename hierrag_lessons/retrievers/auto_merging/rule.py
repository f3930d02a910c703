"""The rule of auto-merging, without an index: hits and their ancestors in, blocks and decisions out.

Lesson 15 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Literal, NamedTuple

from hierrag_lessons.model import Hit, Node, sort_key
from hierrag_lessons.store import Family
from hierrag_lessons.text import Measure, count_tokens

Outcome = Literal["merged", "ratio", "level", "derived", "budget"]


class Block(NamedTuple):
    """A node to return: one that was hit, or a parent that took the place of its children; with the hits in it."""

    node: Node
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class MergeDecision:
    """Whether one parent took the place of its children, and why.

    ``found`` are its children that were hit or merged before, each once, in document order, of ``children`` in all.
    ``outcome`` is ``"merged"``, or the first rule that forbade it: the ``"ratio"`` is below the threshold; the parent
    is above the highest ``"level"`` allowed; its text is ``"derived"``, so it is not the text of its children; the
    ``"budget"`` would be exceeded. ``tokens`` is the size that all blocks have, or would have had, with the parent in
    place; ``None`` where the budget was not asked.
    """

    parent: Node
    found: tuple[Node, ...]
    children: int
    threshold: Fraction
    outcome: Outcome
    tokens: int | None = None

    @property
    def merged(self) -> bool:
        """Whether the parent took the place of its children."""
        return self.outcome == "merged"

    @property
    def ratio(self) -> Fraction:
        """The share of the parent's children that were found."""
        return Fraction(len(self.found), self.children)


def exact(threshold: float | Fraction) -> Fraction:
    """The fraction that is meant by a number such as ``0.6`` or ``2 / 3``, which a float only comes close to.

    Raises ``ValueError`` where it is not above 0 and at most 1.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold is {threshold}; give a share of children above 0 and at most 1, for example 0.5")
    return Fraction(threshold).limit_denominator(1_000_000)


def hit_order(hit: Hit) -> tuple[float, str, int, int, str]:
    """``sort_key``, and after it the node's id: a section and its only paragraph can have one span."""
    return (*sort_key(hit), hit.node.node_id)


def merge_upwards(
    hits: Iterable[Hit],
    families: Mapping[str, Family],
    threshold: float | Fraction = 0.5,
    *,
    highest_level: int = 1,
    budget: int | None = None,
    measure: Measure = count_tokens,
) -> tuple[list[Block], list[MergeDecision]]:
    """Let parents take the place of their children where enough of them were found, level by level upwards.

    A parent is merged where ``found children / children >= threshold``; equality merges, and both sides are exact
    fractions. Found is a child that was hit, or that took the place of its own children before. Each counts once,
    however often it was hit. Parents are asked from the lowest level up, so that a merged parent counts for its own
    parent, and each of them once: after that, nothing more could be merged. On one level the parent with the best hit
    comes first.

    Nothing is invented: every block is a hit or an ancestor of one. A hit inside another hit joins that block.

    Parameters
    ----------
    hits:
        Of one query, from one level or several. Of a node that is there twice the better score counts.
    families:
        The ancestors of the hits by ``node_id``, each with the number of its children. An ancestor that is missing
        is never merged, nor is any above it.
    threshold:
        A share above 0, at most 1.
    highest_level:
        No parent above it (with a lower number) is merged; 1 spares the whole document.
    budget:
        A merge that makes the blocks larger is not done where their sum would be above it. A merge that makes them
        no larger is always done, and hits are never taken away: they may exceed the budget by themselves. A summary
        counts with its own text.
    measure:
        Size of a text, in the unit of ``budget``.

    Returns
    -------
    tuple[list[Block], list[MergeDecision]]
        The blocks in document order, each with its hits, best first; no block is an ancestor of another one. And every
        decision, in the order in which they were made.

    Raises
    ------
    ValueError
        For a threshold out of its range.

    Method: "auto-merging retriever" of LlamaIndex (2023), without its faults: it counts children as often as they are
    listed, fills in neighbours that nobody found, and needs more than the threshold.
    """
    share, size = exact(threshold), cache(measure)
    blocks = {block.node.node_id: block for block in _outermost(hits, families)}
    total = 0 if budget is None else sum(size(block.node.text) for block in blocks.values())
    decisions: list[MergeDecision] = []
    for level in sorted({family.parent.level for family in families.values()}, reverse=True):
        for parent, found in _asked(blocks.values(), families, level):
            children, tokens, inside = families[parent.node_id].children, None, list[Block]()
            outcome: Outcome = "merged"
            if Fraction(len(found), children) < share:
                outcome = "ratio"
            elif level < highest_level:
                outcome = "level"
            elif parent.derived:
                outcome = "derived"
            else:
                # Not only children: what was not merged below them lies in the parent as well.
                inside = [block for block in blocks.values() if parent.node_id in _line_up(block.node, families)]
                if budget is not None:
                    tokens = total + size(parent.text) - sum(size(block.node.text) for block in inside)
                    outcome = "budget" if tokens > max(budget, total) else "merged"
            decisions.append(MergeDecision(parent, found, children, share, outcome, tokens))
            if outcome == "merged":
                total = total if tokens is None else tokens
                for block in inside:
                    del blocks[block.node.node_id]
                hits_inside = (hit for block in inside for hit in block.hits)
                blocks[parent.node_id] = Block(parent, tuple(sorted(hits_inside, key=hit_order)))
    return sorted(blocks.values(), key=lambda block: _place(block.node)), decisions


def _outermost(hits: Iterable[Hit], families: Mapping[str, Family]) -> list[Block]:
    """Each node that was hit, with its hit and those of all nodes below it; nodes below another one are left out.

    A summary is no place for what was found below it: it holds only what it was made from.
    """
    distinct: dict[str, Hit] = {}
    for hit in sorted(hits, key=hit_order):
        distinct.setdefault(hit.node.node_id, hit)
    inside: dict[str, list[Hit]] = {}
    for node_id, hit in distinct.items():
        line = _line_up(hit.node, families)
        above = [name for name in line if name in distinct and not distinct[name].node.derived]
        inside.setdefault(above[-1] if above else node_id, []).append(hit)
    return [Block(distinct[node_id].node, tuple(own)) for node_id, own in inside.items()]


def _line_up(node: Node, families: Mapping[str, Family]) -> Iterator[str]:
    """The ids of the node's ancestors, from its parent up, as far as they are known."""
    while node.parent_id is not None:
        yield node.parent_id
        if node.parent_id not in families:
            return
        node = families[node.parent_id].parent


def _asked(blocks: Iterable[Block], families: Mapping[str, Family], level: int) -> list[tuple[Node, tuple[Node, ...]]]:
    """The parents on one level that have blocks, with these in document order; the parent of the best hit first."""
    found: dict[str, list[Block]] = {}
    for block in sorted(blocks, key=lambda block: _place(block.node)):
        parent_id = block.node.parent_id
        if parent_id is not None and parent_id in families and families[parent_id].parent.level == level:
            found.setdefault(parent_id, []).append(block)
    best = {parent_id: max(block.hits[0].score for block in own) for parent_id, own in found.items()}
    asked = [(families[parent_id].parent, tuple(block.node for block in own)) for parent_id, own in found.items()]
    return sorted(asked, key=lambda pair: (-best[pair[0].node_id], *_place(pair[0])))


def _place(node: Node) -> tuple[str, int, int, str]:
    return (node.doc_id, node.start, node.end, node.node_id)
