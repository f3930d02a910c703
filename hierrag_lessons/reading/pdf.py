"""PDF files as documents, with the page of every offset.

Lesson 07 uses it.

A PDF holds no text, only glyphs at places on a page. A library (pypdf) puts them into lines again. What the page has
around its text stays in: running heads and feet, words divided at the end of a line, tables that go on overleaf.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import Any

from hierrag_lessons import checks
from hierrag_lessons.model import JSON, Document, Language

BETWEEN_PAGES = "\n\n"


def read_pdf(path: Path | str, *, language: Language = "en", doc_id: str | None = None) -> Document:
    """Read the text of a PDF file, line by line as it stands on the pages.

    A gap between two columns, however wide, becomes three spaces, so that the cells of a table's row stay on one line.
    ``metadata["pages"]`` has the offset at which each page begins; :func:`page_at` looks a page up.

    Parameters
    ----------
    path:
        The file.
    language:
        ``"en"`` or ``"zh"``.
    doc_id:
        The document's name, the file name without its ending where not given.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where the file is no PDF, is damaged (with the page, where one can be named), asks for a password, or holds
        pictures of pages and no text.
    """
    from pypdf import PdfReader  # only who reads a PDF need wait for it

    path = checks.path("path", path)
    checks.text("doc_id", doc_id, none="the name of the file")
    checks.one_of("language", language, Language)
    with path.open("rb") as file:
        if file.read(5) != b"%PDF-":
            raise ValueError(f"{path.name} is no PDF; read it with the reader for its kind, such as read_markdown")
        where, pages = "", list[str]()
        try:
            reader = PdfReader(file)
            for number in range(len(reader.pages)):
                where = f", page {number + 1},"
                pages.append(_tidy(reader.pages[number].extract_text(extraction_mode="layout")))
        except Exception as error:  # what a damaged file makes pypdf raise is in no list
            raise ValueError(
                f"{path.name}{where} cannot be read ({type(error).__name__}: {error}); remove its password, or open it "
                "and print it to a new PDF"
            ) from error
    if not any(pages):
        raise ValueError(f"{path.name} has {len(pages)} pages and no text; it is a scan: read it with OCR first")
    starts = [0, *accumulate(len(page) + len(BETWEEN_PAGES) for page in pages[:-1])]
    metadata: dict[str, JSON] = {"file": path.name, "pages": list[JSON](starts)}
    return Document(doc_id or path.stem, BETWEEN_PAGES.join(pages), "text", language, metadata)


def page_at(document: Document, offset: int) -> int:
    r"""The number of the page, from 1, on which the character at ``offset`` stands.

    >>> from hierrag_lessons import Document, page_at
    >>> manual = Document("manual", "First page.\n\nSecond page.", metadata={"pages": [0, 13]})
    >>> page_at(manual, 12), page_at(manual, 13)
    (1, 2)

    Raises ``ValueError`` for a document without ``metadata["pages"]``, and for an offset outside the text.
    """
    checks.instance("document", document, Document)
    checks.whole("offset", offset, 0)
    starts: Any = document.metadata.get("pages")
    if not isinstance(starts, list) or not starts:
        raise ValueError(f"{document.doc_id!r} has no pages; read it with read_pdf")
    if offset >= max(1, len(document.text)):
        raise ValueError(f"offset is {offset}, but {document.doc_id!r} has {len(document.text)} characters")
    return bisect_right(starts, offset)


def _tidy(page: str) -> str:
    """Lines without white space at their ends, and with gaps between columns of one width."""
    lines = (re.sub(r" {3,}", "   ", line).rstrip() for line in page.replace("\r", "\n").split("\n"))
    return "\n".join(line for line in lines if line.strip()).strip()
