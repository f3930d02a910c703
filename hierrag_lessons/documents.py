"""Readers: files and the Python reference become ``Document`` objects.

A reader decides once what the text of a document is. From then on the text never changes, and every offset in the
course counts code points of it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import regex

from hierrag_lessons.dialogues import read_dialogue
from hierrag_lessons.files import read_utf8
from hierrag_lessons.spans import Document, Kind, Language
from hierrag_lessons.web_pages import read_html

__all__ = [
    "CORPORA_DIR",
    "DATA_DIR",
    "load_corpus",
    "python_reference_checksum",
    "read_dialogue",
    "read_html",
    "read_markdown",
    "read_python_reference",
    "read_text",
]

DATA_DIR = Path(__file__).resolve().parent.parent / "data"
"""The course's own texts, questions and vocabulary, beside the package in the repository."""

CORPORA_DIR = DATA_DIR / "corpora"


def _read(path: Path | str, kind: Kind, language: Language, doc_id: str | None) -> Document:
    path = Path(path)
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
        Where the file is not UTF-8.
    """
    return _read(path, "text", language, doc_id)


def read_markdown(path: Path | str, *, language: Language = "en", doc_id: str | None = None) -> Document:
    """Read a Markdown file (UTF-8) as it stands; parameters and errors are those of :func:`read_text`."""
    return _read(path, "markdown", language, doc_id)


def load_corpus(language: Language) -> list[Document]:
    """All documents of ``data/corpora/<language>``, sorted by ``doc_id``.

    A file is one document, ``en/earnings_call``, unless it holds several dialogues: ``en/support_chats/ticket-0001``.
    The ending of a file tells what it is: ``.txt`` text, ``.md`` Markdown, ``.html`` a web page, ``.jsonl`` dialogue.

    Raises
    ------
    FileNotFoundError
        Where the texts are missing, which means that the package was installed without the repository around it.
    ValueError
        Where a file is damaged, or two documents would have the same ``doc_id``.
    """
    if not CORPORA_DIR.is_dir():
        raise FileNotFoundError(
            "data/corpora is missing; the texts are part of the course's repository: clone it and install from there "
            "with `make setup`"
        )
    folder = CORPORA_DIR / language
    if not folder.is_dir():  # git keeps no empty folders
        return []
    readers = {".html": read_html, ".md": read_markdown, ".txt": read_text}
    documents: dict[str, Document] = {}
    for path in sorted(folder.iterdir()):
        doc_id = f"{language}/{path.stem}"
        read: list[Document] = []
        if path.suffix == ".jsonl":
            read = read_dialogue(path, language=language, doc_id=doc_id)
        elif path.suffix in readers:
            read = [readers[path.suffix](path, language=language, doc_id=doc_id)]
        for document in read:
            if documents.setdefault(document.doc_id, document) is not document:
                raise ValueError(f"{path.name}: there is a document {document.doc_id!r} already; rename the file")
    return [documents[doc_id] for doc_id in sorted(documents)]


def _topics() -> dict[str, str]:
    try:
        from pydoc_data.topics import topics
    except ImportError as error:
        raise ModuleNotFoundError(
            "this Python has no pydoc_data.topics, the language reference behind help('for'); some systems package it "
            "apart from Python: install the full standard library, or Python from python.org"
        ) from error
    return {str(name): str(text) for name, text in topics.items()}


def python_reference_checksum() -> str:
    """SHA-256 (hex) of this interpreter's language reference, whose wording changes from version to version."""
    topics = _topics()
    return hashlib.sha256("\0".join(f"{name}\0{topics[name]}" for name in sorted(topics)).encode()).hexdigest()


_UNDERLINED = regex.compile(r"^(\S[^\n]*)\n([*=~^+\"-])\2{2,}[ ]*$", regex.MULTILINE)


def _to_markdown(text: str) -> str:
    """Rewrite headings that are underlined with a row of signs as ``#`` headings.

    As in reStructuredText, no sign has a fixed level: the first one met is the highest.
    """
    signs: list[str] = []

    def heading(match: regex.Match[str]) -> str:
        title, sign = match.group(1), match.group(2)
        if len(match.group(0)) - len(title) - 1 < len(title):
            return match.group(0)  # An underline is at least as long as its title; this is a table or a rule.
        if sign not in signs:
            signs.append(sign)
        return f"{'#' * (signs.index(sign) + 1)} {title}"

    return _UNDERLINED.sub(heading, text)


def _paragraphs(text: str) -> list[str]:
    paragraphs = (" ".join(part.split()) for part in regex.split(r"\n\s*\n", text))
    return [paragraph for paragraph in paragraphs if paragraph.count(" ") >= 3]


def read_python_reference() -> list[Document]:
    """The language reference that ships with this Python (``help("for")`` reads the same), one document a topic.

    Nothing is copied into the course: the text comes from the learner's own interpreter, so it differs a little
    between Python versions. About a quarter of the topics stand a second time inside a larger one ("for" inside
    "compound"). A topic is left out when at least 80 % of its paragraphs' characters stand in larger topics, because a
    passage that exists twice could be found and still count as missed.

    Returns
    -------
    list[Document]
        Sorted by ``doc_id`` (``python/assert``, ``python/assignment``, …), kind ``"markdown"``, headings as ``#``.

    Raises
    ------
    ModuleNotFoundError
        Where this Python comes without the reference.
    """
    topics = _topics()
    seen: set[str] = set()
    documents = []
    for name in sorted(topics, key=lambda name: (-len(topics[name]), name)):
        paragraphs = _paragraphs(topics[name])
        repeated = sum(len(paragraph) for paragraph in paragraphs if paragraph in seen)
        if repeated >= 0.8 * sum(map(len, paragraphs)):
            continue
        seen.update(paragraphs)
        text = _to_markdown(topics[name]).strip() + "\n"
        documents.append(Document(f"python/{name}", text, "markdown", "en", {"topic": name}))
    return sorted(documents, key=lambda document: document.doc_id)
