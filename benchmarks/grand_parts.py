"""One part of the grand comparison: the rows of one group, on one shelf, for one half of the questions.

A part is kept beside the embedding cache under a mark of the code, the texts and the questions, so that a run which was
interrupted goes on. ``benchmarks.grand`` measures all of them and puts them together.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import grand_rows
from benchmarks.bakeoff import kind_of, methods
from benchmarks.grand_rows import GROUPS, Method, Methods, advised, by_advised_sizes, under_every_retriever
from hierrag_lessons.embedding import TruncationWarning, default_embedder
from hierrag_lessons.embedding.cache import cache_folder
from hierrag_lessons.evaluation import (
    BUDGETS,
    Question,
    Source,
    complete,
    completeness,
    course_questions,
    evaluate,
    recall,
)
from hierrag_lessons.evaluation.course import Split
from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import Document, Embedder, Language
from hierrag_lessons.reading import Collection
from hierrag_lessons.text import count_tokens

NAME = "grand"
KINDS = ("research paper", "annual report", "regulation", "news", "questions and answers")


class Shelf(NamedTuple):
    """A source, and whether its archive of earlier editions stands beside the core."""

    source: Source
    collection: Collection

    @property
    def language(self) -> Language:
        """The language of its texts."""
        return "zh" if self.source == "zh" else "en"


SHELVES = (Shelf("en", "core"), Shelf("zh", "core"), Shelf("python", "core"), Shelf("en", "all"), Shelf("zh", "all"))


def questions_of(shelf: Shelf, split: Split) -> tuple[list[Document], list[Question]]:
    """The documents of a shelf, and the answerable questions of one half, in users' words."""
    documents, found = course_questions(shelf.source, split, collection=shelf.collection)
    return documents, [question for question in found if question.answerable]


def groups_of(shelf: Shelf) -> list[str]:
    """The names of the groups of rows on a shelf: every chunker on the two cores, the two plainest ones elsewhere."""
    if shelf.source == "python" or shelf.collection == "all":
        return ["recursive", "structure", *(group for group in GROUPS if group != "second look")]
    return [*methods(), *GROUPS, *(f"advised: {kind}" for kind in KINDS)]


def measure(method: Method, questions: Sequence[Question]) -> dict[str, Any]:
    """One row: each question's recall and completeness, means by budget, and the size of the index."""
    result = evaluate(method.retriever, questions, BUDGETS)
    found: dict[str, Any] = {"by_budget": {}, "by_question": {}}
    for metric in ("recall", "complete"):
        at = [result.scores(metric, budget) for budget in BUDGETS]
        found["by_budget"][metric] = [round(statistics.fmean(scores.values()), 4) for scores in at]
        found["by_question"][metric] = [[round(scores[q.id], 3) for scores in at] for q in questions]
    found["tokens"] = [round(result.mean("context_tokens", budget)) for budget in BUDGETS]
    storage = method.index.storage()
    found["storage"] = sum(level.total_bytes for level in storage)
    found["vectors"] = sum(level.vectors for level in storage)
    if method.passages:
        found["own"] = own_size(method, questions)
    return found


def own_size(method: Method, questions: Sequence[Question]) -> dict[str, Any]:
    """What as many passages as the reference returns hold, whatever their size."""
    lists = method.retriever.retrieve_batch([q.question for q in questions], method.passages or 1)
    texts = ["\n\n".join(passage.text for passage in passages) for passages in lists]
    pairs = list(zip(questions, lists, strict=True))
    facts = [completeness(text, q.key_facts) for text, q in zip(texts, questions, strict=True) if q.key_facts]
    return {
        "passages": method.passages,
        "tokens": round(statistics.fmean(sum(count_tokens(p.text) for p in passages) for passages in lists)),
        "recall": [round(recall(passages, q.evidence), 3) for q, passages in pairs],
        "complete": [round(complete(passages, q.evidence), 3) for q, passages in pairs],
        "key_facts": round(statistics.fmean(facts), 4) if facts else None,
    }


def opened(group: str, documents: Sequence[Document], embedder: Embedder) -> AbstractContextManager[Methods]:
    """The rows of a group on these documents, with their indexes, to be closed by the caller."""
    return GROUPS.get(group, partial(under_every_retriever, group))(documents, embedder)


def measure_group(shelf: Shelf, split: Split, group: str) -> dict[str, Any]:
    """The rows of one group on one shelf."""
    documents, questions = questions_of(shelf, split)
    embedder = default_embedder(shelf.language)
    if group.startswith("advised: "):
        kind = group.removeprefix("advised: ")
        questions = [q for q in questions if kind_of(q) == kind]
        inside = {piece.doc_id for question in questions for piece in question.evidence}
        documents = [d for d in documents if d.doc_id in inside or ("/news" in d.doc_id and kind == "news")]
        if not questions or advised(kind, shelf.language) is None:
            return {"questions": [], "rows": {}}
        context: AbstractContextManager[Methods] = by_advised_sizes(kind, documents, embedder, shelf.language)
    else:
        context = opened(group, documents, embedder)
    with warnings.catch_warnings(), context as rows:
        warnings.simplefilter("ignore", TruncationWarning)
        found = {name: measure(method, questions) for name, method in with_progress(rows.items(), group)}
    return {"questions": [q.id for q in questions], "rows": found}


def mark(shelf: Shelf, split: Split, group: str) -> str:
    """A name that changes with the code of the methods, the texts and the questions."""
    documents, questions = questions_of(shelf, split)
    digest = hashlib.sha256(repr((shelf, split, group, documents, questions)).encode())
    package = Path(grand_rows.__file__).resolve().parents[1] / "hierrag_lessons"
    rooms = ("chunkers", "embedding", "ranking", "store", "retrievers", "context", "summaries", "propositions", "text")
    files = [path for room in rooms for path in sorted((package / room).rglob("*.py"))]
    for path in [*files, Path(grand_rows.__file__), Path(__file__)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def part(shelf: Shelf, split: Split, group: str) -> dict[str, Any]:
    """The part of one group, measured or read."""
    folder = cache_folder() / NAME / split
    path = folder / f"{shelf.source}-{shelf.collection}-{group.replace(': ', '-').replace(' ', '_')}.json"
    name = mark(shelf, split, group)
    if path.exists():
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if known["mark"] == name:
            return known
    found = {"mark": name, **measure_group(shelf, split, group)}
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(found), encoding="utf-8")
    unfinished.replace(path)
    return found
