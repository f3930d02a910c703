"""What every retriever promises. A test module builds a shelf once and runs ``CHECKS`` over each configuration.

    @pytest.fixture(scope="module")
    def shelf(tmp_path_factory):
        return build(tmp_path_factory.mktemp("shelf"))

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    @pytest.mark.parametrize("make", [FlatRetriever, ...])
    def test_promises(make, check, shelf):
        check(make, shelf)

``make`` takes an index and returns the retriever.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from hierrag_lessons.model import Document, Hierarchy, Language, Passage, Retriever, Span, sort_key
from hierrag_lessons.spans import overlap
from hierrag_lessons.store import Index
from tests.fakes import ZOO, WordHashEmbedder, hierarchy
from tests.texts import HOSTILE

QUERIES = [
    "the running dog",
    "deep blue lake fish",
    "a cat on the roof of the barn",
    "hostile word 下雨",
    "dog dog dog",
    "the running dog",
]
ODD_QUERIES = [
    "",
    " \n",
    "?!",
    "🙂",
    "zzzzz",
    "the of",
    "' OR 1=1 --",
    '"cat',
    "\ud800",
    "字" * 3000,
    *HOSTILE.values(),
]

Make = Callable[[Index], Retriever]
BuildHierarchy = Callable[[Document], Hierarchy]


@dataclass(frozen=True)
class Shelf:
    """The same documents in two indexes, in one add and one by one in the opposite order; and an empty index."""

    index: Index
    mirrored: Index
    empty: Index
    documents: dict[str, Document]


def documents(language: Language = "en") -> list[Document]:
    """Ordinary, repeated, tiny, blank and hostile documents."""
    made = [Document(doc_id, text) for doc_id, text in ZOO.items()]
    made += [Document(f"copy {number}", f"{ZOO['dogs']} {ZOO['dogs']}") for number in range(2)]
    made += [Document("tiny", "Cat."), Document("blank", " \n ")]
    made.append(Document("it's/odd\n%", "\n\n".join(f"hostile word {text} dog" for text in HOSTILE.values())))
    made.append(Document("雨", "今天 下雨 明天 也 下雨 后天 晴 dog", language=language))
    return made


def build(
    folder: Path,
    *,
    levels: Collection[int] | None = None,
    language: Language = "en",
    build_hierarchy: BuildHierarchy = hierarchy,
) -> Shelf:
    """Make the shelf in a folder. ``levels`` and ``build_hierarchy`` are what the retriever under test needs."""
    made = documents(language)
    indexes = [Index.create(folder / name, WordHashEmbedder(), language=language) for name in ("one", "two", "three")]
    indexes[0].add([build_hierarchy(document) for document in made], levels=levels)
    for document in reversed(made):
        indexes[1].add(build_hierarchy(document), levels=levels)
    return Shelf(*indexes, {document.doc_id: document for document in made})


def check_order_and_distinctness(make: Make, shelf: Shelf) -> None:
    for passages in make(shelf.index).retrieve_batch([*QUERIES, *ODD_QUERIES], k=20):
        assert passages == sorted(passages, key=sort_key)
        assert len({(passage.doc_id, passage.span) for passage in passages}) == len(passages)
        assert all(math.isfinite(passage.score) for passage in passages)


def check_k(make: Make, shelf: Shelf) -> None:
    retriever = make(shelf.index)
    for query in QUERIES[:2]:
        sizes = [len(retriever.retrieve(query, k)) for k in (1, 2, 3, shelf.index.count() + 10)]
        assert sizes[0] == 1
        assert sizes == sorted(sizes)
        assert all(size <= k for size, k in zip(sizes, (1, 2, 3), strict=False))
        assert len(retriever.retrieve(query)) <= 5
    for k in (0, -1):
        with pytest.raises(ValueError, match=f"k is {k}"):
            retriever.retrieve(QUERIES[0], k)
        with pytest.raises(ValueError, match=f"k is {k}"):
            retriever.retrieve_batch(QUERIES, k)
        with pytest.raises(ValueError, match=f"k is {k}"):
            make(shelf.empty).retrieve_batch([], k)


def check_passages_are_spans(make: Make, shelf: Shelf) -> None:
    found = [p for passages in make(shelf.index).retrieve_batch([*QUERIES, *ODD_QUERIES], k=10) for p in passages]
    assert len({passage.doc_id for passage in found}) > 2
    for passage in found:
        text = shelf.documents[passage.doc_id].text
        assert 0 <= passage.start < passage.end <= len(text)
        assert passage.text == text[passage.start : passage.end]


def check_hits_led_to_their_passage(make: Make, shelf: Shelf) -> None:
    for passages in make(shelf.index).retrieve_batch(QUERIES, k=10):
        for passage in passages:
            assert passage.hits
            assert list(passage.hits) == sorted(passage.hits, key=sort_key)
            for hit in passage.hits:
                assert hit.doc_id == passage.doc_id
                assert overlap(Span(hit.start, hit.end), passage.span) > 0


def check_batch_equals_single(make: Make, shelf: Shelf) -> None:
    retriever = make(shelf.index)
    queries = [*QUERIES, *ODD_QUERIES[:5], QUERIES[1]]
    assert retriever.retrieve_batch(queries, 4) == [retriever.retrieve(query, 4) for query in queries]
    assert retriever.retrieve_batch([]) == []


def check_odd_queries(make: Make, shelf: Shelf) -> None:
    retriever = make(shelf.index)
    for query in ("", " \n"):
        assert retriever.retrieve(query) == []
    for query in ODD_QUERIES:
        assert len(retriever.retrieve(query, 3)) <= 3


def check_empty_index(make: Make, shelf: Shelf) -> None:
    retriever = make(shelf.empty)
    assert retriever.retrieve("dog") == []
    assert retriever.retrieve_batch(["dog", ""], 3) == [[], []]


def unscored(passage: Passage) -> tuple[object, ...]:
    """All of a passage but its scores."""
    return (*(getattr(passage, name) for name in ("doc_id", "span", "text", "context")), [h.node for h in passage.hits])


def check_determinism(make: Make, shelf: Shelf) -> None:
    def results(index: Index) -> Sequence[list[Passage]]:
        return make(index).retrieve_batch(QUERIES, k=12)

    first, mirrored = results(shelf.index), results(shelf.mirrored)
    assert first == results(shelf.index)
    assert any(first)
    # LanceDB adds up BM25 in the order of its rows, so the last digits may differ, and nothing else.
    assert [[unscored(p) for p in passages] for passages in mirrored] == [[unscored(p) for p in ps] for ps in first]
    for passages, others in zip(first, mirrored, strict=True):
        assert [p.score for p in passages] == pytest.approx([p.score for p in others], rel=1e-5)


def check_it_is_frozen(make: Make, shelf: Shelf) -> None:
    retriever = make(shelf.index)
    with pytest.raises(AttributeError):
        retriever.index = shelf.empty  # type: ignore[attr-defined]
    assert retriever == make(shelf.index)


CHECKS = [
    check_order_and_distinctness,
    check_k,
    check_passages_are_spans,
    check_hits_led_to_their_passage,
    check_batch_equals_single,
    check_odd_queries,
    check_empty_index,
    check_determinism,
    check_it_is_frozen,
]
