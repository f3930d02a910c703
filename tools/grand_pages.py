"""Tables about the grand comparison, from ``benchmarks/results/grand.json``: headers and rows for ``tools.pages``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from hierrag_lessons.evaluation import score_verdicts

Rows = list[tuple[str, ...]]

FINAL = {
    "flat search by vectors and words, leaves of 200 tokens": "structure | flat hybrid",
    "the same by vectors alone": "structure | flat vectors",
    "flat chunks of 400 tokens": "recursive 400 | flat hybrid",
    "flat chunks of 800 tokens": "recursive 800 | flat hybrid",
    "sentence window ±2": "structure | sentence window ±2",
    "parent-child: find 200, return 600": "structure | parent-child",
    "auto-merging: return 600 where more than half was found": "structure | auto-merging",
    "summary tree (RAPTOR's form, extractive)": "structure | summary tree, collapsed",
    "leaves scored with their section": "structure | leaf and section",
    "**sentences scored by every level around them**": "structure | every level",
}
"""What README calls the methods of the final table, and what they are called in the results."""


def scores(shelves: Mapping[str, Any], row: str, metric: str) -> dict[str, float]:
    """Question to score, the mean over the five budgets, of one row on all shelves."""
    found: dict[str, float] = {}
    for shelf in shelves:
        entry, written = shelves[shelf], shelves[shelf]["rows"][row][f"{metric}_by_question"]
        values = [int(each) / 1000 for each in written.split()] if metric == "recall" else [int(c) / 5 for c in written]
        found |= dict(zip((f"{shelf} {q['id']}" for q in entry["questions"]), values, strict=True))
    return found


def final(report: Mapping[str, Any]) -> tuple[tuple[str, ...], Rows]:
    """Ten methods on the test questions of all five shelves, against flat hybrid search."""
    shelves = report["test"]
    tables = {
        metric: score_verdicts({title: scores(shelves, row, metric) for title, row in FINAL.items()}, metric).records()
        for metric in ("recall", "complete")
    }
    rows: list[tuple[str, ...]] = []
    for recall, complete in zip(tables["recall"], tables["complete"], strict=True):
        cells = [f"{record[metric]:.3f}" for metric, record in (("recall", recall), ("complete", complete))]
        rows.append((str(recall["method"]), cells[0], _difference(recall), cells[1], _difference(complete)))
    count = len(scores(shelves, FINAL["the same by vectors alone"], "recall"))
    header = (f"{count} test questions, mean over five budgets", "recall", "difference", "complete", "difference")
    return header, rows


def _difference(record: Mapping[str, Any]) -> str:
    if record["difference"] is None:
        return "–"
    said = record["verdict"] if record["verdict"] in ("ahead", "behind") else "not shown"
    return f"{record['difference']:+.3f} ({record['low']:+.3f} to {record['high']:+.3f}), {said}"


def every_row(report: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Rows]]:
    """A table for each shelf: every row's recall and complete evidence, on the development and the test questions."""
    for shelf, entry in report["test"].items():
        dev = report["dev"][shelf]
        rows = [
            (
                *_cut_and_search(name),
                *(
                    f"{fmean(half['rows'][name][metric]):.3f}"
                    for metric in ("recall", "complete")
                    for half in (dev, entry)
                ),
            )
            for name in entry["rows"]
        ]
        title = f"{shelf} ({len(dev['questions'])} and {len(entry['questions'])} questions)"
        yield (
            (title, "search", "recall, dev", "test", "complete, dev", "test"),
            sorted(rows, key=lambda row: (row[3], row[:2]))[::-1],
        )


def _cut_and_search(name: str) -> tuple[str, str]:
    """The two parts of a row's name; a reference's form has one for both."""
    cut, _, search = name.rpartition(" | ")
    return (cut or "as published", search)
