"""Every method of the course on the same questions: ``python -m benchmarks.grand --split dev``, then ``--split test``.

The test questions are for lesson 24 alone: it reads what this program finds for them. When all parts of both halves
are there, ``--write`` makes ``benchmarks/results/grand.json`` of them.

A question's recall and complete evidence are means over the five budgets. Storage is the index's,
over the text's own bytes; how long the rows take is measured by ``benchmarks.grand_times``.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping
from typing import Any, get_args

from benchmarks.grand_parts import NAME, SHELVES, groups_of, part, questions_of
from benchmarks.results import write
from hierrag_lessons.evaluation import BUDGETS
from hierrag_lessons.evaluation.course import Split


def line_of(row: Mapping[str, Any], text_bytes: int) -> dict[str, Any]:
    """A row as the results file has it: by question, recall in thousandths and the number of complete contexts."""
    by_question = row["by_question"]
    return {
        **row["by_budget"],
        "tokens": row["tokens"],
        "storage": round(row["storage"] / text_bytes, 3),
        "vectors": row["vectors"],
        "recall_by_question": " ".join(str(round(1000 * statistics.fmean(each))) for each in by_question["recall"]),
        "complete_by_question": "".join(str(round(sum(each))) for each in by_question["complete"]),
        **({"own": _own(row["own"])} if "own" in row else {}),
    }


def _own(own: Mapping[str, Any]) -> dict[str, Any]:
    means = {metric: round(statistics.fmean(own[metric]), 4) for metric in ("recall", "complete")}
    return {**own, **means, "recall_by_question": " ".join(str(round(1000 * value)) for value in own["recall"])}


def combine(split: Split) -> dict[str, Any]:
    """All shelves of one half, from their parts."""
    shelves: dict[str, Any] = {}
    for shelf in SHELVES:
        documents, questions = questions_of(shelf, split)
        text_bytes = sum(len(document.text.encode()) for document in documents)
        rows: dict[str, Any] = {}
        kinds: dict[str, Any] = {}
        for group in groups_of(shelf):
            found = part(shelf, split, group)
            lines = {name: line_of(row, text_bytes) for name, row in found["rows"].items()}
            if group.startswith("advised: "):
                kinds[group.removeprefix("advised: ")] = {"questions": found["questions"], "rows": lines}
            else:
                rows |= lines
        shelves[f"{shelf.source}, {shelf.collection}"] = {
            "questions": [{"id": q.id, "type": q.type, "geometry": q.geometry, "tier": q.tier} for q in questions],
            "rows": rows,
            "advised": kinds,
        }
    return shelves


def main() -> None:
    """Measure the parts of one half; when both halves are there, write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=get_args(Split), required=True)
    parser.add_argument(
        "--only", default="", help="shelves whose name starts so, and groups: 'en, core' or 'en, core/topic'"
    )
    parser.add_argument("--write", action="store_true", help="write the results of both halves")
    chosen = parser.parse_args()
    for shelf in SHELVES:
        for group in groups_of(shelf):
            if f"{shelf.source}, {shelf.collection}/{group}".startswith(chosen.only):
                part(shelf, chosen.split, group)
    if chosen.write:
        write(NAME, {"budgets": BUDGETS, **{split: combine(split) for split in get_args(Split)}}, ("lancedb",))


if __name__ == "__main__":
    main()
