"""Methods that share an index, measured on it: what they find, how long a search takes, what the index weighs.

Lesson 24 uses it.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from hierrag_lessons.embedding import TruncationWarning
from hierrag_lessons.evaluation import Question, Result, evaluate
from hierrag_lessons.model import Document, Embedder, Language, Retriever
from hierrag_lessons.own_documents.keeping import Measured, prompt_tokens, reduced
from hierrag_lessons.own_documents.methods import Method
from hierrag_lessons.store import temporary_index

TIMED = 20
"""Questions that one search each is timed with."""


def measure_group(
    group: Sequence[Method],
    documents: Sequence[Document],
    questions: Sequence[Question],
    budgets: Sequence[int],
    embedders: Mapping[Language, Embedder],
) -> Iterator[Measured]:
    """Make the index that all methods of a group search, one for each language, and measure each of them on it.

    Raises ``ValueError`` as ``temporary_index`` and ``evaluate`` do.
    """
    rows = {method.name: list[Result]() for method in group}
    times = {method.name: list[float]() for method in group}
    size, vectors = 0, 0
    for language, embedder in embedders.items():
        asked = [question for question in questions if question.language == language]
        trees = (group[0].cut(document) for document in documents if document.language == language)
        with temporary_index(trees, embedder=embedder) as index, warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncationWarning)  # the report says how much is not read
            storage = index.storage()
            size += sum(level.total_bytes for level in storage)
            vectors += sum(level.vectors for level in storage)
            for method in group:
                retriever = method.retrieve(index)
                rows[method.name].append(reduced(evaluate(retriever, asked, budgets)))
                times[method.name] += _query_times(retriever, asked)
    for method in group:
        result = Result(tuple(row for part in rows[method.name] for row in part.rows))
        written = prompt_tokens(result)
        yield Measured(method.name, result, median(times[method.name]), size, vectors, written)


def _query_times(retriever: Retriever, questions: Sequence[Question]) -> list[float]:
    """Milliseconds of one search each, for some of the questions."""
    times = []
    for question in questions[:: max(1, len(questions) // TIMED)][:TIMED]:
        started = time.perf_counter()
        retriever.retrieve_batch([question.question], 10)
        times.append(1000 * (time.perf_counter() - started))
    return times
