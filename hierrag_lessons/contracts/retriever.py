"""Everything that a retriever promises, on a shelf of small indexes.

No lesson uses it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, replace
from itertools import pairwise
from math import isclose
from typing import TYPE_CHECKING, Any, cast

from hierrag_lessons import checks
from hierrag_lessons.contracts.answer import ask, ask_one, given
from hierrag_lessons.contracts.filters import check_filters
from hierrag_lessons.contracts.promise import BrokenPromise, check_counts, check_frozen, check_refused
from hierrag_lessons.contracts.shelf import (
    ODD_QUERIES,
    QUERIES,
    SUMMARY,
    BuildHierarchy,
    Shelf,
    TwoSidedEmbedder,
    make_shelf,
    otters,
    two_levels,
)
from hierrag_lessons.model import Document, Language, Passage, Retriever

if TYPE_CHECKING:
    from hierrag_lessons.store import Index

MakeRetriever = Callable[["Index"], Retriever]

COMING = "narwhal songs under arctic ice"
"""The query for a document that comes, changes and goes."""


def check_retriever(
    make_retriever: MakeRetriever,
    *,
    language: Language = "en",
    build_hierarchy: BuildHierarchy = two_levels,
    levels: Collection[int] | None = None,
    finds_all: bool = True,
) -> None:
    """Check everything that a retriever promises; return without a word where all of it holds.

    >>> from hierrag_lessons import FlatRetriever, check_retriever
    >>> check_retriever(FlatRetriever)
    >>> check_retriever(lambda index: FlatRetriever(index, level=1, mode="hybrid"))

    - A passage is an exact span of a document, never the words of a summary. It has the hits that led to it, which are
      of its document and share text with it.
    - Passages are sorted by ``(-score, doc_id, start, end)``, none is there twice, and there are at most ``k``. A
      larger ``k`` finds no fewer, and one that is large enough finds everything.
    - A query finds in a batch what it finds alone. A blank one finds nothing, and none is an error.
    - The results are the same every time, in whatever order documents were added, and follow each ``add`` and
      ``delete``.
    - A question is embedded as a question: with the embedder's ``encode_queries``, where it has one.
    - Where there is a parameter ``level`` or ``child_level``, hits are of that level only.
    - With ``where`` every hit of every passage is inside the filter, and a filter that lets few documents through still
      gives ``k`` passages where there are that many. One on an unknown field is refused.
    - A ``k`` below 1 or that is no number, and what is no query or no list of queries, is refused: ``ValueError``.
    - The parameters cannot be set, and those that count something are whole numbers.

    Parameters
    ----------
    make_retriever:
        Takes an index and returns the retriever, a frozen dataclass: its class, where all else has defaults.
    language:
        That of the index. A Chinese one matches words by characters.
    build_hierarchy, levels:
        What the retriever searches, where that cannot be sections of 12 words and leaves of 4, both searchable: how a
        document becomes a hierarchy, and which of its levels are searched (``None`` for the hierarchy's own choice).
    finds_all:
        False where a parameter limits how many passages there are, however large ``k`` is.

    Raises :class:`BrokenPromise` for the first promise that is broken.
    """
    checks.one_of("language", language, Language)
    checks.instance("finds_all", finds_all, bool)
    shelf = make_shelf(language, build_hierarchy, levels)
    retriever = make_retriever(shelf.index)
    check_frozen("retriever", retriever)
    check_counts("retriever", retriever)
    _check_requests(make_retriever, shelf)
    _check_queries(retriever, shelf)
    _check_numbers(retriever, shelf)
    if finds_all:
        _check_everything_is_found(make_retriever(shelf.changing), shelf)
    _check_sides(make_retriever(shelf.two_sided), shelf)
    _check_determinism(make_retriever, shelf)
    _check_commits(make_retriever, shelf)
    _check_levels(retriever, shelf)
    check_filters(retriever, make_retriever(shelf.changing), shelf)


def _check_requests(make_retriever: MakeRetriever, shelf: Shelf) -> None:
    retriever: Any = make_retriever(shelf.index)
    empty: Any = make_retriever(shelf.empty)
    for k in (0, -1, "2", 2.5, float("nan"), None):
        promise = f"refused: k={k!r} raises a ValueError"
        shown = given(retriever, QUERIES[0], k)
        check_refused(promise, lambda k=k: retriever.retrieve(QUERIES[0], k), shown, k)  # type: ignore[misc]
        check_refused(promise, lambda k=k: retriever.retrieve_batch(QUERIES, k), shown, k)  # type: ignore[misc]
        check_refused(promise, lambda k=k: empty.retrieve_batch([], k), given(empty, [], k), k)  # type: ignore[misc]
    for query in (None, 7, ["cat"]):
        promise = "refused: a query that is no text raises a ValueError"
        shown = given(retriever, query, 5)
        check_refused(promise, lambda query=query: retriever.retrieve(query), shown)  # type: ignore[misc]
        check_refused(promise, lambda query=query: retriever.retrieve_batch(["cat", query]), shown)  # type: ignore[misc]
    promise = "refused: one text in place of a list of queries raises a ValueError"
    check_refused(promise, lambda: retriever.retrieve_batch("cat"), given(retriever, "cat", 5))


def _check_queries(retriever: Retriever, shelf: Shelf) -> None:
    """Ordinary and odd queries, many and one at a time; and an index with nothing in it."""
    queries = [*QUERIES, *ODD_QUERIES, SUMMARY, QUERIES[1]]
    found = ask(retriever, queries, 20, shelf.documents)
    doc_ids = {passage.doc_id for passages in found for passage in passages}
    if len(doc_ids) < 3:
        promise = "any query: passages of several documents are found"
        raise BrokenPromise(promise, sorted(doc_ids), given(retriever, queries, 20))
    for query, passages in zip(queries, ask(retriever, queries, 4, shelf.documents), strict=True):
        alone = ask_one(retriever, query, 4, shelf.documents)
        if alone != passages:
            promise = "batch: a query finds in a batch what it finds alone, with the same scores"
            raise BrokenPromise(promise, passages, {**given(retriever, query, 4), "alone": alone})
        if passages and not query.strip():
            raise BrokenPromise("any query: a blank query finds nothing", passages, given(retriever, query, 4))
    if (nothing := ask(retriever, [], 4, shelf.documents)) != []:
        raise BrokenPromise("batch: no queries, no results", nothing, given(retriever, [], 4))


def _check_empty(retriever: Retriever) -> None:
    if ask_one(retriever, "dog", 5, {}) or any(ask(retriever, ["dog", ""], 3, {})):
        raise BrokenPromise("commits: nothing is found in an empty index", "passages", given(retriever, "dog", 5))


def _check_numbers(retriever: Retriever, shelf: Shelf) -> None:
    everything = shelf.index.count() + 10
    for query in QUERIES[:2]:
        sizes = {k: len(ask_one(retriever, query, k, shelf.documents)) for k in (1, 2, 3, everything)}
        if sizes[1] != 1 or any(few > more for few, more in pairwise(sizes.values())):
            promise = "k: where there are passages k=1 finds one, and a larger k finds no fewer"
            raise BrokenPromise(promise, f"so many for each k: {sizes}", given(retriever, query, [*sizes]))
        if (unsaid := retriever.retrieve(query)) != retriever.retrieve(query, 5):
            raise BrokenPromise("k: it is 5 where it is not given", unsaid, given(retriever, query, 5))


def _check_everything_is_found(retriever: Retriever, shelf: Shelf) -> None:
    everything, document = shelf.changing.count() + 10, otters()
    found = ask_one(retriever, "otter", everything, {**shelf.documents, document.doc_id: document})
    spans = [passage.span for passage in found if passage.doc_id == document.doc_id]
    places = [match.start() for match in re.finditer("Otter", document.text)]
    missed = [place for place in places if not any(span.start <= place < span.end for span in spans)]
    if missed:
        promise = "k: one that is large enough finds everything, and a parameter such as `candidates` does not stop it"
        shown = f"{len(missed)} of {len(places)} places with the word are missing"
        raise BrokenPromise(promise, shown, given(retriever, "otter", everything))


def _check_sides(retriever: Retriever, shelf: Shelf) -> None:
    embedder = cast("TwoSidedEmbedder", shelf.two_sided.embedder)
    embedder.documents.clear()
    ask(retriever, QUERIES, 12, shelf.documents)
    if wrong := [query for query in QUERIES if query in embedder.documents]:
        promise = "sides: a question is embedded by the embedder's encode_queries where it has one; call index.embed"
        raise BrokenPromise(promise, f"encode was given {wrong[0]!r}", given(retriever, QUERIES, 12))


def _check_levels(retriever: Any, shelf: Shelf) -> None:
    for name in ("level", "child_level"):
        if name not in {field.name for field in fields(retriever)}:
            continue
        for level in shelf.index.levels:
            try:
                made = replace(retriever, **{name: level})
            except ValueError:  # Another parameter speaks against this level.
                continue
            for query, passages in zip(QUERIES, ask(made, QUERIES, 20, shelf.documents), strict=True):
                others = [hit for passage in passages for hit in passage.hits if hit.node.level != level]
                if others:
                    promise = f"level: with {name}={level} every hit is of that level"
                    raise BrokenPromise(promise, others[0], given(made, query, 20))


def _check_determinism(make_retriever: MakeRetriever, shelf: Shelf) -> None:
    retriever, mirrored = make_retriever(shelf.index), make_retriever(shelf.mirrored)
    first = ask(retriever, QUERIES, 12, shelf.documents)
    asked = [("asked again", retriever), ("made again", make_retriever(shelf.index))]
    for again, other in asked:
        _compare(first, ask(other, QUERIES, 12, shelf.documents), f"determinism: {again}, it finds the same", other)
    found = ask(mirrored, QUERIES, 12, shelf.documents)
    _compare(first, found, "determinism: the order in which documents were added makes no difference", mirrored, 1e-5)


def _compare(
    first: Sequence[list[Passage]],
    second: Sequence[list[Passage]],
    promise: str,
    retriever: Retriever,
    noise: float = 0,
) -> None:
    """LanceDB adds up BM25 in the order of its rows, so there is ``noise`` in the last digits of scores.

    It is measured against the largest score: one near 0 may be the difference of two larger ones, as in a z-score.
    """
    for query, one, other in zip(QUERIES, first, second, strict=True):
        same = [_unscored(passage) for passage in one] == [_unscored(passage) for passage in other]
        scores = zip((passage.score for passage in one), (passage.score for passage in other), strict=False)
        most = noise * max((abs(passage.score) for passage in one), default=0.0)
        if not same or not all(isclose(*pair, rel_tol=noise, abs_tol=max(most, 1e-12)) for pair in scores):
            raise BrokenPromise(promise, other, {**given(retriever, query, 12), "before": one})


def _unscored(passage: Passage) -> tuple[object, ...]:
    """All of a passage but its scores."""
    return (passage.doc_id, passage.span, passage.text, passage.context, [hit.node for hit in passage.hits])


def _check_commits(make_retriever: MakeRetriever, shelf: Shelf) -> None:
    _check_empty(make_retriever(shelf.empty))
    index, retriever = shelf.changing, make_retriever(shelf.changing)
    queries = [COMING, *QUERIES[:2]]
    documents = {**shelf.documents, "otters": otters()}
    # Large enough that no rule of scoring, only staleness, keeps a document away.
    everything = index.count() + 10
    before = ask(retriever, queries, everything, documents)
    try:
        for text in (f"{COMING}. Nobody hears them.", f"Hardly anybody hears them: {COMING}."):
            document = Document("coming", text)
            index.add(shelf.build_hierarchy(document), levels=shelf.levels)
            found = ask(retriever, queries, everything, {**documents, "coming": document})
            if not any(passage.doc_id == "coming" for passage in found[0]):
                promise = "commits: a document that was added is found"
                raise BrokenPromise(promise, found[0], {**given(retriever, COMING, everything), "added": document})
    finally:
        index.delete(["coming"])
    for query, passages, first in zip(queries, ask(retriever, queries, everything, documents), before, strict=True):
        if [p.span for p in passages] != [p.span for p in first]:
            promise = "commits: when a document was deleted again, all is as before"
            raise BrokenPromise(promise, passages, {**given(retriever, query, everything), "before": first})
