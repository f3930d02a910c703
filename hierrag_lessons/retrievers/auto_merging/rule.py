"""The rule of auto-merging, without an index: hits and their ancestors in, nodes to return and decisions out.

Lesson 15 builds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Node, sort_key
from hierrag_lessons.retrievers.auto_merging.decisions import MAJORITY, KeptNode, MergeDecision, MergeOutcome, exact
from hierrag_lessons.store import Family
from hierrag_lessons.text import Measure, count_tokens


def topmost(
    node: str,
    found: Collection[str],
    children: Mapping[str, Sequence[str]],
    threshold: float | Fraction = MAJORITY,
) -> list[str]:
    """The rule in a few lines: a node stands for itself if it was found, or enough of its children stand.

    Returns the highest nodes at or below ``node`` that stand. :func:`merge_upwards` keeps the same nodes, and says why;
    it spares levels, derived texts and a budget as well.

    >>> children = {"top": ["left", "right"], "left": ["L1", "L2", "L3"], "right": ["R1", "R2"]}
    >>> topmost("top", {"L1", "L3", "R2"}, children)
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
        A share above 0, at most 1; by default more than one half.
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
    threshold: float | Fraction = MAJORITY,
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

    By default more than one half must be found: two children at least, or an only one, which has all of its parent's
    text. At 0.5 one hit in a family of two merges it, and nothing says that the other half is wanted.

    Parameters
    ----------
    hits:
        Of one query, from one level or several. Of a node that is there twice the better score counts.
    families:
        The ancestors of the hits by ``node_id``, each with the number of its children. An ancestor that is missing
        is never merged, nor is any above it.
    threshold:
        A share above 0, at most 1; by default more than one half.
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
    kept = {each.node.node_id: each for each in outermost(hits, families)}
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
                inside = inside_of(parent, kept.values(), families)
                if budget is not None:
                    tokens = total + size(parent.text) - sum(size(each.node.text) for each in inside)
                    outcome = "budget" if tokens > max(budget, total) else "merged"
            decisions.append(MergeDecision(parent, found, children, share, outcome, tokens))
            if outcome == "merged":
                total = total if tokens is None else tokens
                take_in(kept, parent, inside)
    return in_order(kept.values()), decisions


def inside_of(parent: Node, kept: Iterable[KeptNode], families: Mapping[str, Family]) -> list[KeptNode]:
    """Those of the nodes kept that lie anywhere below the parent."""
    return [each for each in kept if parent.node_id in line_up(each.node, families)]


def take_in(kept: dict[str, KeptNode], parent: Node, inside: Sequence[KeptNode]) -> None:
    """Put the parent in the place of the nodes inside it, with their hits."""
    for each in inside:
        del kept[each.node.node_id]
    kept[parent.node_id] = with_hits(parent, inside)


def with_hits(node: Node, inside: Iterable[KeptNode]) -> KeptNode:
    """The node with all hits of the nodes inside it, best first."""
    return KeptNode(node, tuple(sorted((hit for each in inside for hit in each.hits), key=hit_order)))


def outermost(hits: Iterable[Hit], families: Mapping[str, Family]) -> list[KeptNode]:
    """Each node that was hit, with its hit and those of all nodes below it; nodes below another one are left out.

    A summary is no place for what was found below it: it holds only what it was made from.
    """
    distinct: dict[str, Hit] = {}
    for hit in sorted(hits, key=hit_order):
        distinct.setdefault(hit.node.node_id, hit)
    inside: dict[str, list[Hit]] = {}
    for node_id, hit in distinct.items():
        line = line_up(hit.node, families)
        above = [name for name in line if name in distinct and not distinct[name].node.derived]
        inside.setdefault(above[-1] if above else node_id, []).append(hit)
    return [KeptNode(distinct[node_id].node, tuple(own)) for node_id, own in inside.items()]


def line_up(node: Node, families: Mapping[str, Family]) -> Iterator[str]:
    """The ids of the node's ancestors, from its parent up, as far as they are known."""
    while node.parent_id is not None:
        yield node.parent_id
        if node.parent_id not in families:
            return
        node = families[node.parent_id].parent


def _asked(kept: Iterable[KeptNode], families: Mapping[str, Family], level: int) -> list[tuple[Node, tuple[Node, ...]]]:
    """The parents on one level that have nodes kept, with these in document order; the parent of the best hit first."""
    found: dict[str, list[KeptNode]] = {}
    for each in in_order(kept):
        parent_id = each.node.parent_id
        if parent_id is not None and parent_id in families and families[parent_id].parent.level == level:
            found.setdefault(parent_id, []).append(each)
    best = {parent_id: max(each.hits[0].score for each in own) for parent_id, own in found.items()}
    asked = [(families[parent_id].parent, tuple(each.node for each in own)) for parent_id, own in found.items()]
    return sorted(asked, key=lambda pair: (-best[pair[0].node_id], *text_order(pair[0])))


def in_order(kept: Iterable[KeptNode]) -> list[KeptNode]:
    """The nodes kept, in document order."""
    return sorted(kept, key=lambda each: text_order(each.node))


def text_order(node: Node) -> tuple[str, int, int, str]:
    """By document and place; nodes of one span by their ids."""
    return (node.doc_id, node.start, node.end, node.node_id)
