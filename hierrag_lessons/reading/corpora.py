"""The course's own texts.

Lesson 01 uses it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading.dialogue import read_dialogue
from hierrag_lessons.reading.files import read_utf8
from hierrag_lessons.reading.html import read_html
from hierrag_lessons.reading.pdf import read_pdf
from hierrag_lessons.reading.text import read_markdown, read_text

DATA_DIR = Path(__file__).resolve().parents[2] / "data"
"""The course's own texts and questions, beside the package in the repository."""

CORPORA_DIR = DATA_DIR / "corpora"
FIELDS = "fields.json"
"""Beside the texts: what each document is, by its ``doc_id``."""


Collection = Literal["core", "all"]
"""``"core"``: the texts that the lessons begin with. ``"all"``: they and the archive of earlier ones beside them."""


def load_corpus(language: Language, collection: Collection = "core") -> list[Document]:
    """All documents of ``data/corpora/<language>``, sorted by ``doc_id``, and with ``"all"`` those of its archive.

    A file is one document, ``en/earnings_call``, unless it holds several dialogues: ``en/support_chats/ticket-0001``.
    Those of the archive are named ``en/archive/...``. The ending of a file tells what it is: ``.txt`` text, ``.md``
    Markdown, ``.html`` a web page, ``.pdf`` a PDF, ``.jsonl`` dialogue. What ``fields.json`` in the folder says of a
    document stands in its metadata: ``year``, ``edition`` and ``source``.

    Raises
    ------
    FileNotFoundError
        Where the texts are missing, which means that the package was installed without the repository around it.
    ValueError
        Where the course does not know the language or the collection, a file is damaged, or two documents would have
        the same ``doc_id``.
    """
    checks.one_of("language", language, Language)
    checks.one_of("collection", collection, Collection)
    if not CORPORA_DIR.is_dir():
        raise FileNotFoundError(
            "data/corpora is missing; the texts are part of the course's repository: clone it and install from there "
            "with `make setup`"
        )
    folders = [language] if collection == "core" else [language, f"{language}/archive"]
    documents: dict[str, Document] = {}
    for folder in folders:
        for document in _load_folder(CORPORA_DIR / folder, folder, language, _state(CORPORA_DIR / folder)):
            if documents.setdefault(document.doc_id, document) is not document:
                raise ValueError(f"{folder}: two files give a document {document.doc_id!r}; rename one")
    return [documents[doc_id] for doc_id in sorted(documents)]


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of a folder's files: as long as these stay, so do the documents."""
    if not folder.is_dir():  # git keeps no empty folders
        return ()
    files = [(path.name, path.stat()) for path in sorted(folder.iterdir())]
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in files)


@lru_cache(maxsize=8)  # reading HTML and PDF takes seconds, and lessons and tests ask again and again
def _load_folder(
    folder: Path, prefix: str, language: Language, state: tuple[tuple[str, int, int], ...]
) -> tuple[Document, ...]:
    readers = {".html": read_html, ".md": read_markdown, ".txt": read_text, ".pdf": read_pdf}
    documents: list[Document] = []
    for path in (folder / name for name, _, _ in state):
        doc_id = f"{prefix}/{path.stem}"
        if path.suffix == ".jsonl":
            documents += read_dialogue(path, language=language, doc_id=doc_id)
        elif path.suffix in readers:
            documents.append(readers[path.suffix](path, language=language, doc_id=doc_id))
    fields = json.loads(read_utf8(folder / FIELDS)) if (folder / FIELDS).is_file() else {}
    return tuple(
        replace(document, metadata={**document.metadata, **fields.get(document.doc_id, {})}) for document in documents
    )
