"""The course's own texts with their questions, and the budgets at which methods are compared.

Lesson 02 uses it.
"""

from __future__ import annotations

from typing import Literal

from hierrag_lessons import checks
from hierrag_lessons.evaluation.loading import load_questions
from hierrag_lessons.evaluation.questions import Question, Wording
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading import DATA_DIR, Collection, load_corpus, read_python_reference

Split = Literal["dev", "test"]
Source = Literal["en", "zh", "python"]
"""The course's English texts, its Chinese ones, and the Python language reference of the learner's own interpreter."""

JUDGED = DATA_DIR / "questions" / "judged"
"""The questions whose evidence was looked for in everything that several methods bring."""

BUDGETS = (500, 1000, 2000, 4000, 8000)
"""The context budgets, in tokens, at which the course compares retrievers."""


def course_set(language: Language, split: Split = "dev") -> tuple[list[Document], list[Question]]:
    """The documents of ``data/corpora/<language>`` and one half of the gold questions on them.

    ``"dev"`` is the half to choose methods and parameters with; ``"test"`` is for the final comparison only.

    Raises ``ValueError`` for another language or half, and as :func:`~hierrag_lessons.reading.load_corpus` and
    :func:`~hierrag_lessons.evaluation.questions.load_questions` do.
    """
    checks.one_of("language", language, Language)
    checks.one_of("split", split, Split)
    documents = load_corpus(language)
    files = sorted((DATA_DIR / "questions").glob(f"{language}_*.jsonl"))
    questions = [question for file in files for question in load_questions(file, documents)]
    return documents, [question for question in questions if question.split == split]


def course_questions(
    source: Source, split: Split = "dev", *, wording: Wording = "user", collection: Collection = "core"
) -> tuple[list[Document], list[Question]]:
    """The documents of a collection, and the questions that are asked on it.

    >>> from hierrag_lessons import course_questions
    >>> documents, questions = course_questions("zh")
    >>> {question.language for question in questions}, {question.wording for question in questions}
    ({'zh'}, {'user'})

    A question on the ``"core"`` may have another answer in an earlier edition, so it is asked on the core alone; one on
    ``"all"`` says which year, version or edition it means. The reference has no archive. Questions whose evidence reads
    differently in the learner's Python are left out.

    Parameters
    ----------
    source:
        ``"en"``, ``"zh"`` or ``"python"``.
    split:
        ``"dev"`` to choose methods and parameters with, ``"test"`` for the final comparison only.
    wording:
        ``"user"``, or ``"avoiding"`` for the same questions, where there are such, in words that the text avoids.
    collection:
        ``"core"``, or ``"all"`` for the core and its archive.

    Raises ``ValueError`` for another source, split, wording or collection, and as ``load_corpus`` and
    ``load_questions`` do.
    """
    checks.one_of("source", source, Source)
    checks.one_of("split", split, Split)
    checks.one_of("wording", wording, Wording)
    checks.one_of("collection", collection, Collection)
    documents = everything = read_python_reference() if source == "python" else load_corpus(source, "all")
    if source != "python" and collection == "core":
        documents = [document for document in everything if not document.doc_id.startswith(f"{source}/archive/")]
    found = [
        question
        for file in sorted(JUDGED.glob(f"{source}_*.jsonl"))
        for question in load_questions(file, everything, missing="drop" if source == "python" else "raise")
    ]
    chosen = (split, wording, collection)
    return documents, [q for q in found if (q.split, q.wording, q.collection) == chosen]
