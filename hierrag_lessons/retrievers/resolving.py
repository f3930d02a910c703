"""From hits to the document's own text: a derived node stands for spans, and those are returned.

Lesson 16 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Passage, Span, sort_key
from hierrag_lessons.retrievers.passages import with_fields
from hierrag_lessons.store import Index

_Source = tuple[str, Span]  # a span of a document


def resolve(index: Index, hits: Sequence[Hit]) -> list[Passage]:
    """The spans that the hits stand for, as passages in the order of the hits.

    A plain node is its own span. A derived one, a summary or a proposition, gives a passage for each of its sources,
    with the hit's score. A span that several hits stand for is one passage, where the first of them stands, with the
    best of their scores and all of them as its hits.

    Raises ``KeyError`` where the index has not the document of a derived node.
    """
    checks.able("index", index, "snapshot")
    return resolve_batch(index, [checks.each("hits", hits, Hit)])[0]


def resolve_batch(index: Index, rankings: Sequence[Sequence[Hit]]) -> list[list[Passage]]:
    """``resolve`` for the hits of each query, with one look-up for the texts of all of them."""
    derived = (hit for hits in rankings for hit in hits if hit.node.derived)
    sources = list(dict.fromkeys((hit.doc_id, span) for hit in derived for span in hit.node.spans))
    texts = dict(zip(sources, index.slices(sources), strict=True)) if sources else {}
    return [_resolve(hits, texts) for hits in rankings]


def best_of_each(hits: Iterable[Hit]) -> list[Hit]:
    """The hits sorted by ``sort_key``, of a node that was hit more than once only the best."""
    distinct: dict[str, Hit] = {}
    for hit in sorted(hits, key=sort_key):
        distinct.setdefault(hit.node.node_id, hit)
    return list(distinct.values())


def _resolve(hits: Sequence[Hit], texts: Mapping[_Source, str]) -> list[Passage]:
    found: dict[_Source, list[Hit]] = {}
    for hit in hits:
        for span in hit.node.spans:
            found.setdefault((hit.doc_id, span), []).append(hit)
    return [_passage(source, own, texts) for source, own in found.items()]


def _passage(source: _Source, own: Sequence[Hit], texts: Mapping[_Source, str]) -> Passage:
    doc_id, (start, end) = source
    best = max(own, key=lambda hit: hit.score)  # the first of the best
    text = texts[source] if best.node.derived else best.node.text
    return with_fields(Passage(doc_id, start, end, text, best.node.context, best.score, tuple(best_of_each(own))))
