"""The course's rule for evidence: one number for each method, p-values adjusted, and a plain verdict.

Lesson 03 builds it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from hierrag_lessons import checks
from hierrag_lessons.evaluation.intervals import paired_difference, paired_test
from hierrag_lessons.evaluation.results import KNOWN, Result
from hierrag_lessons.evaluation.tables import Cell, Table

SHOWN = 0.05
"""A difference is shown where its adjusted p-value is below this."""

STANDARD_ERRORS = 2.8
"""A true difference of so many is shown in 80 % of all experiments: 1.96 for the 5 %, 0.84 for the 80 %."""


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of several comparisons, adjusted so that one false alarm among all is as rare as for a single one.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]

    The smallest is multiplied by their number, the next by one less, and so on, and none may be below the one before it
    (Holm, "A simple sequentially rejective multiple test procedure", 1979).

    Raises ``ValueError`` for what is no list of numbers between 0 and 1.
    """
    wanted = checks.each("p_values", p_values, object)
    for place, p in enumerate(wanted):
        checks.number(f"p_values[{place}]", p, 0, 1)
    adjusted, reached = [float(p) for p in wanted], 0.0
    for rank, place in enumerate(sorted(range(len(adjusted)), key=adjusted.__getitem__)):
        reached = max(reached, min(1.0, (len(adjusted) - rank) * adjusted[place]))
        adjusted[place] = reached
    return adjusted


def detectable(differences: Sequence[float]) -> float:
    """The smallest mean difference that as many questions, with this spread, show in 80 % of all experiments.

    >>> round(detectable([0.1, -0.1, 0.0, 0.2, -0.2] * 20), 3)
    0.04

    A smaller one may be there and not be seen. Raises ``ValueError`` for fewer than two numbers.
    """
    values = checks.each("differences", differences, object)
    for place, value in enumerate(values):
        checks.number(f"differences[{place}]", value)
    if len(values) < 2:
        raise ValueError(f"differences has {len(values)} values; a spread needs two at least")
    return float(STANDARD_ERRORS * stdev(values) / math.sqrt(len(values)))


def verdict(low: float, high: float, p: float) -> str:
    """What a difference with this interval and this adjusted p-value means: ahead, behind, or no difference shown.

    >>> verdict(0.01, 0.05, 0.02), verdict(-0.03, 0.04, 0.6)
    ('ahead', 'no difference shown (-0.03 to +0.04)')

    Raises ``ValueError`` where ``low`` is above ``high``, or ``p`` is no number between 0 and 1.
    """
    checks.number("low", low)
    checks.number("high", high, low)
    checks.number("p", p, 0, 1)
    if p < SHOWN and (low > 0 or high < 0):
        return "ahead" if low > 0 else "behind"
    return f"no difference shown ({low:+.2f} to {high:+.2f})"


def verdicts(results: Mapping[str, Result], metric: str = "recall", budgets: Sequence[int] | None = None) -> Table:
    """Each method's mean over the budgets, and its difference from the first method in plain words.

    A question's score is its mean over the budgets. The interval is that of the mean difference over the questions, see
    ``paired_difference``; the p-values are adjusted after Holm over the rows. The caption says the smallest difference
    that so many questions can show, by the median spread of the rows.

    Parameters
    ----------
    results:
        A method's name with its result; the first is the one that the others are compared with.
    metric:
        ``"recall"``, ``"complete"`` or another measure.
    budgets:
        In tokens; all that the first result has by default.

    Raises ``ValueError`` for fewer than two results, and where questions or budgets differ.
    """
    checks.instance("results", results, Mapping)
    checks.one_of("metric", metric, KNOWN)
    if len(results) < 2:
        raise ValueError(f"results has {len(results)} methods; give two at least, the one to compare with first")
    first = next(iter(results))
    at = results[first].budgets if budgets is None else list(checks.each("budgets", budgets, int))
    means = {name: _means(result, metric, at) for name, result in results.items()}
    return score_verdicts(means, metric, f"mean over {_names(at)} tokens")


def score_verdicts(scores: Mapping[str, Mapping[str, float]], metric: str, what: str = "") -> Table:
    """The table of :func:`verdicts` from numbers that are there already: a method's name with its score a question.

    >>> table = score_verdicts({"old": {"q1": 0.2, "q2": 0.4}, "new": {"q1": 0.2, "q2": 0.4}}, "recall")
    >>> [(record["method"], record["verdict"]) for record in table.records()]
    [('old', ''), ('new', 'no difference shown (+0.00 to +0.00)')]

    The first method is the one that the others are compared with. ``metric`` names the column, ``what`` is said of it
    in the caption. Raises ``ValueError`` for fewer than two methods, and where their questions differ.
    """
    checks.instance("scores", scores, Mapping)
    checks.text("metric", metric)
    checks.text("what", what)
    if len(scores) < 2:
        raise ValueError(f"scores has {len(scores)} methods; give two at least, the one to compare with first")
    for name, own in scores.items():
        checks.instance(f"scores[{name!r}]", own, Mapping)
    first = next(iter(scores))
    base, lines, compared = scores[first], list[tuple[Cell, ...]](), list[tuple[Sequence[float], float, float, float]]()
    for name, own in list(scores.items())[1:]:
        if own.keys() != base.keys():
            odd = sorted(own.keys() ^ base.keys())
            raise ValueError(
                f"{first!r} and {name!r} differ in the questions {odd[:5]}; evaluate both on the same ones"
            )
        values, before = list(own.values()), [base[key] for key in own]
        low, high = paired_difference(values, before)
        compared.append(([a - b for a, b in zip(values, before, strict=True)], low, high, paired_test(values, before)))
    adjusted = holm([p for *_, p in compared])
    lines.append((first, fmean(base.values()), None, None, None, None, ""))
    for (name, own), (differences, low, high, _), p in zip(list(scores.items())[1:], compared, adjusted, strict=True):
        lines.append((name, fmean(own.values()), fmean(differences), low, high, p, verdict(low, high, p)))
    spreads = sorted(detectable(differences) for differences, *_ in compared)
    columns = ("method", metric, "difference", "low", "high", "p", "verdict")
    return Table(
        columns,
        tuple(lines),
        f"{', '.join(part for part in (metric, what) if part)}; against {first}; p adjusted after Holm; {len(base)} "
        f"questions show {spreads[len(spreads) // 2]:.2f} or more",
    )


def _means(result: Result, metric: str, budgets: Sequence[int]) -> dict[str, float]:
    at = [result.scores(metric, budget) for budget in budgets]
    return {key: fmean(scores[key] for scores in at) for key in at[0]}


def _names(budgets: Sequence[int]) -> str:
    *others, last = [f"{budget:,}" for budget in budgets]
    return f"{', '.join(others)} and {last}" if others else last
