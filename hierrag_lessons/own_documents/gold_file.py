"""The file that gold questions are added to, one by one, so that none is ever lost.

Lesson 24 uses it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Span
from hierrag_lessons.spans import trim
from hierrag_lessons.whole_files import write_whole

_PATIENCE = 10.0  # seconds to wait for another process that writes


def append_question(path: Path | str, fields: Mapping[str, Any]) -> None:
    """Add a question as the last line of a file of JSON Lines, made where it does not exist.

    The file is written anew beside the old one and then takes its place: whatever ends the program, every earlier line
    is there, and the new one is there as a whole or not at all. Two programs that write at once both succeed.

    Raises
    ------
    ValueError
        Where ``fields`` cannot be written as JSON.
    OSError
        Where the file cannot be written.
    """
    path = checks.path("path", path)
    checks.instance("fields", fields, Mapping)
    try:
        line = json.dumps(dict(fields), ensure_ascii=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise ValueError(f"fields is {fields!r}, which is no JSON ({error}); give texts, numbers and lists") from None
    path = path.resolve()  # where it is a link, the link stays
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    try:
        with FileLock(lock, timeout=_PATIENCE):
            before = path.read_bytes() if path.exists() else b""
            if before and not before.endswith(b"\n"):
                before += b"\n"
            write_whole(path, before + line + b"\n")
    except Timeout:
        raise OSError(f"another program writes {path.name}; wait until it ends, and label again") from None


def evidence_fields(document: Document, span: Span) -> dict[str, Any]:
    """A piece of evidence as a file of questions has it: the quote, and its place where it stands at several.

    >>> from hierrag_lessons import Document, Span
    >>> evidence_fields(Document("a.md", "Cats purr. Dogs bark."), Span(11, 22 - 1))
    {'doc': 'a.md', 'quote': 'Dogs bark.'}
    >>> evidence_fields(Document("a.md", "No. No."), Span(4, 7))
    {'doc': 'a.md', 'quote': 'No.', 'start': 4, 'end': 7}

    White space at its ends is left out. Raises ``ValueError`` for a span outside the text, or of white space alone.
    """
    checks.instance("document", document, Document)
    checks.span("span", span, len(document.text))
    start, end = trim(document.text, span)
    quote = document.text[start:end]
    if not quote:
        raise ValueError(f"span is {span.start}-{span.end}, white space in {document.doc_id!r}; give one with text")
    fields: dict[str, Any] = {"doc": document.doc_id, "quote": quote}
    # What differs in white space alone would be found as well.
    flat, known = " ".join(document.text.split()), " ".join(quote.split())
    if flat.find(known, flat.find(known) + 1) >= 0:
        fields |= {"start": start, "end": end}
    return fields
