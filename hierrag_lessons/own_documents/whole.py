"""From a folder to a report in one call.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Question
from hierrag_lessons.model import Document, Embedder
from hierrag_lessons.own_documents.compare import LEAST_BUDGET, Progress, compare_methods
from hierrag_lessons.own_documents.diagnosis import diagnose
from hierrag_lessons.own_documents.folder import read_folder
from hierrag_lessons.own_documents.questions import FaultsError, read_questions
from hierrag_lessons.own_documents.report.page import Report
from hierrag_lessons.own_documents.silver import silver_questions

_SKIP = "--skip-bad, in Python skip_bad=True, leaves these questions out and goes on with the others"


def compare_documents(
    path: Path | str,
    questions: Path | str | Iterable[Question] | None = None,
    *,
    budget: int = 4000,
    skip_bad: bool = False,
    out: Path | str | None = None,
    embedder: Embedder | None = None,
    bf16: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Which chunks and which retriever for these documents? The same as ``python -m hierrag_lessons compare``.

    Parameters
    ----------
    path:
        A folder, see :func:`~hierrag_lessons.own_documents.folder.read_folder`.
    questions:
        A file, see :func:`~hierrag_lessons.own_documents.questions.read_questions`, or questions; ``None`` makes a
        silver set from the documents, for a first look, and the report says so.
    budget:
        The largest context, in tokens, see ``compare_methods``.
    skip_bad:
        Whether to leave out questions of a file that have a fault, for example a quote that stands nowhere or at
        several places; the report says which. Otherwise any fault is raised.
    out:
        Where to write the report, an HTML file. Finished methods are kept in a hidden folder beside it, so that the
        next call with the same documents, questions and budget goes on where this one stopped. ``None`` writes
        nothing.
    embedder, bf16:
        As for ``compare_methods``.
    progress:
        Is called with a line at each step.

    Raises
    ------
    ValueError
        As ``read_folder``, ``read_questions`` and ``compare_methods`` do, and where ``out`` does not end in ``.html``.
    """
    checks.whole("budget", budget, LEAST_BUDGET)
    checks.instance("skip_bad", skip_bad, bool)
    checks.able("embedder", embedder, "encode", none="the language's own")
    checks.instance("bf16", bf16, bool)
    file = None if out is None else checks.path("out", out)
    if file is not None and file.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"out is {str(file)!r}; give a file that ends in .html")
    tell = progress or (lambda line: None)
    folder = read_folder(path)
    tell(f"{len(folder.documents)} documents read, {len(folder.unread)} files not")
    bad: list[str] = []
    asked = _questions(questions, folder.documents, bad.append if skip_bad else None)
    for fault in bad:
        tell(f"left out: {fault}")
    tell(f"{len(asked)} questions{' made from the documents (silver)' if questions is None else ''}")
    keep = None if file is None else file.parent / f".{file.stem}.kept"
    found = compare_methods(
        folder.documents, asked, budget=budget, keep=keep, embedder=embedder, bf16=bf16, progress=tell
    )
    if bad:
        left_out = (*found.left_out, f"{len(bad)} questions with a fault ({'; '.join(bad)})")
        found = replace(found, left_out=left_out)
    tell("looking at the chunks")
    report = Report(folder, found, diagnose(found.documents, found.asked, found.embedders))
    if file is not None:
        report.save(file)
    return report


def _questions(
    questions: Path | str | Iterable[Question] | None, documents: Iterable[Document], bad: Progress | None
) -> list[Question]:
    if questions is None:
        return list(silver_questions(list(documents)))
    if isinstance(questions, Path | str):
        try:
            return list(read_questions(questions, documents, bad=bad))
        except FaultsError as error:
            raise ValueError(str(error) if bad else f"{error}\n{_SKIP}") from None
    return checks.each("questions", questions, Question)
