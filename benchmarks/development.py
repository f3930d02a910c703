"""What the methods find of the development questions, by place of evidence: ``python -m benchmarks.development``.

Each question is asked on its own collection, the core or the core with the archive. Recall and complete evidence are
means over the questions; the share of the best ten passages that nobody has judged stands beside them, because what was
not judged counts as wrong. The test questions are not read.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, get_args

from benchmarks.pooling import LEAF, SECTION, pool_index, unjudged_share
from benchmarks.questions import BUDGETS, detectable, judged_spans
from benchmarks.results import read, write
from hierrag_lessons.chunkers import course_hierarchy, make_units
from hierrag_lessons.embedding import CachedEmbedder, default_embedder
from hierrag_lessons.evaluation import Question, Result, Row, Source, Wording, course_questions, score_retrievers
from hierrag_lessons.evaluation.verdicts import STANDARD_ERRORS
from hierrag_lessons.model import Document, Retriever
from hierrag_lessons.reading import Collection
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    FlatRetriever,
    HybridRetriever,
    MultiLevelRetriever,
    ParentChildRetriever,
    SegmentRetriever,
)
from hierrag_lessons.store import Index, temporary_index

METRICS = ("recall", "complete")
PLAIN = 6
"""The first so many methods are the plain ones."""

GROWS_TO = 2000
"""The budget of the threshold that grows with it."""


def plain_methods(index: Index) -> dict[str, Retriever]:
    """Six methods that differ in what they score and in what they return; the power is computed from them."""
    return {
        "flat": FlatRetriever(index, level=LEAF),
        "BM25": FlatRetriever(index, level=LEAF, mode="text"),
        "hybrid": HybridRetriever(index, level=LEAF, fusion="z_score"),
        "parent-child": ParentChildRetriever(index, child_level=LEAF, coverage=0.3),
        "auto-merging, 0.6": AutoMergingRetriever(index, level=LEAF, threshold=0.6),
        "two levels": HybridRetriever(index, level=LEAF, above={SECTION: 0.5}, fusion="z_score"),
    }


def more_methods(index: Index, units: Index) -> dict[str, Retriever]:
    """Former defaults beside the ones of now, forms that others publish, and every level; all search by both."""
    return {
        "hybrid, by ranks (former default)": HybridRetriever(index, level=LEAF, fusion="reciprocal_rank"),
        "parent-child, hybrid, coverage 0": ParentChildRetriever(index, child_level=LEAF, coverage=0, mode="hybrid"),
        "auto-merging, hybrid, one half (former default)": AutoMergingRetriever(
            index, level=LEAF, threshold=0.5, mode="hybrid"
        ),
        "auto-merging, hybrid, over one half": AutoMergingRetriever(index, level=LEAF, mode="hybrid"),
        f"auto-merging, hybrid, growing to {GROWS_TO:,} tokens": AutoMergingRetriever(
            index, level=LEAF, threshold="growing", budget=GROWS_TO, mode="hybrid"
        ),
        "segments, hybrid, penalty 0.8": SegmentRetriever(index, level=LEAF, penalty=0.8, mode="hybrid"),
        "every level": MultiLevelRetriever(units),
    }


@contextmanager
def all_methods(documents: Sequence[Document]) -> Iterator[dict[str, Retriever]]:
    """All methods on indexes of the documents, until the block ends."""
    embedder = CachedEmbedder(default_embedder(documents[0].language))
    trees = (make_units(course_hierarchy(document)) for document in documents)
    with pool_index(documents) as index, temporary_index(trees, embedder=embedder) as units:
        yield plain_methods(index) | more_methods(index, units)


def measured(source: Source) -> tuple[dict[str, Result], dict[str, list[tuple[float, int]]]]:
    """The result of each method on all development questions, and its unjudged shares with numbers of questions."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    shares: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    judged = judged_spans(source)
    for collection in get_args(Collection):
        asked: list[Question] = []
        for wording in get_args(Wording):
            documents, found = course_questions(source, wording=wording, collection=collection)
            asked += found
        if not asked:
            continue
        with all_methods(documents) as retrievers:
            for name, result in score_retrievers(retrievers, asked, BUDGETS).items():
                rows[name] += result.rows
                users = [q for q in asked if q.wording == "user" and q.answerable and q.id in judged]
                if users:
                    shares[name].append((unjudged_share(retrievers[name], users, judged), len(users)))
    return {name: Result(tuple(found)) for name, found in rows.items()}, dict(shares)


def mean(rows: Iterable[Row], metric: str) -> float:
    """The mean of a measure over the rows, rounded for the results file."""
    return round(statistics.fmean(row.metrics[metric] for row in rows), 4)


def by_place(results: Mapping[str, Result], wording: Wording, metric: str) -> dict[str, Any]:
    """Of each method: a measure's mean at each budget, over all questions and by where the evidence lies."""
    table: dict[str, Any] = {}
    for name, result in results.items():
        groups: defaultdict[str, defaultdict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in result.rows:
            if row.question.wording == wording and row.question.answerable:
                groups["all"][row.budget].append(row)
                groups[str(row.question.geometry)][row.budget].append(row)
        table[name] = {
            group: {str(budget): mean(rows, metric) for budget, rows in budgets.items()}
            for group, budgets in groups.items()
        }
    return table


def power(results: Mapping[str, Sequence[Result]], test: int) -> dict[str, float]:
    """The smallest difference in recall that so many test questions show, at one budget and for the mean of all."""
    users = {
        name: Result(tuple(r for one in found for r in one.rows if r.question.wording == "user"))
        for name, found in list(results.items())[:PLAIN]
    }
    return {
        "questions": test,
        **{str(budget): round(detectable(users, [budget], test), 4) for budget in BUDGETS},
        "mean": round(detectable(users, BUDGETS, test), 4),
    }


def main() -> None:
    """Measure, and write ``benchmarks/results/development.json``."""
    report: dict[str, Any] = {"budgets": BUDGETS, "standard_errors": STANDARD_ERRORS, "sources": {}, "power": {}}
    everything: defaultdict[str, list[Result]] = defaultdict(list)
    counts = read("questions")["sources"]
    for source in get_args(Source):
        results, shares = measured(source)
        asked = {row.question.id: row.question for row in next(iter(results.values())).rows}.values()
        report["sources"][source] = {
            "questions": {
                wording: sum(q.wording == wording and q.answerable for q in asked) for wording in get_args(Wording)
            },
            **{m: {w: by_place(results, w, m) for w in get_args(Wording)} for m in METRICS},
            "unjudged": {
                name: round(sum(share * n for share, n in found) / sum(n for _, n in found), 4)
                for name, found in shares.items()
            },
        }
        test = counts[source]["shapes"]["user"]["test"]
        report["power"][source] = power({name: [result] for name, result in results.items()}, test)
        for name, result in results.items():
            everything[name].append(result)
    pooled = sum(entry["shapes"]["user"]["test"] for entry in counts.values())
    report["power"]["pooled"] = power(everything, pooled)
    write("development", report)


if __name__ == "__main__":
    main()
