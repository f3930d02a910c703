"""The scoreboard of the lessons: methods on the course's own texts and questions, at equal context budgets."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from hierrag_lessons.chunkers import StructureChunker
from hierrag_lessons.documents import DATA_DIR, load_corpus
from hierrag_lessons.embedding import Embedder, TruncationWarning, default_embedder
from hierrag_lessons.evaluation import Result, evaluate
from hierrag_lessons.hierarchy import Chunker, Hierarchy, build_hierarchy
from hierrag_lessons.questions import Question, load_questions
from hierrag_lessons.retrievers import FlatRetriever, Retriever
from hierrag_lessons.spans import Document, Language, Passage
from hierrag_lessons.store import Index, Mode

Split = Literal["dev", "test"]
BUDGETS = (500, 1000, 2000, 4000)
"""The context budgets, in tokens, at which the course compares retrievers."""


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


def course_hierarchy(document: Document) -> Hierarchy:
    """The hierarchy that the lessons on retrievers share: sections of at most 2000, 600 and 200 tokens.

    All three levels are cut by structure, so that every node has its heading path as context; sizes are those that the
    "Hierarchical RAG study note" of 2026 recommends. The leaves are level 3.
    """
    return build_hierarchy(
        document, [StructureChunker(2000, 600), StructureChunker(600, 200), StructureChunker(200, 80)]
    )


@contextmanager
def temporary_index(hierarchies: Iterable[Hierarchy], *, embedder: Embedder | None = None) -> Iterator[Index]:
    """An index of the hierarchies that is there for the ``with`` block only.

    Where texts are longer than the embedder reads, the rest of them is not embedded. That is part of what the lessons
    measure, so it is not warned of here.

    Parameters
    ----------
    hierarchies:
        Of documents in one language.
    embedder:
        The default one of that language where not given.

    Raises ``ValueError`` where there are no hierarchies, or documents of two languages.
    """
    made = list(hierarchies)
    languages = {hierarchy.document.language for hierarchy in made}
    if len(languages) != 1:
        raise ValueError(f"the documents are in {sorted(languages) or 'no language'}; give those of one language")
    language = languages.pop()
    with tempfile.TemporaryDirectory() as folder:
        index = Index.create(Path(folder) / "index", embedder or default_embedder(language), language=language)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncationWarning)
            index.add(made)
        yield index


def score_retrievers(
    retrievers: Mapping[str, Retriever], questions: Iterable[Question], budgets: Sequence[int] = BUDGETS
) -> dict[str, Result]:
    """Evaluate each retriever on the same questions at equal context budgets, see ``evaluation.evaluate``.

    The result is in the order of ``retrievers``; ``evaluation.compare`` and ``evaluation.budget_curve`` take it as it
    is.
    """
    asked = tuple(questions)
    return {name: evaluate(retriever, asked, budgets) for name, retriever in retrievers.items()}


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
    asked = tuple(questions)
    results: dict[str, Result] = {}
    for name, chunker in chunkers.items():
        hierarchies = (build_hierarchy(document, [chunker]) for document in documents)
        with temporary_index(hierarchies, embedder=embedder) as index:
            results[name] = evaluate(FlatRetriever(index, mode=mode), asked, budgets)
    return results


@dataclass(frozen=True, slots=True)
class Change:
    """One question under two methods: its measure and the packed passages before and after."""

    question: Question
    before: float
    after: float
    passages_before: tuple[Passage, ...]
    passages_after: tuple[Passage, ...]


def largest_changes(
    before: Result, after: Result, metric: str = "recall", budget: int | None = None
) -> tuple[Change | None, Change | None]:
    """The question that a method rescued and the one that it spoiled: the largest gain and the largest loss.

    Equal changes are settled by the question's id. ``None`` stands for the one where no question gains, and for the
    other where none loses.

    Raises ``ValueError`` where the two results share no question with this metric at this budget, and as
    ``Result.scores`` does.
    """
    old, new = before.scores(metric, budget), after.scores(metric, budget)
    shared = sorted(old.keys() & new.keys())
    if not shared:
        raise ValueError(f"the two results have no question with {metric} in common; evaluate both on the same ones")
    at = budget if budget is not None else before.budgets[0]

    gains = {question_id: round(new[question_id] - old[question_id], 9) for question_id in shared}

    def largest(sign: int) -> Change | None:
        question_id = min(shared, key=lambda name: (-sign * gains[name], name))
        if sign * gains[question_id] <= 0:
            return None
        rows = [next(r for r in x.rows if r.question.id == question_id and r.budget == at) for x in (before, after)]
        packed = [row.passages for row in rows]
        return Change(rows[0].question, old[question_id], new[question_id], packed[0], packed[1])

    return largest(1), largest(-1)
