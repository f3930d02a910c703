"""What to log of each question, without its words.

Lesson 25 builds it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from hierrag_lessons import checks
from hierrag_lessons.model import Passage, Span
from hierrag_lessons.reading.jsonl import read_lines
from hierrag_lessons.spans import subtract
from hierrag_lessons.text import count_tokens


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """One question in the log: numbers and places, no text of the user and none of a document.

    Attributes
    ----------
    question:
        A keyed hash: equal questions have the same one, and nobody without the key finds out which they were.
    question_tokens:
        The length of the question.
    places:
        What was sent, best first: ``doc_id:start-end``.
    scores:
        The scores of these passages.
    tokens:
        The size of all of them.
    cut:
        How many of the passages that were found are not in the context, or not whole.
    refused:
        Whether the answer was a refusal.
    milliseconds:
        From the question to the passages, or to the answer; the same everywhere.
    fingerprint, version:
        Of the configuration and of the index, so that each answer says how it was made.
    at:
        When, as the caller writes it.
    """

    question: str
    question_tokens: int
    places: tuple[str, ...]
    scores: tuple[float, ...]
    tokens: int
    cut: int
    refused: bool
    milliseconds: float
    fingerprint: str = ""
    version: int = 0
    at: str = ""

    @property
    def best(self) -> float:
        """The best score; 0 where nothing was found."""
        return max(self.scores, default=0.0)

    @property
    def empty(self) -> bool:
        """Whether nothing was found."""
        return not self.places


def make_record(
    question: str,
    found: Iterable[Passage],
    packed: Iterable[Passage],
    *,
    key: str,
    milliseconds: float,
    refused: bool = False,
    fingerprint: str = "",
    version: int = 0,
    at: str = "",
) -> QueryRecord:
    """What is logged of a question.

    >>> found = [Passage("pets", 0, 11, "Cats sleep.", score=0.9), Passage("pets", 12, 21, "Dogs run.", score=0.4)]
    >>> record = make_record("Who sleeps?", found, found[:1], key="our secret", milliseconds=12.5)
    >>> record.places, record.cut, "sleeps" in str(record)
    (('pets:0-11',), 1, False)

    Parameters
    ----------
    question:
        Is hashed with the key (HMAC-SHA-256, 16 hexadecimal digits). Without one, who has a list of likely questions
        could hash them all and compare.
    found, packed:
        What the retriever returned, and what was left of it under the budget.
    key:
        A secret of your own, not empty; a new one makes old and new questions incomparable.
    milliseconds, refused, fingerprint, version, at:
        As in :class:`QueryRecord`.

    Raises ``ValueError`` for an empty key, a negative time, and what is no list of passages.
    """
    checks.text("question", question)
    checks.text("key", key)
    if not key:
        raise ValueError("key is empty; give a secret text, kept where other secrets are")
    checks.number("milliseconds", milliseconds, 0)
    checks.instance("refused", refused, bool)
    checks.text("fingerprint", fingerprint)
    checks.whole("version", version, 0)
    checks.text("at", at)
    every = checks.each("found", found, Passage)
    sent = checks.each("packed", packed, Passage)
    shown: defaultdict[str, list[Span]] = defaultdict(list)
    for passage in sent:
        shown[passage.doc_id].append(passage.span)
    return QueryRecord(
        question=hmac.new(key.encode(), question.encode(), hashlib.sha256).hexdigest()[:16],
        question_tokens=count_tokens(question),
        places=tuple(f"{passage.doc_id}:{passage.start}-{passage.end}" for passage in sent),
        scores=tuple(float(passage.score) for passage in sent),
        tokens=sum(count_tokens(passage.text) for passage in sent),
        cut=sum(_missing(passage, shown[passage.doc_id]) for passage in every),
        refused=refused,
        milliseconds=float(milliseconds),
        fingerprint=fingerprint,
        version=version,
        at=at,
    )


def append_records(path: Path | str, records: Iterable[QueryRecord]) -> None:
    """Add records to a log, one JSON object a line. Raises ``ValueError`` for what is no list of records."""
    file = checks.path("path", path)
    lines = [json.dumps(asdict(record), ensure_ascii=False) for record in checks.each("records", records, QueryRecord)]
    with file.open("a", encoding="utf-8") as log:
        log.writelines(line + "\n" for line in lines)


def read_records(path: Path | str) -> list[QueryRecord]:
    """Read a log.

    Raises ``FileNotFoundError`` where there is none, and ``ValueError`` naming the file and the line that is no record,
    such as one that was cut when a disk was full.
    """
    names = {each.name for each in fields(QueryRecord)}
    records = []
    for number, values in read_lines(path):
        if set(values) != names:
            raise ValueError(f"{path}, line {number}: its fields are not those of a record; take it out")
        lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        records.append(QueryRecord(**{**values, **lists}))
    return records


def _missing(passage: Passage, shown: list[Span]) -> bool:
    """Whether any text of a passage was not sent."""
    rest = subtract(passage.span, shown)
    return any(passage.text[start - passage.start : end - passage.start].strip() for start, end in rest)
