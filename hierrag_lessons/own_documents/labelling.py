"""Making gold: questions that a person writes, with the passages that this person has seen answer them.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from hierrag_lessons import checks
from hierrag_lessons.embedding import default_embedder
from hierrag_lessons.model import Embedder, Language
from hierrag_lessons.own_documents.asking import in_language
from hierrag_lessons.own_documents.folder import read_folder
from hierrag_lessons.own_documents.kept_index import Cut, kept_folder, kept_index, place_in
from hierrag_lessons.own_documents.questions import read_questions
from hierrag_lessons.own_documents.session import Labelled, Session
from hierrag_lessons.store import Index


def label_documents(
    path: Path | str,
    questions: Path | str,
    *,
    reader: TextIO,
    writer: TextIO,
    keep: Path | str | None = None,
    embedder: Embedder | None = None,
    progress: Callable[[str], None] | None = None,
) -> Labelled:
    """Ask for questions, show the passages that several searches find, and keep what is accepted as gold evidence.

    Each question is saved when it is done, as a line that :func:`~hierrag_lessons.own_documents.read_questions` reads;
    nothing that is in the file is ever changed. A later session goes on where this one stopped. Whoever has no
    question at hand is shown a passage, and asks about it in words of their own.

    Parameters
    ----------
    path:
        A folder of documents, or one of them.
    questions:
        The ``.jsonl`` file that questions are added to, made where it does not exist.
    reader, writer:
        Where lines are typed, and where text is shown: ``sys.stdin`` and ``sys.stdout``. The end of the input stops
        the session as ``q`` does.
    keep, embedder, progress:
        As for :func:`~hierrag_lessons.own_documents.ask_documents`.

    Raises
    ------
    ValueError
        Where the questions that are in the file already have a fault, and as ``ask_documents`` does.
    OSError
        Where a file cannot be written.
    """
    target = checks.path("questions", questions)
    checks.able("reader", reader, "readline")
    checks.able("writer", writer, "write")
    checks.able("embedder", embedder, "encode", none="the default of the language")
    if target.suffix.lower() != ".jsonl":
        raise ValueError(f"questions is {str(target)!r}; give a file that ends in .jsonl, lines are added to it")
    place = kept_folder(path) if keep is None else checks.path("keep", keep)
    say = progress or (lambda line: None)
    say("reading the documents")
    folder = read_folder(path)
    known = list(read_questions(target, folder.documents)) if target.exists() and target.stat().st_size else []

    def indexed(language: Language) -> tuple[Index, Index]:
        own, _ = in_language(folder.documents, language)
        language = own[0].language
        say(f"bringing the indexes of {len(own)} documents up to date")
        made = embedder or default_embedder(language)

        def brought(cut: Cut) -> Index:
            return kept_index(own, place_in(place, language, made, cut), made, language, cut, say)

        return brought("units"), brought("recursive 400")

    session = Session(list(folder.documents), indexed, target, known, reader, writer)
    return session.run()
