"""What a method found, kept in a file, so that a comparison that was interrupted goes on where it stopped.

Lesson 24 uses it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any

from hierrag_lessons.context import render, reorder
from hierrag_lessons.evaluation import Question, Result, Row
from hierrag_lessons.model import Document, Passage
from hierrag_lessons.text import count_tokens
from hierrag_lessons.whole_files import write_whole

MEASURES = ("recall", "complete", "document_coverage", "context_tokens")
"""What is kept of every question at every budget."""


@dataclass(frozen=True)
class Measured:
    """What one method found on all questions, and what it took.

    ``result`` has the passages of the largest budget only; the rows of the others have their measures and no passages.
    ``query_ms`` is the median time of one search for 10 passages; ``storage_bytes`` and ``vectors`` are those
    of the index, before files are compressed. Methods that share an index have its figures in common.
    ``prompt_tokens`` is what the contexts of the largest budget have as a prompt, see :func:`prompt_tokens`.
    """

    name: str
    result: Result
    query_ms: float
    storage_bytes: int
    vectors: int
    prompt_tokens: float


def mark_of(documents: Sequence[Document], questions: Sequence[Question], *others: object) -> str:
    """A name for exactly these documents, questions and settings with this version of the package, in 16 characters."""
    told = [version("hierrag_lessons"), *others, [asdict(d) for d in documents], [asdict(q) for q in questions]]
    content = json.dumps(told, sort_keys=True, default=str)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def reduced(result: Result) -> Result:
    """The result with :data:`MEASURES` alone, and the passages of the largest budget alone, without their hits."""
    most = max(result.budgets)
    return Result(
        tuple(
            Row(
                row.question,
                row.budget,
                tuple(_bare(passage) for passage in row.passages) if row.budget == most else (),
                {name: row.metrics[name] for name in MEASURES},
            )
            for row in result.rows
        )
    )


def prompt_tokens(result: Result) -> float:
    """The mean tokens of the contexts of the largest budget once they are written into a prompt.

    Methods are compared at equal tokens of text. Numbers and headings come on top, see ``context.render``: they are
    more for many small passages than for a few large ones.
    """
    most = max(result.budgets)
    contexts = [reorder(row.passages, "document") for row in result.rows if row.budget == most]
    return fmean(count_tokens(render(passages).text) for passages in contexts)


def save(measured: Measured, file: Path) -> None:
    """Write it whole or not at all: a run that ends in the middle leaves no half file.

    Raises ``OSError`` where it cannot be written.
    """
    rows = [
        {
            "question": row.question.id,
            "budget": row.budget,
            "metrics": dict(row.metrics),
            "passages": [[p.doc_id, p.start, p.end, p.context, p.score] for p in row.passages],
        }
        for row in measured.result.rows
    ]
    told = {key: value for key, value in vars(measured).items() if key != "result"}
    write_whole(file, json.dumps({**told, "rows": rows}))


def load(file: Path, documents: Mapping[str, Document], questions: Mapping[str, Question]) -> Measured | None:
    """What :func:`save` wrote, ``None`` where there is nothing or the file is damaged: then it is measured again."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        rows = tuple(
            Row(
                questions[row["question"]],
                row["budget"],
                tuple(_passage(kept, documents) for kept in row["passages"]),
                row["metrics"],
            )
            for row in told.pop("rows")
        )
        return Measured(**told, result=Result(rows))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _passage(kept: Sequence[Any], documents: Mapping[str, Document]) -> Passage:
    doc_id, start, end, context, score = kept
    return Passage(doc_id, start, end, documents[doc_id].text[start:end], context, score)


def _bare(passage: Passage) -> Passage:
    """Its place, text, context and score."""
    return Passage(passage.doc_id, passage.start, passage.end, passage.text, passage.context, float(passage.score))
