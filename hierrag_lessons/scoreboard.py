"""The scoreboard of the lessons: chunkers on the course's own texts and questions, at equal context budgets."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from hierrag_lessons.documents import DATA_DIR, load_corpus
from hierrag_lessons.embedding import Embedder, TruncationWarning, default_embedder
from hierrag_lessons.evaluation import Result, evaluate
from hierrag_lessons.hierarchy import Chunker, build_hierarchy
from hierrag_lessons.questions import Question, load_questions
from hierrag_lessons.retrievers import FlatRetriever
from hierrag_lessons.spans import Document, Language
from hierrag_lessons.store import Index, Mode

Split = Literal["dev", "test"]


def course_set(language: Language, split: Split = "dev") -> tuple[list[Document], list[Question]]:
    """The documents of ``data/corpora/<language>`` and one half of the gold questions on them.

    ``"dev"`` is the half to choose methods and parameters with; ``"test"`` is for the final comparison only.

    Raises ``ValueError`` for another language or half, and as :func:`~hierrag_lessons.documents.load_corpus` and
    :func:`~hierrag_lessons.questions.load_questions` do.
    """
    for name, value, known in (("language", language, get_args(Language)), ("split", split, get_args(Split))):
        if value not in known:
            raise ValueError(f"{name} is {value!r}; give one of {', '.join(known)}")
    documents = load_corpus(language)
    files = sorted((DATA_DIR / "questions").glob(f"{language}_*.jsonl"))
    questions = [question for file in files for question in load_questions(file, documents)]
    return documents, [question for question in questions if question.split == split]


def score_chunkers(
    chunkers: Mapping[str, Chunker],
    documents: Sequence[Document],
    questions: Iterable[Question],
    budgets: Sequence[int] = (1000,),
    *,
    embedder: Embedder | None = None,
    mode: Mode = "vector",
) -> dict[str, Result]:
    """Index the documents with each chunker, search flat, and evaluate at equal context budgets.

    Parameters
    ----------
    chunkers:
        By the name that the tables give them.
    documents, questions:
        In one language, for example those of :func:`course_set`.
    budgets:
        Tokens of context, see :func:`~hierrag_lessons.evaluation.evaluate`.
    embedder:
        The default one of the documents' language where not given. Where chunks are longer than it reads, the rest of
        them is not embedded; that is part of what is measured, so it is not warned of here.
    mode:
        ``"vector"``, ``"text"`` or ``"hybrid"``.

    Returns
    -------
    dict[str, Result]
        In the order of ``chunkers``; ``evaluation.compare`` and ``evaluation.budget_curve`` take it as it is.

    Raises
    ------
    ValueError
        Where there are no documents, or documents of two languages; and as ``evaluate`` does.
    """
    languages = {document.language for document in documents}
    if len(languages) != 1:
        raise ValueError(f"the documents are in {sorted(languages) or 'no language'}; give those of one language")
    language = languages.pop()
    embedder = embedder or default_embedder(language)
    asked = tuple(questions)
    results: dict[str, Result] = {}
    for name, chunker in chunkers.items():
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncationWarning)
            index = Index.create(Path(folder) / "index", embedder, language=language)
            index.add(build_hierarchy(document, [chunker]) for document in documents)
            results[name] = evaluate(FlatRetriever(index, mode=mode), asked, budgets)
    return results
