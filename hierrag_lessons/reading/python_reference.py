"""The Python language reference, read from the learner's own interpreter.

Lesson 01 uses it.
"""

from __future__ import annotations

import hashlib
import warnings

import regex

from hierrag_lessons.model import Document

COURSE_EDITION = "853505944682f68394b4bac08996a977b0d71f01cb49ef646ad8f8150e5779d6"
"""The checksum of the edition that the lessons were written on, that of Python 3.11.7."""


class EditionWarning(UserWarning):
    """The language reference of this Python is not the one that the lessons were written on."""


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

    Warns
    -----
    EditionWarning
        Where the reference is not that of Python 3.11.7, on which the lessons were written.
    """
    topics = _topics()
    if python_reference_checksum() != COURSE_EDITION:
        warnings.warn(
            "the language reference of this Python is not that of Python 3.11.7, on which the lessons were written: "
            "your numbers on it can differ from theirs, and what they say of these numbers may not hold",
            EditionWarning,
            stacklevel=2,
        )
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
