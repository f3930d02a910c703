"""Web pages: the main content of an HTML file becomes a Markdown document."""

from __future__ import annotations

from pathlib import Path

from bs4.exceptions import ParserRejectedMarkup

from hierrag_lessons.model import JSON, Document, Language
from hierrag_lessons.reading.files import read_utf8
from hierrag_lessons.reading.web_pages.markdown import to_markdown
from hierrag_lessons.reading.web_pages.page import Page, main_content


def read_html(path: Path | str, *, language: Language = "en", doc_id: str | None = None) -> Document:
    """Read the main content of a web page (UTF-8) as Markdown.

    The main content is the page's ``<main>`` or ``role="main"``, else its articles. Inside it, navigation, asides,
    page headers and footers, consent banners, forms, buttons, scripts, permalinks and hidden elements are left out.
    Links become their text and images their alternative text; emphasis is not marked. Running text is escaped only
    where the beginning of a line would be taken for a heading, a list with bullets, a quote, a fence or a rule. In a
    list, code is indented with its item, as Markdown wants it.

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
        Kind ``"markdown"``. ``metadata["blocks"]`` lists ``[start, end, kind]`` of each block, in order and in code
        points of the text. Kinds: ``"heading"``, ``"paragraph"``, ``"list item"`` (its marker and its first
        paragraph; a term or a definition counts as one), ``"table"``, ``"code"`` (fences included), ``"quote"`` (one
        paragraph of it).

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where the file is not UTF-8, the page has no main content, or it holds a declaration ``<![…`` that some
        versions of Python cannot parse.
    """
    path = Path(path)
    html = read_utf8(path).replace("\r\n", "\n").replace("\r", "\n")
    try:
        # A tag in front, because a file without any would be taken for a file name.
        page = Page(f"<!DOCTYPE html>{html}")
    except ParserRejectedMarkup as error:
        reason = str(error).splitlines()[-1].strip()
        raise ValueError(
            f"{path.name}: the HTML parser gives up ({reason}); remove the declaration, which begins with '<!['"
        ) from error
    text, blocks = to_markdown(main_content(page))
    if not blocks:
        raise ValueError(
            f'{path.name} has no main content: no text in a <main>, an <article> or an element with role="main"; put '
            "what is to be read into one of them"
        )
    listed: list[JSON] = [[start, end, kind] for start, end, kind in blocks]
    return Document(doc_id or path.stem, text, "markdown", language, {"file": path.name, "blocks": listed})
