"""Write into the questions what can be computed of them: ``python -m tools.annotate_questions [SOURCE]``.

``geometry`` is where the evidence lies in the course's hierarchy, ``cluster`` names the questions that share evidence,
and ``tier`` says how much of it three plain methods find:

- easy: flat search by meaning, by words and by both find 60 % of it in 1,000 tokens on average;
- medium: the best of the three finds half of it in 4,000 tokens;
- hard: none does.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from benchmarks.pooling import LEAF, pool_index
from benchmarks.questions import questions_on
from hierrag_lessons.chunkers import course_hierarchy
from hierrag_lessons.evaluation import Question, Source, Tier, geometry, score_retrievers
from hierrag_lessons.evaluation.course import JUDGED
from hierrag_lessons.model import Document, Retriever
from hierrag_lessons.retrievers import FlatRetriever
from hierrag_lessons.store import Mode

REFERENCE: tuple[Mode, ...] = ("vector", "text", "hybrid")
EASY, MEDIUM = (1000, 0.6), (4000, 0.5)


def clusters(questions: Iterable[Question]) -> dict[str, str]:
    """The cluster of each question: the first id of all that share evidence, also through others between them.

    >>> from hierrag_lessons import Evidence, Question
    >>> places = {"a": (0, 9), "b": (5, 20), "c": (15, 30), "d": (40, 50)}
    >>> asked = [Question(i, "?", "single_fact", "", (Evidence("doc", *place),)) for i, place in places.items()]
    >>> clusters(asked)
    {'a': 'a', 'b': 'a', 'c': 'a', 'd': 'd'}
    """
    asked = list(questions)
    owner = {question.id: question.id for question in asked}

    def root(question_id: str) -> str:
        while owner[question_id] != question_id:
            question_id = owner[question_id]
        return question_id

    order = {question.id: place for place, question in enumerate(asked)}
    pieces = sorted(
        (piece.doc_id, piece.start, piece.end, question.id) for question in asked for piece in question.evidence
    )
    reach: tuple[str, int, str] | None = None  # the piece so far that ends last, and whose it is
    for doc_id, start, end, question_id in pieces:
        if reach and reach[0] == doc_id and start < reach[1]:
            first, second = sorted((root(question_id), root(reach[2])), key=order.__getitem__)
            owner[second] = first
        if reach is None or reach[0] != doc_id or end > reach[1]:
            reach = (doc_id, end, question_id)
    for question in asked:  # partners have the same evidence; unanswerable ones have none
        if question.partner in owner:
            first, second = sorted((root(question.id), root(str(question.partner))), key=order.__getitem__)
            owner[second] = first
    return {question.id: root(question.id) for question in asked}


def tiers(documents: Sequence[Document], questions: Sequence[Question]) -> dict[str, Tier]:
    """The tier of each answerable question, on an index of these documents."""
    asked = [question for question in questions if question.answerable]
    if not asked:
        return {}
    with pool_index(documents) as index:
        methods: dict[str, Retriever] = {mode: FlatRetriever(index, level=LEAF, mode=mode) for mode in REFERENCE}
        results = score_retrievers(methods, asked, (EASY[0], MEDIUM[0]))
    found: dict[str, Tier] = {}
    for question in asked:
        small = [result.scores("recall", EASY[0])[question.id] for result in results.values()]
        large = [result.scores("recall", MEDIUM[0])[question.id] for result in results.values()]
        easy, medium = sum(small) / len(small) >= EASY[1], max(large) >= MEDIUM[1]
        found[question.id] = "easy" if easy else "medium" if medium else "hard"
    return found


def annotate(source: Source) -> None:
    """Write the three fields into the files of a source."""
    documents, questions = questions_on(source)
    trees = {document.doc_id: course_hierarchy(document) for document in documents}
    where = {question.id: geometry(question.evidence, trees) for question in questions if question.answerable}
    sharing = clusters(questions)
    core = [document for document in documents if "/archive/" not in document.doc_id]
    hard = tiers(core, [question for question in questions if question.collection == "core"])
    hard |= tiers(documents, [question for question in questions if question.collection == "all"])
    for path in files(source):
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for record in records:
            name = record["id"]
            record |= {"geometry": where.get(name), "tier": hard.get(name), "cluster": sharing.get(name, name)}
        write_records(path, records)


def files(source: Source) -> list[Path]:
    """The files with the questions of a source."""
    return sorted(JUDGED.glob(f"{source}_*.jsonl"))


def write_records(path: Path, records: Iterable[dict[str, object]]) -> None:
    """Write questions as they are read, one JSON object a line."""
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Write geometry, cluster and tier into the questions.")
    parser.add_argument("source", nargs="*", default=get_args(Source))
    for source in parser.parse_args().source:
        annotate(source)
        print(source, "done")


if __name__ == "__main__":
    main()
