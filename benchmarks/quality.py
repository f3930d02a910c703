"""Recall at equal context budgets on the held-out questions: ``python -m benchmarks.quality``.

The README's table is made from the results file, and a test runs this again and compares.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import Any

from benchmarks.results import write
from hierrag_lessons.chunkers import MARKDOWN, FixedSizeChunker, RecursiveChunker, build_hierarchy
from hierrag_lessons.evaluation import BUDGETS, Question, budget_curve, course_set, load_questions, score_retrievers
from hierrag_lessons.model import Chunker, Document, Retriever
from hierrag_lessons.reading import DATA_DIR, python_reference_checksum, read_python_reference
from hierrag_lessons.retrievers import FlatRetriever, ParentChildRetriever
from hierrag_lessons.store import Index, temporary_index


def retrievers(stack: ExitStack, documents: Sequence[Document]) -> dict[str, Retriever]:
    """Flat search over small and large chunks, and parents found by their children, until the stack is closed."""

    def index(*chunkers: Chunker) -> Index:
        return stack.enter_context(temporary_index(build_hierarchy(document, chunkers) for document in documents))

    parent_child = index(RecursiveChunker(600, separators=MARKDOWN), RecursiveChunker(100, separators=MARKDOWN))
    return {
        "flat, 200 tokens": FlatRetriever(index(FixedSizeChunker(200))),
        "flat, 800 tokens": FlatRetriever(index(FixedSizeChunker(800))),
        "flat over the children, 100 tokens": FlatRetriever(parent_child),
        "parent-child, 600 and 100 tokens": ParentChildRetriever(parent_child, coverage=0.3),
        "parent-child, hybrid search": ParentChildRetriever(parent_child, coverage=0.3, mode="hybrid"),
    }


def question_sets() -> dict[str, tuple[list[Document], list[Question]]]:
    """The documents and their held-out questions, by the name that the README gives them."""
    reference = read_python_reference()
    on_reference = load_questions(DATA_DIR / "questions" / "python_reference.jsonl", reference, missing="drop")
    held_out = [question for question in on_reference if question.split == "test"]
    return {
        "English texts": course_set("en", "test"),
        "Chinese texts": course_set("zh", "test"),
        "Python reference": (reference, held_out),
    }


def measure(without: Collection[str] = ()) -> dict[str, Any]:
    """Evaluate every method on every set but those ``without``."""
    sets = {}
    for title, (documents, asked) in question_sets().items():
        if title in without:
            continue
        questions = [question for question in asked if question.answerable]
        with ExitStack() as stack:
            results = score_retrievers(retrievers(stack, documents), questions)
        recall: dict[str, dict[str, dict[str, float]]] = {name: {} for name in results}
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
