"""Questions on your own documents, from a file that a person can write.

Lesson 24 uses it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hierrag_lessons import checks
from hierrag_lessons.evaluation import UNANSWERABLE, Question
from hierrag_lessons.evaluation.loading import read_question
from hierrag_lessons.evaluation.questions import QuestionSet
from hierrag_lessons.model import Document
from hierrag_lessons.reading.files import read_utf8
from hierrag_lessons.reading.jsonl import get_field, read_lines

ORDINARY = "question"
"""The type of a question that names none."""

_COLUMNS = ("question", "doc", "quote")
_MAY_HAVE = ("id", "type", "answer", "language")
_SHOWN = 10  # faults that a message names


class FaultsError(ValueError):
    """Some questions of a file cannot be used; the message has each fault on a line of its own."""


def read_questions(
    path: Path | str, documents: Iterable[Document], *, bad: Callable[[str], None] | None = None
) -> QuestionSet:
    """Read questions with quoted evidence, ``.jsonl`` or ``.csv``, and find the quotes in the documents.

    A line of a ``.jsonl`` file is a JSON object: ``{"question": "How much notice?", "evidence": [{"doc": "lease.md",
    "quote": "with three months' notice"}]}``. ``doc`` is the file's path in the folder of documents. Line breaks in a
    quote may differ. Where it stands at several places, ``"occurrence": 2`` says that the second one counts. Several
    pieces are all needed; where other passages say all of the same as one, that piece lists them as ``"alternatives":
    [{"doc": …, "quote": …}]``. ``"type": "unanswerable"`` is for a question that the documents do not answer, and has
    no evidence. A question may have what :func:`~hierrag_lessons.evaluation.load_questions` reads, too; an ``id`` is
    made from the line where there is none.

    A ``.csv`` file has the columns question, doc and quote, and may have occurrence, id, type, answer and language.
    Rows with the same question are pieces of evidence of one question.

    Parameters
    ----------
    path:
        The file, UTF-8.
    documents:
        The documents that the quotes are looked up in.
    bad:
        Called with each fault, whose question is left out; faults are raised where it is not given, or none is left.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        With the faults, each on a line of its own with the number of its line in the file and what to do about it. Also
        where the file has another ending or no question, or two documents share an id.
    """
    path = checks.path("path", path)
    by_id: dict[str, Document] = {}
    for document in checks.each("documents", documents, Document):
        if by_id.setdefault(document.doc_id, document) is not document:
            raise ValueError(f"two documents have the id {document.doc_id!r}; give each its own")
    if path.suffix.lower() == ".csv":
        lines: Iterable[tuple[int, Mapping[str, Any]]] = _csv_lines(path)
    elif path.suffix.lower() == ".jsonl":
        lines = read_lines(path)
    else:
        raise ValueError(f"{path.name} is neither .jsonl nor .csv; save the questions as one of them")
    questions: list[Question] = []
    faults: list[str] = []
    known: dict[str, int] = {}
    for number, fields in lines:
        try:
            question = read_question(_complete(fields, number, by_id), by_id)
            if known.setdefault(question.id, number) != number:
                raise ValueError(f"line {known[question.id]} has the id {question.id!r} as well; give each its own")
            questions.append(question)
        except ValueError as error:
            faults.append(f"line {number}: {error}")
    if faults and (bad is None or not questions):
        more = [f"and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise FaultsError("\n".join([f"{path.name} has {count}:", *faults[:_SHOWN], *more]))
    if bad is not None:
        for fault in faults:
            bad(fault)
    if not questions:
        raise ValueError(f"{path.name} has no question; write at least one line, or leave the file out")
    return QuestionSet(tuple(questions))


def _complete(fields: Mapping[str, Any], number: int, documents: Mapping[str, Document]) -> dict[str, Any]:
    """The fields of a line with those that everybody's questions have: an id, a type, and ``doc_id`` for ``doc``."""
    if not get_field(fields, "question", str).strip():
        raise ValueError("the question is blank; write it, or delete the line")
    evidence = get_field(fields, "evidence", list, default=[])
    if not evidence and fields.get("type") != UNANSWERABLE:
        raise ValueError(
            'the question has no evidence; quote what answers it, or add "type": "unanswerable" where the documents '
            "have no answer"
        )
    pieces = [_complete_piece(piece, documents) for piece in evidence]
    return {"id": f"q{number:04}", "type": ORDINARY, **fields, "evidence": pieces}


def _complete_piece(piece: object, documents: Mapping[str, Document]) -> dict[str, Any]:
    if not isinstance(piece, dict):
        raise ValueError(f'a piece of evidence is {piece!r}; write {{"doc": "lease.md", "quote": "the words"}}')
    made = {("doc_id" if name == "doc" else name): value for name, value in piece.items()}
    doc_id = made.get("doc_id")
    if doc_id is None:
        raise ValueError('a piece of evidence names no document; add "doc", the path of its file in the folder')
    if isinstance(doc_id, str) and doc_id not in documents and doc_id.replace("\\", "/") in documents:
        made["doc_id"] = doc_id.replace("\\", "/")
    elif isinstance(doc_id, str) and doc_id not in documents:
        near = get_close_matches(doc_id, documents, 1, cutoff=0.5)
        advice = f"did you mean {near[0]!r}?" if near else "give the path of a file that could be read"
        raise ValueError(f"there is no document {doc_id!r} among the {len(documents)} that were read; {advice}")
    if isinstance(others := made.get("alternatives"), list):
        made["alternatives"] = [_complete_piece(other, documents) for other in others]
    return made


def _csv_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each question with the line of its first row."""
    rows = csv.reader(io.StringIO(read_utf8(path), newline=""), strict=True)
    try:
        header = [name.strip().lower() for name in next(rows, [])]
        missing = [name for name in _COLUMNS if name not in header]
        if missing:
            raise ValueError(
                f"{path.name} has no column {', '.join(missing)}; write the line {','.join(_COLUMNS)} at its top, and "
                "separate by commas"
            )
        found: dict[str, tuple[int, dict[str, Any]]] = {}
        end = rows.line_num
        for row in rows:
            start, end = end + 1, rows.line_num
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise ValueError(
                    f"{path.name}, line {start}: {len(row)} cells for {len(header)} columns; put cells that hold a "
                    "comma in double quotes"
                )
            cells = dict(zip(header, row, strict=True))
            _, fields = found.setdefault(cells["question"].strip(), (start, {"question": cells["question"].strip()}))
            fields |= {name: cells[name].strip() for name in _MAY_HAVE if cells.get(name, "").strip()}
            if cells["doc"].strip() or cells["quote"].strip():
                piece: dict[str, Any] = {"doc": cells["doc"].strip(), "quote": cells["quote"]}
                if which := cells.get("occurrence", "").strip():
                    # What is no number is refused with its line, as other fields are.
                    piece["occurrence"] = int(which) if which.isdecimal() else which
                fields["evidence"] = [*fields.get("evidence", []), piece]
    except csv.Error as error:
        raise ValueError(f"{path.name}, line {rows.line_num}: {error}; repair this line") from None
    yield from found.values()
