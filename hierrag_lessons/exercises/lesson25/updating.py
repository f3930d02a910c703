"""Exercise 25.3, find the bug: an update that leaves a ghost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Stored = dict[str, str]


def upsert(stored: dict[str, str], doc_id: str, chunks: list[str]) -> dict[str, str]:
    """The store after a document was written again: it has exactly these chunks, and no other document has changed.

    The id of a chunk is the document's, a colon, and the chunk's number, counted from 0. A document's id may have
    colons and any other signs in it. No chunks: the document is gone. ``stored`` itself stays as it is.
    """
    points = {f"{doc_id}:{number}": text for number, text in enumerate(chunks)}
    return stored | points


def update(stored: dict[str, str], doc_id: str, chunks: list[str]) -> dict[str, str]:
    """The store after a document was written again: it has exactly these chunks, and no other document has changed.

    The id of a chunk is the document's, a colon, and the chunk's number, counted from 0. A document's id may have
    colons and any other signs in it. No chunks: the document is gone. ``stored`` itself stays as it is.
    """
    others = {name: text for name, text in stored.items() if name.rpartition(":")[0] != doc_id}
    points = {f"{doc_id}:{number}": text for number, text in enumerate(chunks)}
    return others | points


def _document_by_document(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    """Oracle: take the store apart into documents, exchange one, write everything out again."""
    documents: dict[str, dict[str, str]] = {}
    for name, text in stored.items():
        pieces = name.split(":")
        documents.setdefault(":".join(pieces[:-1]), {})[pieces[-1]] = text
    documents[doc_id] = {str(number): text for number, text in enumerate(chunks)}
    return {f"{name}:{number}": text for name, own in documents.items() for number, text in own.items()}


def _cases(rng: Random) -> Iterator[tuple[Stored, str, list[str]]]:
    act = {"act:0": "a", "act:1": "b", "act:2": "c"}
    yield act, "act", ["a", "x"]
    yield act, "act", ["a", "x", "c", "d"]
    yield act, "report", ["r"]
    yield act, "act", []
    # A name that begins like another one, and one with a colon of its own.
    yield act | {"act_2023:0": "old", "act_2023:1": "older"}, "act", ["a"]
    yield {"en:act:0": "a", "en:act:1": "b", "en:report:0": "r"}, "en:act", ["a"]
    yield {"en:0": "list", "en:1": "more", "en:act:0": "a"}, "en", ["list"]
    yield {"act:0": "a", "act:1": "b", "act:2": "c", "act:3": "d", "report:0": "r"}, "act", ["a"]
    yield {"act:9": "j", "act:10": "k", "report:10": "r"}, "act", ["a"]
    # A name that goes on with a colon and a number, and one whose point would stand for any letter in a pattern.
    yield {"act:0": "a", "act:1": "b", "act:2023:0": "old", "act:2023:1": "older"}, "act", ["x"]
    yield {"act:0": "a", "act:2023:0": "old", "act:2023:1": "older"}, "act:2023", ["x"]
    yield {"a.b:0": "a", "a.b:1": "b", "axb:0": "other", "axb:1": "another"}, "a.b", ["x"]
    yield {"fact:0": "f", "act:0": "a", "act:1": "b", "act:7": "c"}, "act", ["x"]
    # Twelve chunks, then two: as texts, "10" comes before "2".
    yield {f"act:{number}": "abcdefghijkl"[number] for number in range(12)}, "act", ["a", "b"]
    # A ghost with a number that nobody would count up to.
    yield {"act:0": "a", "act:5000": "old", "report:0": "r"}, "act", ["x"]
    # A text of the old edition stands in the new one, under another number.
    yield {"act:0": "a", "act:1": "b"}, "act", ["b"]
    names = ["a", "ab", "a:b", "b", "b:a", "a:1", "a.b", "a+"]
    for _ in range(40):
        stored = {
            f"{name}:{number}": rng.choice("uvwxyz")
            for name in rng.sample(names, rng.randrange(1, 5))
            for number in range(rng.randrange(1, 5))
        }
        yield stored, rng.choice(names), [rng.choice("UVWXYZ") for _ in range(rng.randrange(4))]


def _points(doc_id: str, chunks: list[str]) -> Stored:
    return {f"{doc_id}:{number}": text for number, text in enumerate(chunks)}


def _same_start(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return {name: text for name, text in stored.items() if not name.startswith(doc_id)} | _points(doc_id, chunks)


def _start_with_colon(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return {name: text for name, text in stored.items() if not name.startswith(f"{doc_id}:")} | _points(doc_id, chunks)


def _first_colon(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return {name: text for name, text in stored.items() if name.split(":")[0] != doc_id} | _points(doc_id, chunks)


def _new_store(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return _points(doc_id, chunks)


def _one_more(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    ghost = f"{doc_id}:{len(chunks)}"
    return {name: text for name, text in stored.items() if name != ghost} | _points(doc_id, chunks)


def _nothing_to_write(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return update(stored, doc_id, chunks) if chunks else dict(stored)


def _known_only(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    new = _points(doc_id, chunks)
    others = {name: text for name, text in stored.items() if name.rpartition(":")[0] != doc_id}
    return others | {name: text for name, text in new.items() if name in stored}


def _numbers_as_texts(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    def stays(name: str) -> bool:
        owner, _, number = name.rpartition(":")
        return owner != doc_id or number < str(len(chunks))

    return {name: text for name, text in stored.items() if stays(name)} | _points(doc_id, chunks)


def _known_texts(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    kept = {name: text for name, text in stored.items() if name.rpartition(":")[0] != doc_id or text in chunks}
    return kept | _points(doc_id, chunks)


def _pattern(pattern: str, stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    kept = {name: text for name, text in stored.items() if not re.match(pattern, name)}
    return kept | _points(doc_id, chunks)


def _pattern_of_the_start(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return _pattern(re.escape(doc_id) + r":\d+", stored, doc_id, chunks)


def _pattern_not_escaped(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return _pattern(doc_id + r":\d+$", stored, doc_id, chunks)


def _pattern_of_both(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return _pattern(doc_id + r":\d+", stored, doc_id, chunks)


def _until_one_is_missing(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    kept, number = dict(stored), len(chunks)
    while f"{doc_id}:{number}" in kept:
        del kept[f"{doc_id}:{number}"]
        number += 1
    return kept | _points(doc_id, chunks)


def _up_to_a_hundred(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    ghosts = {f"{doc_id}:{number}" for number in range(100)}
    return {name: text for name, text in stored.items() if name not in ghosts} | _points(doc_id, chunks)


def _last_part_of_the_id(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return {name: text for name, text in stored.items() if name.split(":")[-2] != doc_id} | _points(doc_id, chunks)


def _id_inside(stored: Stored, doc_id: str, chunks: list[str]) -> Stored:
    return {name: text for name, text in stored.items() if doc_id not in name} | _points(doc_id, chunks)


UPDATING = Exercise(
    id="25.3",
    title="Find the bug: an update that leaves a ghost",
    solution=update,
    start=upsert,
    oracle=_document_by_document,
    cases=_cases,
    hints=(
        "A document had three chunks and has two now. What is in the store under its third number?",
        "Before the new chunks are written, all old ones of this document have to go, and nobody else's.",
        "The document's id is what stands before the *last* colon: `name.rpartition(':')[0]`.",
    ),
    mistakes=(
        Mistake(
            _same_start,
            "You removed everything whose id begins with the document's. `act_2023` begins with `act` as well, and is "
            "another document.",
        ),
        Mistake(
            _start_with_colon,
            "You removed everything that begins with the document's id and a colon. The document `en:act` begins with "
            "`en:` as well: compare all that stands before the last colon.",
        ),
        Mistake(
            _first_colon,
            "You cut the id at its first colon. A document's id may have colons; the number is behind the last one.",
        ),
        Mistake(_new_store, "The other documents are gone. Only this one was written again."),
        Mistake(
            _one_more,
            "You removed one old chunk. A document can get shorter by any number of chunks: remove all old ones first.",
        ),
        Mistake(
            _nothing_to_write,
            "No chunks means that the document is gone. Here its old chunks are still found.",
        ),
        Mistake(
            _numbers_as_texts,
            'You compared numbers as texts: "10" < "2". Of twelve chunks, with two left, the last two stay.',
        ),
        Mistake(
            _known_texts,
            "You kept an old chunk whose text is in the new edition. It is found twice then, and once under a number "
            "that the document no longer has.",
        ),
        Mistake(
            _pattern_of_the_start,
            "Your pattern fits the beginning of an id. `act:2023:0` begins with `act:` and digits, and is another "
            "document's: ask for the end as well (`fullmatch`), or cut at the last colon.",
        ),
        Mistake(
            _pattern_not_escaped,
            "You put the document's id into a pattern as it is. The point of `a.b` fits `axb` as well: compare texts, "
            "or use `re.escape`.",
        ),
        Mistake(
            _pattern_of_both,
            "Your pattern fits other documents: `act:2023:0` begins with `act:` and digits, and the point of `a.b` "
            "fits `axb`. Compare what stands before the last colon.",
        ),
        Mistake(
            _until_one_is_missing,
            "You counted up until a number was missing. An older fault may have left a gap, and ghosts behind it: look "
            "at every id in the store.",
        ),
        Mistake(
            _up_to_a_hundred,
            "You removed numbers up to a limit of yours. A ghost can have any number: look at every id in the store.",
        ),
        Mistake(
            _last_part_of_the_id,
            "You compared what stands between the last two colons. The id `en:act` has a colon of its own: compare all "
            "that stands before the last one.",
        ),
        Mistake(
            _id_inside,
            "You removed every id that has the document's in it. `fact:0` has `act` in it, and is another document's.",
        ),
        Mistake(_known_only, "The document got longer, and its new chunks are missing: write all of them."),
    ),
)
