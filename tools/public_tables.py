"""Tables about public question sets, from ``benchmarks/results/public.json``: headers and rows for ``tools.pages``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.public_sets import PUBLISHED, SETS
from hierrag_lessons.evaluation.verdicts import SHOWN

Rows = list[tuple[str, ...]]

HEADLINE = {
    "flat search by vectors": "flat, vector",
    "flat search by vectors and words": "flat, hybrid (z-scores)",
    "parent-child: find 200 tokens, return 600": "parent-child 600/200, coverage 0, hybrid",
    "auto-merging: return 600 where enough of it was found": "auto-merging 0.6, hybrid",
    "leaves scored with their section": "hybrid, z-scores, half of the section's",
    "**sentences scored by every level around them**": "multi-level, lift 0.25 (default)",
}
"""What README calls the methods of its one table, and what they are called everywhere else."""


def every_method(report: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Rows]]:
    """A table for each set and unit of size: recall with intervals, and differences from flat hybrid search."""
    for name, entry in report["sets"].items():
        for unit, methods in entry["in"].items():
            title = f"{SETS[name].title} ({entry['questions']:,}), {unit}"
            yield _against_first(title, methods)
    if "chroma_eval" in report["sets"]:
        yield _published(report["sets"]["chroma_eval"])


def ablation(report: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Rows]]:
    """A table for each set: what is left when a part of the scores is left out."""
    for name, entry in report["ablation"].items():
        for unit, variants in entry["in"].items():
            header, rows = _against_first(f"{SETS[name].title} ({entry['questions']:,}), {unit}", variants)
            last = list(next(iter(variants.values())))[-1]
            more = [(_percent(at[last]["precision"]), f"{at[last]['used']:,.0f}") for at in variants.values()]
            extended = [(*row, *cells) for row, cells in zip(rows, more, strict=True)]
            yield (*header, f"{int(last):,}: precision", "used"), extended


def headline(report: Mapping[str, Any]) -> tuple[tuple[str, ...], Rows]:
    """Recall of six methods on Chroma's evaluation with intervals, at the second and the fourth budget."""
    methods = report["sets"]["chroma_eval"]["in"]["characters"]
    budgets = [list(next(iter(methods.values())))[place] for place in (1, 3)]
    rows = [
        (title, *(f"{_percent(at['recall'])} ({_percent(at['low'])}–{_percent(at['high'])})" for at in found))
        for title, name in HEADLINE.items()
        for found in [[methods[name][budget] for budget in budgets]]
    ]
    return ("evidence found, in %", *(f"in {int(budget):,} characters" for budget in budgets)), rows


def overview(report: Mapping[str, Any]) -> tuple[tuple[str, ...], Rows]:
    """Recall of each method on each set in characters, at the second and the fourth budget."""
    found = {name: entry["in"]["characters"] for name, entry in report["sets"].items()}
    names = list(dict.fromkeys(method for methods in found.values() for method in methods))
    rows = []
    for method in names:
        cells = []
        for methods in found.values():
            recalls = [at["recall"] for at in methods[method].values()]
            cells.append(f"{_percent(recalls[1])} / {_percent(recalls[3])}")
        rows.append((method, *cells))
    titles = []
    for name, methods in found.items():
        budgets = list(next(iter(methods.values())))
        titles.append(f"{SETS[name].title}, {int(budgets[1]):,} / {int(budgets[3]):,}")
    return ("recall in %, at so many characters", *titles), rows


def standing(report: Mapping[str, Any]) -> str:
    """In how many pairs of set and budget the last method, multi-level scoring, differs from the first."""
    found = [methods for entry in report["sets"].values() for methods in entry["in"].values()]
    differences = [at for methods in found for at in list(methods.values())[-1].values()]
    shown = [at["difference"] for at in differences if at["p"] < SHOWN]
    first, last = next(iter(found[0])), list(found[0])[-1]
    ahead, behind = (sum(sign * difference > 0 for difference in shown) for sign in (1, -1))
    return (
        f"{last[0].upper()}{last[1:]} is ahead of {first} in {ahead} of {len(differences)} pairs of set and budget, "
        f"and behind in {behind}; in the others no difference is shown. The p-values are adjusted after Holm, set by "
        "set."
    )


def _against_first(title: str, methods: Mapping[str, Any]) -> tuple[tuple[str, ...], Rows]:
    budgets = list(next(iter(methods.values())))
    rows = []
    for method, at in methods.items():
        recalls = [f"{_percent(e['recall'])} ({_percent(e['low'])}–{_percent(e['high'])})" for e in at.values()]
        rows.append((method, *recalls, *(_difference(entry) for entry in at.values())))
    sizes = [f"{int(budget):,}" for budget in budgets]
    return (title, *sizes, *(f"{size}: difference, p" for size in sizes)), rows


def _difference(entry: Mapping[str, float]) -> str:
    if "p" not in entry:
        return "–"
    ends = f"{100 * entry['difference']:+.1f} ({100 * entry['from']:+.1f} to {100 * entry['to']:+.1f})"
    return f"{ends}, {'<.001' if entry['p'] < 0.001 else format(entry['p'], '.3f').removeprefix('0')}"


def _published(entry: Mapping[str, Any]) -> tuple[tuple[str, ...], Rows]:
    """Recall, precision and IoU at the largest budget beside published rows of about as much text."""
    methods = entry["in"]["characters"]
    last = list(next(iter(methods.values())))[-1]
    here = f"here, {entry['documents']} corpora, {entry['questions']} questions"
    rows: Rows = [
        (
            method,
            here,
            f"{at[last]['used']:,.0f} characters",
            *(_percent(at[last][metric]) for metric in ("recall", "precision", "iou")),
        )
        for method, at in methods.items()
    ]
    for row in PUBLISHED:
        source = f"published, 5 corpora, 472 questions; {row.embedder}"
        scores = (f"{score:.1f}" for score in (row.recall, row.precision, row.iou))
        rows.append((f"{row.chunker}, five chunks", source, f"{5 * row.tokens:,} tokens", *scores))
    return ("Chroma's evaluation", "measured", "text returned", "recall", "precision", "IoU"), rows


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
