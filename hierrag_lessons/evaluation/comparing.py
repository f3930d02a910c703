"""Methods compared on the same questions: means with intervals, paired differences, budget curves.

Lesson 03 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping

from hierrag_lessons import checks
from hierrag_lessons.evaluation.intervals import bootstrap_interval, paired_difference, paired_test
from hierrag_lessons.evaluation.results import KNOWN, Result, mean_of
from hierrag_lessons.evaluation.tables import Cell, Table


def compare(
    results: Mapping[str, Result],
    metric: str = "recall",
    budget: int | None = None,
    *,
    type: str | None = None,
    language: str | None = None,
) -> Table:
    """Each method's mean with its 95 % interval, and its difference from the first method on the same questions.

    ``low`` and ``high`` are the ends of bootstrap intervals, ``p`` the p-value of a paired randomisation test, see
    ``evaluation.intervals``. The p-values are those of single comparisons: among 20 methods that are all equally good,
    one is expected below 0.05.

    Raises ``ValueError`` where ``results`` is empty, questions or budgets differ, or no question has the metric.
    """
    checks.instance("results", results, Mapping)
    if not results:
        raise ValueError("results is empty; give a mapping from a method's name to its result")
    budgets = sorted({number for result in results.values() for number in result.budgets})
    if budget is None and len(budgets) > 1:
        raise ValueError(f"the results have the budgets {budgets}; name the one to compare at")
    first, lines = next(iter(results)), list[tuple[Cell, ...]]()
    base = results[first].scores(metric, budget, type=type, language=language)
    for name, result in results.items():
        scores = result.scores(metric, budget, type=type, language=language)
        if scores.keys() != base.keys():
            odd = sorted(scores.keys() ^ base.keys())
            raise ValueError(
                f"{first!r} and {name!r} differ in the questions {odd[:5]}; evaluate both on the same ones"
            )
        against: tuple[Cell, ...] = (None,) * 4
        if name != first:
            values, before = list(scores.values()), [base[question_id] for question_id in scores]
            difference = mean_of(scores) - mean_of(base)
            against = (difference, *paired_difference(values, before), paired_test(values, before))
        lines.append((name, len(scores), *_summary(result, scores, budget), *against))
    columns = ("method", "questions", "context_tokens", metric, "low", "high")
    caption = f"{metric} with 95 % intervals; difference from {first}"
    return Table((*columns, "difference", "difference low", "difference high", "p"), tuple(lines), caption)


def budget_curve(
    results: Mapping[str, Result], metric: str = "recall", *, type: str | None = None, language: str | None = None
) -> Table:
    """The metric's mean and 95 % bootstrap interval for each method and budget, with the context tokens really used.

    Raises ``ValueError`` where no question has the metric.
    """
    checks.instance("results", results, Mapping)
    checks.one_of("metric", metric, KNOWN)
    lines: list[tuple[Cell, ...]] = []
    for name, result in results.items():
        for budget in result.budgets:
            scores = result.scores(metric, budget, type=type, language=language)
            lines.append((name, budget, *_summary(result, scores, budget)))
    return Table(("method", "budget", "context_tokens", metric, "low", "high"), tuple(lines))


def _summary(result: Result, scores: Mapping[str, float], budget: int | None) -> tuple[float, float, float, float]:
    """Mean context tokens of these questions, their mean score, and the ends of its interval."""
    mean = mean_of(scores)
    rows = [row for row in result.rows if row.question.id in scores and budget in (None, row.budget)]
    tokens = {row.question.id: row.metrics["context_tokens"] for row in rows}
    return mean_of(tokens), mean, *bootstrap_interval(list(scores.values()))
