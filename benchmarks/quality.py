"""Recall at equal context budgets on the held-out questions: ``python -m benchmarks.quality``.

The README's table is made from the results file, and a test runs this again and compares.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from typing import Any

from benchmarks.results import write
from hierrag_lessons.chunkers import MARKDOWN, FixedSizeChunker, RecursiveChunker
from hierrag_lessons.documents import DATA_DIR, python_reference_checksum, read_python_reference
from hierrag_lessons.embedding import Embedder, TruncationWarning, default_embedder
from hierrag_lessons.evaluation import budget_curve, evaluate
from hierrag_lessons.hierarchy import Chunker, build_hierarchy
from hierrag_lessons.questions import Question, load_questions
from hierrag_lessons.retrievers import FlatRetriever, ParentChildRetriever, Retriever
from hierrag_lessons.scoreboard import course_set
from hierrag_lessons.spans import Document, Language
from hierrag_lessons.store import Index

BUDGETS = (500, 1000, 2000, 4000)


def retrievers(
    folder: str, documents: Sequence[Document], embedder: Embedder, language: Language
) -> dict[str, Retriever]:
    """Flat search over small and large chunks, and parents found by their children; indexes are made in ``folder``."""

    def index(name: str, chunkers: Sequence[Chunker]) -> Index:
        made = Index.create(f"{folder}/{name}", embedder, language=language)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncationWarning)  # Large chunks are cut by the model: that is a finding.
            made.add(build_hierarchy(document, chunkers) for document in documents)
        return made

    sections = RecursiveChunker(600, separators=MARKDOWN)
    parent_child = index("parent-child", [sections, RecursiveChunker(100, separators=MARKDOWN)])
    return {
        "flat, 200 tokens": FlatRetriever(index("flat-200", [FixedSizeChunker(200)])),
        "flat, 800 tokens": FlatRetriever(index("flat-800", [FixedSizeChunker(800)])),
        "flat over the children, 100 tokens": FlatRetriever(parent_child),
        "parent-child, 600 and 100 tokens": ParentChildRetriever(parent_child),
        "parent-child, hybrid search": ParentChildRetriever(parent_child, mode="hybrid"),
    }


def question_sets() -> dict[str, tuple[list[Document], list[Question], Language]]:
    """The documents and their held-out questions, by the name that the README gives them."""
    reference = read_python_reference()
    on_reference = load_questions(DATA_DIR / "questions" / "python_reference.jsonl", reference, missing="drop")
    held_out = [question for question in on_reference if question.split == "test"]
    return {
        "English texts": (*course_set("en", "test"), "en"),
        "Chinese texts": (*course_set("zh", "test"), "zh"),
        "Python reference": (reference, held_out, "en"),
    }


def measure() -> dict[str, Any]:
    """Evaluate every method on every set."""
    sets = {}
    for title, (documents, asked, language) in question_sets().items():
        questions = [question for question in asked if question.answerable]
        with tempfile.TemporaryDirectory() as folder:
            methods = retrievers(folder, documents, default_embedder(language), language)
            results = {name: evaluate(retriever, questions, BUDGETS) for name, retriever in methods.items()}
        recall: dict[str, dict[str, dict[str, float]]] = {name: {} for name in methods}
        for record in budget_curve(results).records():
            recall[record["method"]][str(record["budget"])] = {
                "mean": round(record["recall"], 4),
                "low": round(record["low"], 4),
                "high": round(record["high"], 4),
                "context_tokens": round(record["context_tokens"], 1),
            }
        sets[title] = {"questions": len(questions), "recall": recall}
    return {"budgets": BUDGETS, "python_reference": python_reference_checksum(), "sets": sets}


if __name__ == "__main__":
    write("quality", measure())
