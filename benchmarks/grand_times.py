"""How long the rows of the grand comparison take, in turn on the same questions: ``python -m benchmarks.grand_times``.

Every row of the English texts with their archive stands open at once. Each question goes to all rows, beginning with
another one each time, so that what else the machine does falls on all of them alike. Written are each row's median of
milliseconds and the median of its ratio to flat hybrid search on the same question in the same round. The questions'
vectors are known; nothing else is.

What multi-level scoring keeps in memory is in ``benchmarks/results/multi_level.json``.
"""

from __future__ import annotations

import statistics
import time
from contextlib import ExitStack

from benchmarks.grand_parts import SHELVES, groups_of, opened, questions_of
from benchmarks.grand_rows import FLAT, Methods
from benchmarks.results import write
from hierrag_lessons.embedding import default_embedder

NAME = "grand_times"
QUESTIONS = 40  # taken evenly from the development questions
ROUNDS = 3
PASSAGES = 10


def times(rows: Methods, questions: list[str]) -> dict[str, list[float]]:
    """Each row's seconds, question by question and round by round; the first round is for warming and isn't kept."""
    found: dict[str, list[float]] = {name: [] for name in rows}
    names = list(rows)
    for turn in range(ROUNDS + 1):
        for place, question in enumerate(questions):
            first = place % len(names)
            for name in names[first:] + names[:first]:
                started = time.perf_counter()
                rows[name].retriever.retrieve(question, PASSAGES)
                if turn:
                    found[name].append(time.perf_counter() - started)
    return found


def main() -> None:
    """Open all rows of the largest English shelf, ask them in turn, and write the results."""
    shelf = next(shelf for shelf in SHELVES if (shelf.source, shelf.collection) == ("en", "all"))
    documents, questions = questions_of(shelf, "dev")
    asked = [question.question for question in questions[:: len(questions) // QUESTIONS]][:QUESTIONS]
    embedder = default_embedder(shelf.language)
    with ExitStack() as stack:
        rows = {
            name: method
            for group in groups_of(shelf)
            for name, method in stack.enter_context(opened(group, documents, embedder)).items()
        }
        found = times(rows, asked)
    flat = found[FLAT]
    write(
        NAME,
        {
            "passages": PASSAGES,
            "questions": len(asked),
            "rows": {
                name: {
                    "milliseconds": round(1000 * statistics.median(seconds), 2),
                    "over_flat_hybrid": round(
                        statistics.median(own / base for own, base in zip(seconds, flat, strict=True)), 2
                    ),
                }
                for name, seconds in found.items()
            },
        },
        ("lancedb", "numpy"),
    )


if __name__ == "__main__":
    main()
