"""Methods of the grand comparison in whole prompts: ``python -m benchmarks.grand_prompts``, about ten minutes.

The grand comparison counts the passages' own text. Here the same contexts fill a budget three times: with the passages'
text; with a prompt in which each passage has its own heading, best first; and with a prompt in the order of the
document, in which neighbours share a heading, as :func:`~hierrag_lessons.context.pack_prompt` writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, get_args

from benchmarks.grand_parts import SHELVES, Shelf, opened, questions_of
from benchmarks.results import write
from hierrag_lessons.context import pack, pack_prompt, render, retrieve_contexts
from hierrag_lessons.embedding import default_embedder
from hierrag_lessons.evaluation import complete, recall
from hierrag_lessons.evaluation.course import Split
from hierrag_lessons.model import Passage
from hierrag_lessons.text import count_tokens

NAME = "grand_prompts"
BUDGETS = (1000, 4000)
GROUPS = ("structure", "sizes")
ROWS = (
    "structure | flat hybrid",
    "recursive 400 | flat hybrid",
    "structure | parent-child",
    "structure | auto-merging",
    "structure | leaf and section",
    "structure | every level",
)


def under_own_headings(found: Sequence[Passage], budget: int) -> list[Passage]:
    """The passages of the largest pack with which a prompt keeps to the budget that writes a heading over each."""
    fits, too_large, kept = 0, budget + 1, list[Passage]()
    while too_large - fits > 1:
        tried = (fits + too_large) // 2
        packed = pack(found, tried)
        if count_tokens("\n\n".join(render([passage]).text for passage in packed)) <= budget:
            fits, kept = tried, packed
        else:
            too_large = tried
    return kept


WAYS: dict[str, Callable[[Sequence[Passage], int], Sequence[Passage]]] = {
    "passages' text": pack,
    "a heading over each": under_own_headings,
    "neighbours share a heading": lambda found, budget: pack_prompt(found, budget).passages,
}


def measure(shelf: Shelf, split: Split) -> dict[str, dict[str, dict[int, dict[str, str]]]]:
    """For each row, way and budget: each question's recall in thousandths, and whether its evidence is complete."""
    documents, questions = questions_of(shelf, split)
    asked = [question.question for question in questions]
    made: dict[str, dict[str, dict[int, dict[str, str]]]] = {}
    for group in GROUPS:
        with opened(group, documents, default_embedder(shelf.language)) as rows:
            for name in ROWS:
                if name not in rows:
                    continue
                contexts = retrieve_contexts(rows[name].retriever, asked, BUDGETS)
                made[name] = {way: {} for way in WAYS}
                for way, fill in WAYS.items():
                    for budget in BUDGETS:
                        filled = [fill(context[budget], budget) for context in contexts]
                        pairs = [(own, question.evidence) for own, question in zip(filled, questions, strict=True)]
                        made[name][way][budget] = {
                            "recall": " ".join(str(round(1000 * recall(*pair))) for pair in pairs),
                            "complete": "".join(str(round(complete(*pair))) for pair in pairs),
                        }
    return made


def main() -> None:
    """Measure all shelves and both halves, each in a process of its own, and write the results."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        waiting = {(split, shelf): pool.submit(measure, shelf, split) for split in get_args(Split) for shelf in SHELVES}
        found: dict[str, dict[str, Any]] = {split: {} for split in get_args(Split)}
        for (split, shelf), made in waiting.items():
            found[split][f"{shelf.source}, {shelf.collection}"] = made.result()
    write(NAME, {"budgets": BUDGETS, **found}, ("lancedb",))


if __name__ == "__main__":
    main()
