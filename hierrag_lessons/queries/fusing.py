"""One list of passages from several.

Lesson 21 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from hierrag_lessons.model import Passage, sort_key
from hierrag_lessons.ranking import reciprocal_rank_fusion, z_score_fusion
from hierrag_lessons.retrievers.passages import with_fields
from hierrag_lessons.retrievers.resolving import best_of_each

Fusion = Literal["reciprocal_rank", "z_score"]


def fuse(rankings: Sequence[Sequence[Passage]], fusion: Fusion) -> list[Passage]:
    """All passages, sorted by their fused scores; one that several rankings have has the hits of all of them."""
    if fusion == "reciprocal_rank":
        scores = reciprocal_rank_fusion([[_name(passage) for passage in ranking] for ranking in rankings])
    else:
        scores = z_score_fusion([{_name(passage): passage.score for passage in ranking} for ranking in rankings])
    same: dict[str, list[Passage]] = {}
    for ranking in rankings:
        for passage in ranking:
            same.setdefault(_name(passage), []).append(passage)
    return sorted((_joined(passages, scores[name]) for name, passages in same.items()), key=sort_key)


def in_this_order(passages: Sequence[Passage]) -> list[Passage]:
    """The passages in the order given, a span only where it first comes; their scores are 1 / rank."""
    distinct: dict[str, Passage] = {}
    for passage in passages:
        distinct.setdefault(_name(passage), passage)
    return [replace(passage, score=1 / rank) for rank, passage in enumerate(distinct.values(), start=1)]


def _name(passage: Passage) -> str:
    return f"{passage.doc_id}:{passage.start}-{passage.end}"


def _joined(passages: Sequence[Passage], score: float) -> Passage:
    hits = tuple(best_of_each(hit for passage in passages for hit in passage.hits))
    return with_fields(replace(passages[0], score=score, hits=hits))
