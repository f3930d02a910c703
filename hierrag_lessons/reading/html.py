"""Web pages: the main content of an HTML file becomes a Markdown document.

Lesson 07 uses it.
"""

from __future__ import annotations

from pathlib import Path

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading.files import read_utf8


def read_html(path: Path | str, *, language: Language = "en", doc_id: str | None = None) -> Document:
    """Read the main content of a web page (UTF-8) as Markdown.

    The main content is the page's ``<main>`` or ``role="main"``, else its articles, else its whole ``<body>``. Inside
    it, navigation, asides, page headers and footers, consent banners, forms, buttons, scripts, permalinks and hidden
    elements are left out. Links become their text and images their alternative text; emphasis is not marked. Running
    text is escaped only where the beginning of a line would be taken for a heading, a list with bullets, a quote, a
    fence or a rule. In a list, code is indented with its item, as Markdown wants it. A cell over several columns or
    rows of a table is repeated in each.

    Parameters
    ----------
    path:
        The file. It may be malformed. Its line ends become line feeds, as in a browser.
    language:
        ``"en"`` or ``"zh"``.
    doc_id:
        The document's name, the file name without its ending where not given.

    Returns
    -------
    Document
        Kind ``"markdown"``.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where the file is not UTF-8, or is a PDF, an archive or an image; where the page shows no text, or its elements
        are nested more than 150 deep; where a table's cells over several columns and rows make more than 20,000,000
        characters of it; where ``language`` is not one that the course knows.
    """
    path = checks.path("path", path)
    checks.text("doc_id", doc_id, none="the name of the file")
    checks.one_of("language", language, Language)
    # The parser is loaded with the first page and not with the package.
    from hierrag_lessons.reading.html_markdown import to_markdown

    html = read_utf8(path).replace("\r\n", "\n").replace("\r", "\n")
    try:
        text = to_markdown(html)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    if not text:
        raise ValueError(f"{path.name} shows no text: what it holds is hidden, or navigation, a form or a script")
    return Document(doc_id or path.stem, text, "markdown", language, {"file": path.name})
