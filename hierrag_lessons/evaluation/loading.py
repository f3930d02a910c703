"""Questions from a file, and their evidence found in the documents.

Lesson 03 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from hierrag_lessons import checks
from hierrag_lessons.evaluation.evidence import Evidence
from hierrag_lessons.evaluation.questions import Question, QuestionSet
from hierrag_lessons.model import Document, Span
from hierrag_lessons.reading.jsonl import get_field, read_lines
from hierrag_lessons.text.quotes import fold, places_of

_OPTIONAL = ("wording", "partner", "geometry", "tier", "cluster")


class _NotLocatedError(ValueError):
    """The documents do not hold the evidence at exactly one place."""


def load_questions(
    path: Path | str, documents: Iterable[Document], *, missing: Literal["raise", "drop"] = "raise"
) -> QuestionSet:
    """Read questions, one JSON object a line, and find their evidence in the documents.

    A line has ``id``, ``question``, ``type``, ``answer`` and ``evidence``, and may have ``key_facts``, ``language``
    (otherwise that of the first evidence's document), ``split``, ``scope``, ``wording``, ``partner``, ``collection``,
    ``geometry``, ``tier`` and ``cluster``. Each piece of evidence has a ``doc_id`` and ``start`` and ``end``, or a
    ``quote``, or all of them, and may have ``alternatives``, a list of passages that are given in the same way. A quote
    alone must stand at exactly one place of the document, or say with ``occurrence``, counted from 1, at which of
    several; any run of white space in it matches any other, so line breaks may differ. With ``start`` and ``end`` the
    quote must be the text between them. Other fields are not read.

    Parameters
    ----------
    path:
        A ``.jsonl`` file in UTF-8. Blank lines are skipped.
    documents:
        The documents that evidence is looked up in.
    missing:
        ``"drop"`` leaves out questions whose evidence is not in these documents, or not at exactly one place, and
        names them in ``QuestionSet.dropped``; for texts whose wording changes, such as the Python reference.

    Raises
    ------
    ValueError
        With file and line, where a line is not a JSON object, an id comes twice, a field is missing or of a wrong
        type; and, with ``missing="raise"``, where evidence can't be located. Also where two documents share an id.
    """
    checks.one_of("missing", missing, ("raise", "drop"))
    by_id: dict[str, Document] = {}
    for document in checks.each("documents", documents, Document):
        if by_id.setdefault(document.doc_id, document) is not document:
            raise ValueError(f"two documents have the id {document.doc_id!r}; give each its own")
    questions: list[Question] = []
    dropped: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, fields in read_lines(path):
        place = f"{path}, line {number}"
        try:
            question_id = get_field(fields, "id", str)
            place += f", question {question_id!r}"
            if lines.setdefault(question_id, number) != number:
                raise ValueError(f"line {lines[question_id]} has the same id; give each question its own")
            questions.append(read_question(fields, by_id))
        except _NotLocatedError as error:
            if missing == "raise":
                raise ValueError(f"{place}: {error}") from None
            dropped[question_id] = str(error)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
    return QuestionSet(tuple(questions), dropped)


def read_question(fields: Mapping[str, Any], documents: Mapping[str, Document]) -> Question:
    """One question from the fields of its line, see :func:`load_questions`, with its evidence found in the documents.

    ``documents`` are those that evidence is looked up in, by id. Raises ``ValueError`` where a field is missing or of a
    wrong type, and where evidence can't be located.
    """
    key_facts = get_field(fields, "key_facts", list, default=[])
    if not all(isinstance(fact, str) for fact in key_facts):
        raise ValueError(f"field 'key_facts' is {key_facts!r}; it must be a list of strings")
    pieces = get_field(fields, "evidence", list, default=[])
    if not all(isinstance(piece, dict) for piece in pieces):
        raise ValueError("field 'evidence' must be a list of JSON objects with a doc_id each")
    evidence = tuple(_locate_piece(piece, documents) for piece in pieces)
    language = documents[evidence[0].doc_id].language if evidence else "en"
    return Question(
        id=fields["id"],
        question=get_field(fields, "question", str),
        type=get_field(fields, "type", str),
        answer=get_field(fields, "answer", str, type(None), default=None),
        evidence=evidence,
        key_facts=tuple(key_facts),
        language=get_field(fields, "language", str, default=language),
        split=get_field(fields, "split", str, default="dev"),
        scope=get_field(fields, "scope", str, type(None), default=None),
        collection=get_field(fields, "collection", str, default="core"),
        **{name: get_field(fields, name, str, type(None), default=None) for name in _OPTIONAL},
    )


def _locate_piece(piece: Mapping[str, Any], documents: Mapping[str, Document]) -> Evidence:
    """A piece with its alternatives."""
    others = get_field(piece, "alternatives", list, type(None), default=None)
    if others is None:
        return locate(piece, documents)
    if not all(isinstance(other, dict) for other in others):
        raise ValueError("field 'alternatives' must be a list of JSON objects with a doc_id each")
    return replace(locate(piece, documents), alternatives=tuple(locate(other, documents) for other in others))


def locate(piece: Mapping[str, Any], documents: Mapping[str, Document]) -> Evidence:
    """Where the document ``doc_id`` has ``quote``, or ``start`` and ``end``, as :func:`load_questions` describes it.

    Raises ``ValueError`` where it does not, or at more than one place.
    """
    doc_id = get_field(piece, "doc_id", str)
    start, end = (get_field(piece, name, int, type(None), default=None) for name in ("start", "end"))
    quote = get_field(piece, "quote", str, type(None), default=None)
    occurrence = get_field(piece, "occurrence", int, type(None), default=None)
    if (start is None) != (end is None) or (start is None and quote is None):
        raise ValueError(f"evidence in {doc_id!r} has no place; give start and end, or a quote, or all three")
    if quote is not None and not quote.strip():
        raise ValueError(f"evidence in {doc_id!r} has a blank quote; copy the words from the document")
    if doc_id not in documents:
        raise _NotLocatedError(f"no document {doc_id!r} among the {len(documents)} given; add it, or correct the id")
    text = documents[doc_id].text
    found = [] if quote is None else _find(quote, text)
    places = ", ".join(f"{a}-{b}" for a, b in found) or "nowhere"
    if start is not None and end is not None:
        if not 0 <= start < end <= len(text):
            raise _NotLocatedError(f"{doc_id}:{start}-{end} is no span inside 0-{len(text)}; correct start and end")
        if quote is not None and text[start:end].split() != quote.split():
            raise _NotLocatedError(
                f"{doc_id}:{start}-{end} is {text[start:end]!r}, but the quote is {quote!r}, which stands {places}; "
                "make the two agree, or leave start and end out"
            )
        return Evidence(doc_id, start, end)
    if not found:
        raise _NotLocatedError(f"{doc_id!r} has no {quote!r}; copy the quote from the document, word for word")
    if occurrence is not None and not 1 <= occurrence <= len(found):
        raise _NotLocatedError(
            f"{doc_id!r} has {quote!r} {len(found)} times ({places}), and occurrence is {occurrence}; give 1 to "
            f"{len(found)}"
        )
    if len(found) > 1 and occurrence is None:
        raise _NotLocatedError(
            f"{doc_id!r} has {quote!r} {len(found)} times ({places}); lengthen the quote until it is the only one, or "
            f"say which one counts: occurrence, from 1 to {len(found)}"
        )
    return Evidence(doc_id, *found[(occurrence or 1) - 1])


def _find(quote: str, text: str) -> list[Span]:
    """All places of a quote, overlapping ones too, where any run of white space stands for any other."""
    folded, wanted = fold(text), " ".join(quote.split())
    return [folded.span(place, len(wanted)) for place in places_of(wanted, folded.text)]
