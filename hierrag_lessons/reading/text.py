"""Plain text and Markdown files as documents.

Lesson 01 uses it.
"""

from __future__ import annotations

from pathlib import Path

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Kind, Language
from hierrag_lessons.reading.files import read_utf8


def _read(path: Path | str, kind: Kind, language: Language, doc_id: str | None) -> Document:
    path = checks.path("path", path)
    checks.text("doc_id", doc_id, none="the name of the file")
    checks.one_of("language", language, Language)
    return Document(doc_id or path.stem, read_utf8(path), kind, language, {"file": path.name})


def read_text(path: Path | str, *, language: Language = "en", doc_id: str | None = None) -> Document:
    """Read a plain-text file (UTF-8) as it stands, without a byte order mark.

    Parameters
    ----------
    path:
        The file. Its line ends are kept.
    language:
        ``"en"`` or ``"zh"``; it chooses separators, embedder and text index later.
    doc_id:
        The document's name, the file name without its ending where not given.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where the file is not UTF-8, or is a PDF, an archive or an image; where the course does not know the language,
        or a value has another type.
    """
    return _read(path, "text", language, doc_id)


def read_markdown(path: Path | str, *, language: Language = "en", doc_id: str | None = None) -> Document:
    """Read a Markdown file (UTF-8) as it stands; parameters and errors are those of :func:`read_text`."""
    return _read(path, "markdown", language, doc_id)
