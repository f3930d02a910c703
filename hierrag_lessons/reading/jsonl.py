"""JSON Lines, one JSON object a line, read so that an error names its file, its line and its field.

Lesson 03 uses it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hierrag_lessons.model import Document
from hierrag_lessons.reading.files import read_bytes


def read_lines(path: Path | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number, counted from 1, and object of each line that is not blank.

    Raises ``ValueError`` with file and line where a line is not UTF-8, not JSON, or not an object; with the file where
    it is a PDF, an archive or an image.
    """
    # Split as bytes: only b"\n" ends a line, while str.splitlines would also cut at U+2028 inside a string.
    for number, line in enumerate(read_bytes(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line.decode("utf-8-sig"))
        except ValueError as error:  # damaged JSON or damaged UTF-8
            raise ValueError(f"{path}, line {number}: not valid JSON in UTF-8 ({error}); repair this line") from None
        except RecursionError:
            raise ValueError(f"{path}, line {number}: lists or objects are nested too deep; repair this line") from None
        if not isinstance(fields, dict):
            raise ValueError(f"{path}, line {number}: not a JSON object; write {{...}} on each line")
        yield number, fields


def get_field(fields: Mapping[str, Any], name: str, *kinds: type, default: Any = ...) -> Any:
    """The value of a field, which must be one of ``kinds``; ``default`` where it is absent.

    Raises ``ValueError`` where it is absent and there is no default, or its type is another one.
    """
    value = fields.get(name, default)
    if value is ...:
        raise ValueError(f"field {name!r} is missing")
    # bool is a subclass of int, but true is no offset.
    if value is not default and (isinstance(value, bool) or not isinstance(value, kinds)):
        wanted = " or ".join("null" if kind is type(None) else kind.__name__ for kind in kinds)
        raise ValueError(f"field {name!r} is {value!r}; it must be {wanted}")
    return value


def load_documents(path: Path | str) -> list[Document]:
    """Read documents, one JSON object a line: ``doc_id``, ``text``, ``kind``, ``language``; the rest is metadata.

    Raises
    ------
    ValueError
        With file and line, where a line is not a JSON object, an id comes twice, a field is missing or of a wrong
        type, or ``kind`` or ``language`` is not one that the course knows.
    """
    documents: dict[str, Document] = {}
    for number, fields in read_lines(path):
        try:
            document = Document(
                get_field(fields, "doc_id", str),
                get_field(fields, "text", str),
                get_field(fields, "kind", str),
                get_field(fields, "language", str),
                {key: value for key, value in fields.items() if key not in ("doc_id", "text", "kind", "language")},
            )
            if documents.setdefault(document.doc_id, document) is not document:
                raise ValueError(f"doc_id {document.doc_id!r} comes twice; give each document its own")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    return list(documents.values())
