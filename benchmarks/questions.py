"""What the gold questions are, and how small a difference they can show: ``python -m benchmarks.questions``.

It counts the questions by every field, compares their words with those of public sets (where ``HIERRAG_BENCH`` names
the folder that has them), and says how far a second reader agrees. :func:`detectable` computes from the spread of
methods' differences the smallest one that so many questions can show with 80 % power: 2.80 standard deviations over
the root of their number.
"""

from __future__ import annotations

import json
import math
import os
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, get_args

from benchmarks.results import read, write
from benchmarks.wording import overlap_with, passages_around
from hierrag_lessons.evaluation import Evidence, Question, Result, Source, Wording, load_questions, recall
from hierrag_lessons.evaluation.course import JUDGED
from hierrag_lessons.evaluation.verdicts import STANDARD_ERRORS
from hierrag_lessons.model import Document, Span
from hierrag_lessons.reading import DATA_DIR, load_corpus, load_documents, read_python_reference

JUDGEMENTS = DATA_DIR / "questions" / "judgements"
"""What was read for each question, and whether it says what a piece of evidence says."""

SECOND = DATA_DIR / "questions" / "second"
"""The evidence that a second reader marked for a tenth of the new questions."""

BUDGETS = (500, 1000, 2000, 4000, 8000)
PUBLIC = ("chroma_eval", "locomo", "qmsum", "xquad-en", "xquad-zh")
FIELDS = ("wording", "split", "collection", "type", "geometry", "tier")


def questions_on(source: Source) -> tuple[list[Document], list[Question]]:
    """All documents of a source, and all questions on them: both splits, both wordings, both collections."""
    documents = read_python_reference() if source == "python" else load_corpus(source, "all")
    missing: Literal["drop", "raise"] = "drop" if source == "python" else "raise"
    found = [
        q for path in sorted(JUDGED.glob(f"{source}_*.jsonl")) for q in load_questions(path, documents, missing=missing)
    ]
    return documents, found


def judgements(source: Source) -> list[dict[str, Any]]:
    """What was read for each question, as the file has it.

    ``read`` are the passages of the pool, each with its verdict: whether it says ``wholly``, ``partly`` or ``no`` piece
    of the evidence, or was ``screened``: it has too few of the evidence's words and facts to say any. For a tenth of
    the questions ``deeper`` are those that only a pool of the best ten has and that were not screened.
    """
    path = JUDGEMENTS / f"{source}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def judged_spans(source: Source) -> dict[str, dict[str, list[Span]]]:
    """What somebody has read for each question: spans by document, by the question's id."""
    found: dict[str, dict[str, list[Span]]] = {}
    for record in judgements(source):
        spans: defaultdict[str, list[Span]] = defaultdict(list)
        for doc_id, start, end, _ in (*record["read"], *record.get("deeper", ())):
            spans[doc_id].append(Span(start, end))
        found[record["id"]] = dict(spans)
    return found


def pooled(source: Source, questions: Sequence[Question]) -> dict[str, Any]:
    """How many passages were read, how many alternatives they gave, and what a pool twice as deep would add."""
    records = judgements(source)
    verdicts = Counter(verdict for record in records for *_, verdict in record["read"])
    deeper = [record["deeper"] for record in records if "deeper" in record]
    pieces = [piece for question in questions for piece in question.evidence]
    return {
        "questions": len(records),
        "passages": sum(verdicts.values()),
        "verdicts": dict(sorted(verdicts.items())),
        "pieces": len(pieces),
        "alternatives": sum(len(piece.alternatives or ()) for piece in pieces),
        "pieces_with": sum(bool(piece.alternatives) for piece in pieces),
        "deeper_questions": len(deeper),
        "deeper_wholly": sum(verdict == "wholly" for read in deeper for *_, verdict in read),
    }


def counts(questions: Iterable[Question]) -> dict[str, dict[str, int]]:
    """How many questions have each value of each field."""
    asked = list(questions)
    return {name: dict(sorted(Counter(str(getattr(question, name)) for question in asked).items())) for name in FIELDS}


def leaking(questions: Iterable[Question]) -> list[tuple[str, str]]:
    """Pairs of questions of different splits that share evidence."""
    pieces: defaultdict[str, list[tuple[int, int, Question]]] = defaultdict(list)
    for question in questions:
        for piece in question.evidence:
            pieces[piece.doc_id].append((piece.start, piece.end, question))
    return sorted(
        {
            (one.id, other.id)
            for found in pieces.values()
            for (a, b, one), (c, d, other) in combinations(sorted(found, key=lambda piece: piece[:2]), 2)
            if c < b and a < d and one.split != other.split
        }
    )


def word_overlap(documents: Sequence[Document], questions: Iterable[Question]) -> list[float]:
    """For each answerable question, the share of its words that stand in or near its evidence."""
    by_id = {document.doc_id: document for document in documents}
    shares = []
    for question in questions:
        spans: defaultdict[str, list[Span]] = defaultdict(list)
        for piece in question.evidence:
            spans[piece.doc_id].append(piece.span)
        around = [text for doc_id, found in spans.items() for text in passages_around(found, by_id[doc_id])]
        if around:
            shares.append(overlap_with(question.question, around, question.language))
    return shares


def agreement(questions: Iterable[Question], second: Mapping[str, Sequence[Evidence]]) -> dict[str, float]:
    """How far a second reader, who saw the question alone, found the same evidence: means over the questions.

    ``recall`` is the share of the gold characters that the second reader marked, ``precision`` the share of the second
    reader's that are gold, ``f1`` their harmonic mean, ``documents`` the share of questions with the same documents.
    """
    rows = []
    for question in questions:
        if found := second.get(question.id):
            gold = [replace(piece, alternatives=None) for piece in question.evidence]
            covered, exact = recall(found, gold), recall(gold, found)
            f1 = 2 * covered * exact / (covered + exact) if covered + exact else 0.0
            same = {piece.doc_id for piece in gold} == {piece.doc_id for piece in found}
            rows.append((covered, exact, f1, float(same)))
    names = ("recall", "precision", "f1", "documents")
    means = {
        name: round(statistics.fmean(column), 3) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
    return {"questions": len(rows), **means}


def second_reading(source: Source) -> dict[str, list[Evidence]]:
    """What a second reader marked for a tenth of the new questions, by the question's id."""
    path = SECOND / f"{source}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {
        record["id"]: [Evidence(piece["doc_id"], piece["start"], piece["end"]) for piece in record["evidence"]]
        for record in map(json.loads, lines)
    }


def detectable(results: Mapping[str, Result], budgets: Sequence[int], questions: int) -> float:
    """The smallest mean difference shown with 80 % power, from the median spread over all pairs of methods.

    Scores are means over ``budgets``; ``questions`` is how many there will be.
    """
    means = {
        name: {
            key: statistics.fmean(result.scores("recall", budget)[key] for budget in budgets)
            for key in result.scores("recall", budgets[0])
        }
        for name, result in results.items()
    }
    spreads = [statistics.stdev(one[key] - other[key] for key in one) for one, other in combinations(means.values(), 2)]
    return STANDARD_ERRORS * statistics.median(spreads) / math.sqrt(questions)


def shape(documents: Sequence[Document], questions: Iterable[Question]) -> dict[str, Any]:
    """How many answerable questions there are, how long they are, and how near their words are to the evidence's.

    Lengths are means: words, or characters in Chinese.
    """
    asked = [question for question in questions if question.answerable]
    lengths = [len(q.question if q.language == "zh" else q.question.split()) for q in asked]
    return {
        "answerable": len(asked),
        "test": sum(question.split == "test" for question in asked),
        "length": round(statistics.fmean(lengths), 1),
        "pieces": round(statistics.fmean(len(question.evidence) for question in asked), 2),
        "overlap": round(statistics.fmean(word_overlap(documents, asked)), 3),
    }


def public_sets() -> dict[str, Any]:
    """The shape of public question sets, where ``HIERRAG_BENCH`` names the folder that has them."""
    found = {}
    for name in PUBLIC if "HIERRAG_BENCH" in os.environ else ():
        folder = Path(os.environ["HIERRAG_BENCH"]) / name
        documents = load_documents(folder / "documents.jsonl")
        found[name] = shape(documents, load_questions(folder / "questions.jsonl", documents, missing="drop"))
    return found


def main() -> None:
    """Measure, and write ``benchmarks/results/questions.json``."""
    report: dict[str, Any] = {"sources": {}, "public": public_sets() or read("questions")["public"]}
    for source in get_args(Source):
        documents, questions = questions_on(source)
        users = [question for question in questions if question.wording == "user"]
        report["sources"][source] = {
            "users": len(users),
            "counts": counts(users),
            "shapes": {w: shape(documents, [q for q in questions if q.wording == w]) for w in get_args(Wording)},
            "pool": pooled(source, users),
            "leaking": leaking(questions),
        }
        if second := second_reading(source):
            report["sources"][source]["agreement"] = agreement(questions, second)
    write("questions", report)


if __name__ == "__main__":
    main()
