"""The generated part of benchmarks/README.md on answers, from ``results/answers.json``."""

from __future__ import annotations

from benchmarks.results import read
from tools.markdown import table

TEXTS = {"en": "English texts", "zh": "Chinese texts"}


def answers() -> str:
    """Key facts in context, within reach, in the lead and in the extract; refusals; how far counting words agrees."""
    found = read("answers")
    parts = []
    for language, entry in found["languages"].items():
        budgets = list(entry["answers"])
        rows = []
        for name in entry["answers"][budgets[0]]:
            cells = [entry["answers"][budget][name] for budget in budgets]
            rows.append((name, *(value for cell in cells for value in _cells(cell))))
        heads = ("in the context", "within reach", "in the lead", "in the extract", "extract against lead")
        columns = [
            f"{int(budget):,} tokens: {heads[0]}" if not i else heads[i]
            for budget in budgets
            for i in range(len(heads))
        ]
        parts.append(table((f"{TEXTS[language]} ({entry['questions']}): key facts", *columns), rows))
    refusals = found["languages"]["en"]["refusals"]
    kinds = list(next(iter(refusals.values())))
    lines = [
        (name, *(f"{own[kind]['refused']} of {own[kind]['questions']}" for kind in kinds))
        for name, own in refusals.items()
    ]
    parts.append(table(("refused by a rule on scores, English", *kinds), lines))
    words = found["containment"]
    parts.append(
        f"Counting words agrees with the labels of {words['share']:.0%} of {words['statements']} statements: "
        f"Cohen's kappa {words['kappa']:.2f} ({words['low']:.2f} to {words['high']:.2f})."
    )
    return "\n\n".join(parts)


def _cells(cell: dict[str, float | str]) -> tuple[str, ...]:
    verdict = str(cell["verdict"]).partition(" (")[0]
    interval = f"{verdict} ({float(cell['low']):+.2f} to {float(cell['high']):+.2f})"
    return (*(f"{float(cell[part]):.2f}" for part in ("context", "reachable", "lead", "extract")), interval)
