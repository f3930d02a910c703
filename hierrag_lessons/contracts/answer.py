"""What every retriever promises of its answer to one request.

No lesson uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from hierrag_lessons.contracts.promise import BrokenPromise
from hierrag_lessons.model import Document, Passage, Retriever, Span, Where, sort_key
from hierrag_lessons.spans import overlap


def ask(
    retriever: Retriever,
    queries: Sequence[str],
    k: int,
    documents: Mapping[str, Document],
    where: Where | None = None,
) -> list[list[Passage]]:
    """The passages for each query, with all checked that holds for each answer."""
    try:
        found = retriever.retrieve_batch(queries, k) if where is None else retriever.retrieve_batch(queries, k, where)
    except Exception as error:
        promise = "any query: every query can be asked, whatever its characters"
        raise BrokenPromise(promise, error, given(retriever, queries, k)) from error
    if not isinstance(found, list) or len(found) != len(queries):
        promise = "any query: retrieve_batch returns a list of passages for each query"
        raise BrokenPromise(promise, found, given(retriever, queries, k))
    for query, passages in zip(queries, found, strict=True):
        check_answer(given(retriever, query, k), passages, k, documents)
    return found


def ask_one(retriever: Retriever, query: str, k: int, documents: Mapping[str, Document]) -> list[Passage]:
    """The passages for one query, checked likewise."""
    try:
        passages = retriever.retrieve(query, k)
    except Exception as error:
        promise = "any query: every query can be asked, whatever its characters"
        raise BrokenPromise(promise, error, given(retriever, query, k)) from error
    check_answer(given(retriever, query, k), passages, k, documents)
    return passages


def given(retriever: Retriever, query: object, k: object) -> dict[str, object]:
    """What a message shows of a request."""
    return {"retriever": retriever, "query": query, "k": k}


def check_answer(
    given: Mapping[str, object], passages: list[Passage], k: int, documents: Mapping[str, Document]
) -> None:
    """Check all that holds for the passages of one query; ``given`` is shown where something does not."""
    if not isinstance(passages, list) or not all(isinstance(passage, Passage) for passage in passages):
        raise BrokenPromise("any query: a list of Passage comes back", passages, given)
    if len(passages) > k:
        raise BrokenPromise("k: there are at most k passages", f"{len(passages)} passages", given)
    if not all(isfinite(passage.score) for passage in passages):
        raise BrokenPromise("order: every score is a finite number", [passage.score for passage in passages], given)
    places = [(-passage.score, passage.doc_id, *passage.span) for passage in passages]
    if passages != sorted(passages, key=sort_key):
        promise = "order: passages are sorted by (-score, doc_id, start, end), so that ties are settled"
        wrong = next(i for i, pair in enumerate(zip(places, sorted(places), strict=True)) if pair[0] != pair[1])
        raise BrokenPromise(promise, f"from number {wrong} on: {places[wrong : wrong + 3]}", given)
    if len({place[1:] for place in places}) < len(places):
        raise BrokenPromise("order: no span of a document is there twice", [place[1:] for place in places], given)
    for passage in passages:
        _check_text(given, passage, documents)
        _check_hits(given, passage)


def _check_text(given: Mapping[str, object], passage: Passage, documents: Mapping[str, Document]) -> None:
    document = documents.get(passage.doc_id)
    if document is None or not 0 <= passage.start < passage.end <= len(document.text):
        raise BrokenPromise("text: a passage is a span of a document in the index", passage, given)
    text = document.text[passage.start : passage.end]
    if passage.text != text:
        promise = "text: a passage's text is that of its span in the document, never the words of a summary"
        raise BrokenPromise(promise, passage, {**given, "the document has": text})


def _check_hits(given: Mapping[str, object], passage: Passage) -> None:
    if not passage.hits:
        raise BrokenPromise("hits: a passage has the hits that led to it", passage, given)
    if list(passage.hits) != sorted(passage.hits, key=sort_key):
        raise BrokenPromise("hits: the hits of a passage are sorted as passages are", passage.hits, given)
    for hit in passage.hits:
        near = any(overlap(Span(*span), passage.span) for span in hit.node.spans)
        if hit.doc_id != passage.doc_id or not near:
            promise = "hits: the hits of a passage are of its document, and share some text with it"
            raise BrokenPromise(promise, hit, {**given, "passage": passage})
