"""Readers: files, web pages, dialogues and the Python reference become documents.

A reader decides once what the text of a document is. From then on the text never changes, and every offset in the
course counts code points of it.
"""

from hierrag_lessons.reading.corpora import CORPORA_DIR, DATA_DIR, Collection, load_corpus
from hierrag_lessons.reading.dialogue import read_dialogue
from hierrag_lessons.reading.html import read_html
from hierrag_lessons.reading.jsonl import load_documents
from hierrag_lessons.reading.pdf import page_at, read_pdf
from hierrag_lessons.reading.python_reference import EditionWarning, python_reference_checksum, read_python_reference
from hierrag_lessons.reading.text import read_markdown, read_text

__all__ = [
    "CORPORA_DIR",
    "DATA_DIR",
    "Collection",
    "EditionWarning",
    "load_corpus",
    "load_documents",
    "page_at",
    "python_reference_checksum",
    "read_dialogue",
    "read_html",
    "read_markdown",
    "read_pdf",
    "read_python_reference",
    "read_text",
]
