"""The threshold that grows with the budget used: easy merges while there is room, hard ones when it runs out.

Lesson 15 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache

from hierrag_lessons import checks
from hierrag_lessons.model import Hit
from hierrag_lessons.retrievers.auto_merging.decisions import KeptNode, MergeDecision, MergeOutcome
from hierrag_lessons.retrievers.auto_merging.rule import (
    hit_order,
    in_order,
    inside_of,
    line_up,
    outermost,
    take_in,
    with_hits,
)
from hierrag_lessons.store import Family
from hierrag_lessons.text import Measure, count_tokens

LEAST = 2
"""So many children are found before a parent is merged, or its only one."""


def merge_by_rank(
    hits: Iterable[Hit],
    families: Mapping[str, Family],
    budget: int,
    *,
    highest_level: int = 1,
    measure: Measure = count_tokens,
) -> tuple[list[KeptNode], list[MergeDecision]]:
    """Take the hits one after the other, best first, and merge a parent as soon as enough of its text was found.

    >>> from hierrag_lessons import Node
    >>> section = Node("s", "pets", 1, 0, 43, "Cats sleep. Dogs run. Fish swim. Hens sing.")
    >>> cats = Node("a", "pets", 2, 0, 11, "Cats sleep.", parent_id="s")
    >>> dogs = Node("b", "pets", 2, 12, 21, "Dogs run.", parent_id="s")
    >>> hits, families = [Hit(cats, 0.8), Hit(dogs, 0.6)], {"s": Family(section, children=4)}
    >>> for budget in (200, 30):
    ...     kept, [decision] = merge_by_rank(hits, families, budget, measure=len)
    ...     print(len(kept), decision.outcome, round(float(decision.threshold), 2))
    1 merged 0.37
    2 ratio 0.56

    After each hit its parent is asked, then the parent's parent if that was merged, and so on. A parent is merged where

    - two of its children were found, or its only one, and
    - they are at least the share ``1/3 * (1 + used / budget)`` of its text, and
    - the rest of it fits the budget that is left, or there is none.

    ``used`` is the size of all that is kept so far. So the first sections need a third of their text, and when the
    budget is full it takes two thirds. Hits are never taken away: when the budget is full they are kept as they are.

    Parameters and results are those of :func:`~hierrag_lessons.retrievers.auto_merging.rule.merge_upwards`; of a parent
    that was asked more than once the last decision is told, and its threshold is a share of its text.

    Raises ``ValueError`` for a level or a budget out of its range.

    Method: the Auto-Merge algorithm of "HiChunk: Evaluating and Enhancing Retrieval-Augmented Generation with
    Hierarchical Chunking" (2025, arXiv:2509.11552).
    """
    checks.whole("budget", budget, 1)
    checks.whole("highest_level", highest_level, 0)
    size = cache(measure)
    kept: dict[str, KeptNode] = {}
    decisions: dict[str, MergeDecision] = {}
    total = 0
    for found in sorted(outermost(hits, families), key=lambda each: hit_order(each.hits[0])):
        above = [name for name in line_up(found.node, families) if name in kept and not kept[name].node.derived]
        if above:  # It lies in a parent that was merged before.
            kept[above[0]] = with_hits(kept[above[0]].node, [kept[above[0]], found])
            continue
        kept[found.node.node_id] = found
        total += size(found.node.text)
        asked = found.node.parent_id
        while asked is not None and asked in families:
            parent, children = families[asked]
            own = tuple(each.node for each in in_order(each for each in kept.values() if each.node.parent_id == asked))
            share = Fraction(sum(size(node.text) for node in own), max(size(parent.text), 1))
            threshold = Fraction(1, 3) * (1 + Fraction(min(total, budget), budget))
            tokens, inside = None, list[KeptNode]()
            outcome: MergeOutcome = "merged"
            if len(own) < min(LEAST, children):
                outcome = "few"
            elif share < threshold:
                outcome = "ratio"
            elif parent.level < highest_level:
                outcome = "level"
            elif parent.derived:
                outcome = "derived"
            else:
                inside = inside_of(parent, kept.values(), families)
                tokens = total + size(parent.text) - sum(size(each.node.text) for each in inside)
                outcome = "budget" if tokens > max(budget, total) else "merged"
            decisions.pop(asked, None)
            decisions[asked] = MergeDecision(parent, own, children, threshold, outcome, tokens, share)
            if outcome != "merged" or tokens is None:
                break
            take_in(kept, parent, inside)
            total, asked = tokens, parent.parent_id
    return in_order(kept.values()), list(decisions.values())
