"""Exercise 02.2, the bug in the ids of child and parent."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Row = tuple[Any, Any, str]


def child_rows(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[tuple[str, str, str]]:
    """One row (child id, parent id, text) for each child, in document order."""
    rows = []
    for doc_id, text in documents:
        for parent_start in range(0, len(text), parent_size):
            parent_end = min(parent_start + parent_size, len(text))
            for start in range(parent_start, parent_end, child_size):
                end = min(start + child_size, parent_end)
                rows.append((f"{doc_id}:{start}-{end}", f"{doc_id}:{parent_start}-{parent_end}", text[start:end]))
    return rows


def _published_rows(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[Row]:
    """As in a published example: the child's hash, and a counter that starts again for each document."""
    rows = []
    for _doc_id, text in documents:
        for parent_id, parent_start in enumerate(range(0, len(text), parent_size)):
            parent = text[parent_start : parent_start + parent_size]
            for start in range(0, len(parent), child_size):
                child = parent[start : start + child_size]
                rows.append((hash(child), parent_id, child))
    return rows


def _character_by_character(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[Row]:
    """Oracle: give each character its parent and its child by division, then collect equal labels."""
    members: dict[tuple[str, int, int], list[int]] = {}
    families: dict[tuple[str, int], list[int]] = {}
    texts = dict(documents)
    for doc_id, text in documents:
        for position in range(len(text)):
            parent = position // parent_size
            families.setdefault((doc_id, parent), []).append(position)
            members.setdefault((doc_id, parent, position % parent_size // child_size), []).append(position)
    rows: list[Row] = []
    for (doc_id, parent, _), positions in members.items():
        family = families[doc_id, parent]
        child_id = f"{doc_id}:{positions[0]}-{positions[-1] + 1}"
        text = "".join(texts[doc_id][position] for position in positions)
        rows.append((child_id, f"{doc_id}:{family[0]}-{family[-1] + 1}", text))
    return rows


def _documents(rng: Random) -> Iterator[tuple[list[tuple[str, str]], int, int]]:
    yield [], 4, 2
    yield [("a", "")], 4, 2
    yield [("a", "one two")], 4, 2
    yield [("a", "aaaa")], 2, 1
    yield [("a", "same"), ("b", "same")], 4, 4
    yield [("a", "abcdefghij")], 5, 3
    for _ in range(25):
        texts = ["".join(rng.choices("abc d", k=rng.randrange(14))) for _ in range(rng.randrange(1, 4))]
        parent_size = rng.randrange(1, 8)
        yield [(f"d{i}", text) for i, text in enumerate(texts)], parent_size, rng.randrange(1, parent_size + 1)


def _hash_stays(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[Row]:
    return [(hash(text), parent, text) for _, parent, text in child_rows(documents, parent_size, child_size)]


def _counter_stays(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[Row]:
    fixed = child_rows(documents, parent_size, child_size)
    published = _published_rows(documents, parent_size, child_size)
    return [(child, parent, text) for (child, _, text), (_, parent, _) in zip(fixed, published, strict=True)]


def _counts_on(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[Row]:
    fixed = child_rows(documents, parent_size, child_size)
    number = {parent: i for i, parent in enumerate(dict.fromkeys(parent for _, parent, _ in fixed))}
    return [(child, number[parent], text) for child, parent, text in fixed]


def _from_the_parent(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[Row]:
    rows: list[Row] = []
    for doc_id, text in documents:
        for first in range(0, len(text), parent_size):
            parent = text[first : first + parent_size]
            parent_id = f"{doc_id}:{first}-{first + len(parent)}"
            for start in range(0, len(parent), child_size):
                child = parent[start : start + child_size]
                rows.append((f"{doc_id}:{start}-{start + len(child)}", parent_id, child))
    return rows


def _past_the_end(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[Row]:
    rows: list[Row] = []
    for doc_id, text in documents:
        for first in range(0, len(text), parent_size):
            parent = text[first : first + parent_size]
            for start in range(0, len(parent), child_size):
                child_id = f"{doc_id}:{first + start}-{first + start + child_size}"
                rows.append((child_id, f"{doc_id}:{first}-{first + parent_size}", parent[start : start + child_size]))
    return rows


def _no_document(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[Row]:
    fixed = child_rows(documents, parent_size, child_size)
    return [(child.split(":")[1], parent.split(":")[1], text) for child, parent, text in fixed]


IDS = Exercise(
    id="02.2",
    title="Find the bug: ids",
    solution=child_rows,
    oracle=_character_by_character,
    cases=_documents,
    hints=(
        "hash() of a string differs from process to process. What does not differ: the document's id and where the "
        "piece stands in it.",
        "start counts from the beginning of the parent. The offset in the document is parent_start + start.",
        "The last piece can be shorter than its size: take end = start + len(piece), or min(…, len(text)).",
    ),
    mistakes=(
        Mistake(
            _hash_stays,
            "The child's id is still a hash of its text: another process gives it another id, and two children "
            "with the same text share one.",
        ),
        Mistake(
            _counter_stays,
            "The parent's id is still a counter that starts at 0 for each document, so the parents of two "
            "documents collide.",
        ),
        Mistake(
            _counts_on,
            "A counter over all documents is unique today. But put one document in front, or leave one out, and "
            "the ids of all that follow change.",
        ),
        Mistake(
            _from_the_parent,
            "The child's offsets count from its parent's beginning, so the first children of all parents have "
            "the same id. Offsets must be those of the document.",
        ),
        Mistake(
            _past_the_end,
            "An id names offsets behind the end of the text or of the parent: the last piece can be shorter than "
            "the size.",
        ),
        Mistake(
            _no_document,
            "Offsets alone are unique inside one document only. Two documents both have a piece 0-4.",
        ),
    ),
    start=_published_rows,
)
