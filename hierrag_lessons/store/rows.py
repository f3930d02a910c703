"""How hierarchies become rows of an index: checked, embedded, and put into columns.

Lesson 02 builds it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from hierrag_lessons import checks
from hierrag_lessons.embedding import encode_queries
from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import Document, Hierarchy, Language, Node
from hierrag_lessons.spans import merge
from hierrag_lessons.store.columns import Column, column_arrays
from hierrag_lessons.store.schema import escape, place_key, row_schema
from hierrag_lessons.text import terms

if TYPE_CHECKING:
    from hierrag_lessons.model import Embedder

_ROUNDING = 0.01  # how far from 1 the length of a vector of 16-bit numbers can be


def as_hierarchies(given: Hierarchy | Iterable[Hierarchy]) -> list[Hierarchy]:
    """One hierarchy or many as a list. Raises ``ValueError`` for anything else, such as chunks."""
    one = isinstance(given, Hierarchy | str) or not isinstance(given, Iterable)
    batch: list[Any] = [given] if one else list(with_progress(given, "documents"))
    for each in batch:
        if not isinstance(each, Hierarchy):
            raise ValueError(
                f"hierarchies holds a {type(each).__name__}; give what build_hierarchy(document, chunkers) returns, "
                "one hierarchy for each document"
            )
    return batch


def searched_levels(hierarchy: Hierarchy, levels: Collection[int] | None, language: Language) -> set[int]:
    """The levels of a document to search, ``None`` for the hierarchy's own choice.

    Raises ``ValueError`` where they are impossible. A Chinese document in an English index is refused too, for its text
    index would take a run of Chinese for one word.
    """
    document, deepest = hierarchy.document, len(hierarchy.levels) - 1
    if document.language == "zh" and language == "en":
        raise ValueError(
            f"the document {document.doc_id!r} is Chinese and the index is English; "
            "create an index with language='zh', which takes both"
        )
    if levels is None:
        levels = {deepest} if hierarchy.searched is None else hierarchy.searched
    if not checks.has_members(levels):
        raise ValueError(f"levels is {levels!r}; give a list of levels, or None for the hierarchy's own choice")
    if not levels:
        raise ValueError("levels is empty; name at least one level to search, or None for the hierarchy's own choice")
    for level in levels:
        checks.whole("a level to search", level)
        if not 0 <= level <= deepest:
            raise ValueError(f"the document {document.doc_id!r} has the levels 0 to {deepest}, and not {level}")
    return set(levels)


def to_rows(
    hierarchies: Sequence[Hierarchy],
    searched: Mapping[str, Collection[int]],
    embedder: Embedder,
    language: Language,
    declared: Mapping[str, Column],
) -> pa.Table:
    """Check the hierarchies, embed the searched levels (``doc_id`` -> levels) and return one row for each node."""
    nodes = [node for hierarchy in hierarchies for node in hierarchy]
    _check(hierarchies, nodes)
    children: dict[str, int] = {}
    for node in nodes:
        if node.parent_id is not None:
            children[node.parent_id] = children.get(node.parent_id, 0) + 1
    searchable = [node.level in searched[node.doc_id] for node in nodes]
    documents = {hierarchy.document.doc_id: _document_json(hierarchy.document) for hierarchy in hierarchies}
    columns: dict[str, Any] = {
        "node_id": [escape(node.node_id) for node in nodes],
        "doc_id": [escape(node.doc_id) for node in nodes],
        "level": [node.level for node in nodes],
        "start": [node.start for node in nodes],
        "end": [node.end for node in nodes],
        "text": [None if found else escape(node.text) for node, found in zip(nodes, searchable, strict=True)],
        "search_text": [
            escape(node.embedding_text) if found else None for node, found in zip(nodes, searchable, strict=True)
        ],
        "context": [escape(node.context) for node in nodes],
        "parent_id": [None if node.parent_id is None else escape(node.parent_id) for node in nodes],
        "position": [node.position for node in nodes],
        "metadata": [_to_json(node.metadata, node.doc_id) for node in nodes],
        "sources": [json.dumps(node.sources) if node.derived else None for node in nodes],
        "place": [escape(place_key(node.doc_id, node.level, node.position)) for node in nodes],
        "children": [children.get(node.node_id, 0) for node in nodes],
        "searchable": searchable,
        "document": [documents[node.doc_id] if node.level == 0 else None for node in nodes],
        "terms": [
            [escape(term) for term in terms(node.embedding_text, language)] if node.level == hierarchy.units else None
            for hierarchy in hierarchies
            for node in hierarchy
        ],
    }
    columns |= column_arrays(declared, nodes, {each.document.doc_id: each.document for each in hierarchies})
    schema = row_schema(embedder.dim, [column.arrow for column in declared.values()])
    arrays = [pa.array(columns[field.name], field.type) for field in schema if field.name != "vector"]
    texts = [_embedded_text(hierarchy, node) for hierarchy in hierarchies for node in hierarchy]
    vectors = _vectors(texts, np.array(searchable, dtype=bool), embedder)
    return pa.Table.from_arrays([*arrays, vectors], schema=schema)


def embedded_texts(hierarchy: Hierarchy, language: Language) -> list[str]:
    """Return the texts that ``Index.add`` embeds of a document, in the order of its nodes.

    Raises ``ValueError`` as ``searched_levels`` does.
    """
    searched = searched_levels(hierarchy, None, language)
    return [_embedded_text(hierarchy, node) for node in hierarchy if node.level in searched]


def _embedded_text(hierarchy: Hierarchy, node: Node) -> str:
    # A unit's headings are among its terms; its vector is better without them.
    return node.text if node.level == hierarchy.units else node.embedding_text


def _check(hierarchies: Sequence[Hierarchy], nodes: Sequence[Node]) -> None:
    for doc_id in _repeated(hierarchy.document.doc_id for hierarchy in hierarchies):
        raise ValueError(f"the document {doc_id!r} is there twice; add each document once, with a doc_id of its own")
    for node_id in _repeated(node.node_id for node in nodes):
        raise ValueError(f"two nodes have the node_id {node_id!r}; node ids must be unique in an index")
    for hierarchy in hierarchies:
        own = {node.node_id for node in hierarchy}
        doc_id = hierarchy.document.doc_id
        for node in hierarchy:
            if node.doc_id != doc_id:
                raise ValueError(f"the hierarchy of {doc_id!r} has the node {node.node_id!r} of {node.doc_id!r}")
            if node.parent_id is not None and node.parent_id not in own:
                raise ValueError(f"the parent {node.parent_id!r} of {node.node_id!r} is not in the same hierarchy")
            _check_sources(node, hierarchy.document)


def _check_sources(node: Node, document: Document) -> None:
    spans, known = node.sources, merge(node.sources)
    if spans and not (list(spans) == known and (spans[0].start, spans[-1].end) == node.span):
        raise ValueError(
            f"the sources {spans} of {node.node_id!r} are not sorted and disjoint, or do not reach from its start to "
            "its end; give merge(sources), the first start and the last end"
        )
    if spans and node.end > len(document.text):
        raise ValueError(f"the sources of {node.node_id!r} end at {node.end}, outside its document")


def _repeated(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)


def _vectors(texts: Sequence[str], searchable: np.ndarray, embedder: Embedder) -> pa.Array:
    vectors = np.zeros((len(texts), embedder.dim), np.float32)
    chosen = [text for text, found in zip(texts, searchable, strict=True) if found]
    vectors[searchable] = _checked(embedder, chosen, embedder.encode(chosen))
    # A vector of zeros has no direction, so no cosine: text search still finds its node.
    return pa.FixedSizeListArray.from_arrays(
        pa.array(vectors.ravel()), embedder.dim, mask=pa.array(~vectors.any(axis=1))
    )


def check_embedder(embedder: Embedder) -> None:
    """Raise ``ValueError`` for what is no embedder."""
    if isinstance(embedder, str):  # which has a method encode
        raise ValueError(f"embedder is {embedder!r}; give an embedder, for example default_embedder()")
    checks.able("embedder", embedder, "encode")
    checks.text("the embedder's name", getattr(embedder, "name", None))
    checks.whole("the embedder's dim", getattr(embedder, "dim", None), 1)


def _checked(embedder: Embedder, texts: Sequence[str], returned: object) -> np.ndarray:
    """What an embedder returned for texts: float32 (n, dim), each row of unit length, or zeros.

    Raises ``ValueError`` where it is anything else: cosines and their order would be wrong without a word.
    """
    given, who = np.asarray(returned), f"the embedder {embedder.name!r}"
    if given.shape != (len(texts), embedder.dim):
        raise ValueError(
            f"{who} returned vectors of shape {given.shape} for {len(texts)} texts; it must return "
            f"{(len(texts), embedder.dim)}"
        )
    if given.dtype.kind not in "fiu":
        raise ValueError(f"{who} returned numbers of the type {given.dtype}; it must return float32")
    vectors = given.astype(np.float32)
    if not np.isfinite(vectors).all():
        raise ValueError(f"{who} returned NaN or infinite numbers; it must return finite ones")
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    for row in np.flatnonzero((abs(lengths - 1) > _ROUNDING) & (lengths > 0)).tolist():
        raise ValueError(
            f"{who} returned a vector of length {lengths[row]:.3g} for {texts[row][:40]!r}; it must return vectors of "
            "length 1, or of zeros where it finds nothing in a text: divide each by its length"
        )
    return vectors


def embedding_once(embedder: Embedder) -> Callable[[Sequence[str]], np.ndarray]:
    """From questions to their vectors, checked as those of documents are; each question is embedded once."""
    known: dict[tuple[str, type], np.ndarray] = {}  # A hypothetical document has another vector than a question.

    def embed_new(texts: Sequence[str]) -> np.ndarray:
        keys = [(text, type(text)) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if new:
            asked = list(new.values())
            known.update(zip(new, _checked(embedder, asked, encode_queries(embedder, asked)), strict=True))
        return np.array([known[key] for key in keys], dtype=np.float32).reshape(len(keys), embedder.dim)

    return embed_new


def _document_json(document: Document) -> str:
    known = {"kind": document.kind, "language": document.language, "metadata": dict(document.metadata)}
    return _to_json(known, document.doc_id)


def _to_json(value: Mapping[str, Any], doc_id: str) -> str:
    try:
        written = json.dumps(dict(value), allow_nan=False)
        _check_keys(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the metadata of the document {doc_id!r} cannot be written as JSON: {error}") from error
    return written


def _check_keys(value: object) -> None:
    """Raise ``ValueError`` for a key that JSON would change: it writes 1 as "1" and True as "true"."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ValueError(f"it has the key {key!r}; give keys that are texts")
    if isinstance(value, Mapping | list | tuple):
        for inner in value.values() if isinstance(value, Mapping) else value:
            _check_keys(inner)
