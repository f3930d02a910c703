"""The course's own texts with their questions, and the budgets at which methods are compared.

Lesson 02 uses it.
"""

from __future__ import annotations

from typing import Literal

from hierrag_lessons import checks
from hierrag_lessons.evaluation.loading import load_questions
from hierrag_lessons.evaluation.questions import Question
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading import DATA_DIR, load_corpus

Split = Literal["dev", "test"]
BUDGETS = (500, 1000, 2000, 4000)
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
