"""Methods side by side: retrievers, or chunkers under flat search, on the same questions at equal context budgets.

Lesson 09 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hierrag_lessons import checks
from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.evaluation.course import BUDGETS
from hierrag_lessons.evaluation.questions import Question
from hierrag_lessons.evaluation.results import Result, evaluate
from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import Chunker, Document, Embedder, Retriever
from hierrag_lessons.retrievers import FlatRetriever
from hierrag_lessons.store import Mode, temporary_index


def score_retrievers(
    retrievers: Mapping[str, Retriever], questions: Iterable[Question], budgets: Sequence[int] = BUDGETS
) -> dict[str, Result]:
    """Evaluate each retriever on the same questions at equal context budgets, see ``evaluation.evaluate``.

    The result is in the order of ``retrievers``; ``evaluation.compare`` and ``evaluation.budget_curve`` take it as it
    is. Raises ``ValueError`` as ``evaluate`` does.
    """
    checks.instance("retrievers", retrievers, Mapping)
    asked = checks.each("questions", questions, Question)
    chosen = with_progress(retrievers.items(), "retrievers")
    return {name: evaluate(retriever, asked, budgets) for name, retriever in chosen}


def score_chunkers(
    chunkers: Mapping[str, Chunker],
    documents: Sequence[Document],
    questions: Iterable[Question],
    budgets: Sequence[int] = BUDGETS,
    *,
    embedder: Embedder | None = None,
    mode: Mode = "hybrid",
) -> dict[str, Result]:
    """Index the documents with each chunker, search flat, and evaluate at equal context budgets.

    Parameters
    ----------
    chunkers:
        By the name that the tables give them.
    documents, questions:
        In one language, for example those of :func:`course_questions`.
    budgets:
        Tokens of context, see :func:`~hierrag_lessons.evaluation.evaluate`.
    embedder:
        The default one of the documents' language where not given. Where chunks are longer than it reads, the rest of
        them is not embedded; that is part of what is measured, so it is not warned of here.
    mode:
        ``"vector"``, ``"text"`` or ``"hybrid"``, see ``Index.search_batch``.

    Returns
    -------
    dict[str, Result]
        In the order of ``chunkers``; ``evaluation.compare`` and ``evaluation.budget_curve`` take it as it is.

    Raises
    ------
    ValueError
        Where there are no documents, or documents of two languages; and as ``evaluate`` does.
    """
    checks.instance("chunkers", chunkers, Mapping)
    documents = checks.each("documents", documents, Document)
    asked = checks.each("questions", questions, Question)
    checks.able("embedder", embedder, "encode", none="the language's own")
    checks.one_of("mode", mode, Mode)
    results: dict[str, Result] = {}
    for name, chunker in with_progress(chunkers.items(), "chunkers"):
        hierarchies = (build_hierarchy(document, [chunker]) for document in documents)
        with temporary_index(hierarchies, embedder=embedder) as index:
            results[name] = evaluate(FlatRetriever(index, mode=mode), asked, budgets)
    return results
