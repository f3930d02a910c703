"""What every retriever promises of a filter.

No lesson uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hierrag_lessons.contracts.answer import ask, given
from hierrag_lessons.contracts.promise import BrokenPromise, check_refused
from hierrag_lessons.contracts.shelf import EDITION, QUERIES, Shelf, otters
from hierrag_lessons.model import Document, Hit, Retriever, Where, allows

FILTERS: tuple[Where, ...] = ({"year": range(2020, 2022)}, {"edition": ["1", EDITION], "doc_id": ["copy 1", "tiny"]})
RARE = "Otter 7 swam away from the cat"
"""A query that nearly everything fits better than the one document that is asked for."""


def check_filters(retriever: Retriever, crowded: Retriever, shelf: Shelf) -> None:
    """Check that a filter is kept to, and that the search itself keeps to it; ``crowded`` has the otters."""
    for where in FILTERS:
        found = ask(retriever, QUERIES[:4], 6, shelf.documents, where)
        for query, passages in zip(QUERIES, found, strict=False):
            for hit in (hit for passage in passages for hit in passage.hits):
                if not _inside(hit, where, shelf.documents):
                    promise = "where: every hit of every passage is inside the filter"
                    raise BrokenPromise(promise, hit, {**given(retriever, query, 6), "where": where})
        if not any(found):
            promise = "where: what is inside the filter is found"
            raise BrokenPromise(promise, found, {**given(retriever, QUERIES[:4], 6), "where": where})
    _check_selective(crowded, shelf)
    unknown: Where = {"no such field": 1}
    promise = "refused: a filter on a field that the index has not raises a ValueError"
    shown = {**given(retriever, "cat", 5), "where": unknown}
    check_refused(promise, lambda: retriever.retrieve("cat", 5, unknown), shown, "no such field")


def _check_selective(retriever: Retriever, shelf: Shelf) -> None:
    """One document among others that fit much better."""
    documents, where = {**shelf.documents, "otters": otters()}, {"year": 2020}
    all_there = len(ask(retriever, [RARE], shelf.changing.count() + 10, documents, where)[0])
    for k in (1, 2):
        [found] = ask(retriever, [RARE], k, documents, where)
        if len(found) < max(1, min(k, all_there)):
            promise = "where: a filter that lets few documents through still gives k passages where there are that many"
            raise BrokenPromise(promise, found, {**given(retriever, RARE, k), "where": where})
        if any(passage.doc_id != "cats" for passage in found):
            promise = "where: every hit of every passage is inside the filter"
            raise BrokenPromise(promise, found, {**given(retriever, RARE, k), "where": where})


def _inside(hit: Hit, where: Where, documents: Mapping[str, Document]) -> bool:
    fields: dict[str, Any] = {**documents[hit.doc_id].metadata, "doc_id": hit.doc_id}
    return all(allows(wanted, fields.get(name)) for name, wanted in where.items())
