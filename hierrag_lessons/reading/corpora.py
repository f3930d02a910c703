"""The course's own texts.

Lesson 01 uses it.
"""

from __future__ import annotations

from pathlib import Path

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading.dialogue import read_dialogue
from hierrag_lessons.reading.html import read_html
from hierrag_lessons.reading.text import read_markdown, read_text

DATA_DIR = Path(__file__).resolve().parents[2] / "data"
"""The course's own texts and questions, beside the package in the repository."""

CORPORA_DIR = DATA_DIR / "corpora"


def load_corpus(language: Language) -> list[Document]:
    """All documents of ``data/corpora/<language>``, sorted by ``doc_id``.

    A file is one document, ``en/earnings_call``, unless it holds several dialogues: ``en/support_chats/ticket-0001``.
    The ending of a file tells what it is: ``.txt`` text, ``.md`` Markdown, ``.html`` a web page, ``.jsonl`` dialogue.

    Raises
    ------
    FileNotFoundError
        Where the texts are missing, which means that the package was installed without the repository around it.
    ValueError
        Where the course does not know the language, a file is damaged, or two documents would have the same ``doc_id``.
    """
    checks.one_of("language", language, Language)
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
