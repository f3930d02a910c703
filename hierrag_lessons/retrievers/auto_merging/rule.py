"""The rule of auto-merging, without an index: hits and their ancestors in, nodes to return and decisions out.

Lesson 15 builds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Literal, NamedTuple

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Node, sort_key
from hierrag_lessons.store import Family
from hierrag_lessons.text import Measure, count_tokens

MergeOutcome = Literal["merged", "ratio", "level", "derived", "budget"]


class KeptNode(NamedTuple):
    """A node to return: one that was hit, or a parent that took the place of its children; with the hits in it."""

    node: Node
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class MergeDecision:
    """Whether one parent took the place of its children, and why.

    ``found`` are its children that were hit or merged before, each once, in document order, of ``children`` in all.
    ``outcome`` is ``"merged"``, or the first rule that forbade it: the ``"ratio"`` is below the threshold; the parent
    is above the highest ``"level"`` allowed; its text is ``"derived"``, so it is not the text of its children; the
    ``"budget"`` would be exceeded. ``tokens`` is the size that all nodes kept have, or would have had, with the parent
    in place; ``None`` where the budget was not asked.
    """

    parent: Node
    found: tuple[Node, ...]
    children: int
    threshold: Fraction
    outcome: MergeOutcome
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
    checks.number("threshold", threshold, above=0, most=1)
    return Fraction(threshold).limit_denominator(1_000_000)


def topmost(
    node: str, found: Collection[str], children: Mapping[str, Sequence[str]], threshold: float | Fraction
) -> list[str]:
    """The rule in a few lines: a node stands for itself if it was found, or enough of its children stand.

    Returns the highest nodes at or below ``node`` that stand. :func:`merge_upwards` keeps the same nodes, and says why;
    it spares levels, derived texts and a budget as well.

    >>> children = {"top": ["left", "right"], "left": ["L1", "L2", "L3"], "right": ["R1", "R2"]}
    >>> topmost("top", {"L1", "L3", "R2"}, children, 0.6)
    ['left', 'R2']
    >>> topmost("top", {"L1", "L3", "R2"}, children, 0.5)
    ['top']

    Parameters
    ----------
    node:
        The name of the highest node that may be returned.
    found:
        The names of the nodes that were hit.
    children:
        For each node that has children their names.
    threshold:
        A share above 0, at most 1.
    """
    share = exact(threshold)

    def stands(node: str) -> bool:
        own = children.get(node, ())
        return node in found or (bool(own) and sum(map(stands, own)) >= share * len(own))

    if stands(node):
        return [node]
    return [name for child in children.get(node, ()) for name in topmost(child, found, children, share)]


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
) -> tuple[list[KeptNode], list[MergeDecision]]:
    """Let parents take the place of their children where enough of them were found, level by level upwards.

    >>> section = Node("s", "pets", 1, 0, 32, "Cats sleep. Dogs run. Fish swim.")
    >>> cats = Node("a", "pets", 2, 0, 11, "Cats sleep.", parent_id="s")
    >>> dogs = Node("b", "pets", 2, 12, 21, "Dogs run.", parent_id="s")
    >>> blocks, decisions = merge_upwards([Hit(cats, 0.8), Hit(dogs, 0.6)], {"s": Family(section, children=3)})
    >>> [block.node.text for block in blocks], decisions[0].ratio
    (['Cats sleep. Dogs run. Fish swim.'], Fraction(2, 3))

    A parent is merged where ``found children / children >= threshold``; equality merges, and both sides are exact
    fractions. Found is a child that was hit, or that took the place of its own children before. Each counts once,
    however often it was hit. Parents are asked from the lowest level up, so that a merged parent counts for its own
    parent, and each of them once: after that, nothing more could be merged. On one level the parent with the best hit
    comes first.

    Nothing is invented: every node kept is a hit or an ancestor of one. A hit inside another hit joins that node.
    :func:`topmost` is the same rule without levels, derived texts, a budget and reasons.

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
        A merge that makes the nodes larger is not done where their sum would be above it. A merge that makes them
        no larger is always done, and hits are never taken away: they may exceed the budget by themselves. A summary
        counts with its own text.
    measure:
        Size of a text, in the unit of ``budget``.

    Returns
    -------
    tuple[list[KeptNode], list[MergeDecision]]
        The nodes in document order, each with its hits, best first; none is an ancestor of another one. And every
        decision, in the order in which they were made.

    Raises
    ------
    ValueError
        For a threshold, a level or a budget out of its range.

    Method: "auto-merging retriever" of LlamaIndex (2023), without its faults: it counts children as often as they are
    listed, fills in neighbours that nobody found, and needs more than the threshold.
    """
    share, size = exact(threshold), cache(measure)
    checks.whole("highest_level", highest_level, 0)
    checks.whole("budget", budget, 1, none="no limit")
    kept = {each.node.node_id: each for each in _outermost(hits, families)}
    total = 0 if budget is None else sum(size(each.node.text) for each in kept.values())
    decisions: list[MergeDecision] = []
    for level in sorted({family.parent.level for family in families.values()}, reverse=True):
        for parent, found in _asked(kept.values(), families, level):
            children, tokens, inside = families[parent.node_id].children, None, list[KeptNode]()
            outcome: MergeOutcome = "merged"
            if Fraction(len(found), children) < share:
                outcome = "ratio"
            elif level < highest_level:
                outcome = "level"
            elif parent.derived:
                outcome = "derived"
            else:
                # Not only children: what was not merged below them lies in the parent as well.
                inside = [each for each in kept.values() if parent.node_id in _line_up(each.node, families)]
                if budget is not None:
                    tokens = total + size(parent.text) - sum(size(each.node.text) for each in inside)
                    outcome = "budget" if tokens > max(budget, total) else "merged"
            decisions.append(MergeDecision(parent, found, children, share, outcome, tokens))
            if outcome == "merged":
                total = total if tokens is None else tokens
                for each in inside:
                    del kept[each.node.node_id]
                hits_inside = (hit for each in inside for hit in each.hits)
                kept[parent.node_id] = KeptNode(parent, tuple(sorted(hits_inside, key=hit_order)))
    return sorted(kept.values(), key=lambda each: _text_order(each.node)), decisions


def _outermost(hits: Iterable[Hit], families: Mapping[str, Family]) -> list[KeptNode]:
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
    return [KeptNode(distinct[node_id].node, tuple(own)) for node_id, own in inside.items()]


def _line_up(node: Node, families: Mapping[str, Family]) -> Iterator[str]:
    """The ids of the node's ancestors, from its parent up, as far as they are known."""
    while node.parent_id is not None:
        yield node.parent_id
        if node.parent_id not in families:
            return
        node = families[node.parent_id].parent


def _asked(kept: Iterable[KeptNode], families: Mapping[str, Family], level: int) -> list[tuple[Node, tuple[Node, ...]]]:
    """The parents on one level that have nodes kept, with these in document order; the parent of the best hit first."""
    found: dict[str, list[KeptNode]] = {}
    for each in sorted(kept, key=lambda each: _text_order(each.node)):
        parent_id = each.node.parent_id
        if parent_id is not None and parent_id in families and families[parent_id].parent.level == level:
            found.setdefault(parent_id, []).append(each)
    best = {parent_id: max(each.hits[0].score for each in own) for parent_id, own in found.items()}
    asked = [(families[parent_id].parent, tuple(each.node for each in own)) for parent_id, own in found.items()]
    return sorted(asked, key=lambda pair: (-best[pair[0].node_id], *_text_order(pair[0])))


def _text_order(node: Node) -> tuple[str, int, int, str]:
    return (node.doc_id, node.start, node.end, node.node_id)
