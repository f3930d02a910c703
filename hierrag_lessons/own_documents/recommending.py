"""From measured methods to one recommendation, or to the number of questions that would allow one.

Lesson 24 uses it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import NormalDist, fmean

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Result, detectable, verdicts
from hierrag_lessons.evaluation.verdicts import SHOWN, STANDARD_ERRORS

WORTH = 0.05
"""The difference in recall that is worth a larger effort: five hundredths of the evidence more."""


@dataclass(frozen=True)
class Recommendation:
    """Which method to take, and how sure that is.

    ``decided`` is false where the questions are too few to tell; ``method`` is then the yardstick, and ``more`` says
    about how many questions to label. ``difference``, ``low``, ``high`` and ``p`` (adjusted after Holm) are those
    of the recommended method against the yardstick, or where that is the yardstick itself, those of the best of the
    others. ``detectable`` is the smallest true difference that these questions show in 80 % of all experiments.
    """

    method: str
    decided: bool
    best: str
    difference: float
    low: float
    high: float
    p: float
    detectable: float
    questions: int
    more: int
    text: str


def recommend(
    results: Mapping[str, Result],
    efforts: Mapping[str, int],
    called: str = "questions",
    never: Collection[str] = (),
) -> Recommendation:
    """Choose a method by its mean recall over the budgets; the first of ``results`` is the yardstick.

    Where methods are shown ahead of the yardstick, the best of them, or a simpler one of them that is not shown behind
    the best, and by its interval at most :data:`WORTH` behind it. Where none is ahead and a difference of
    :data:`WORTH` can be ruled out, the yardstick, since it is the simplest. Otherwise it cannot be told, and it is
    estimated from the spread of the differences how many questions would show the one that was found, taken as
    :data:`WORTH` at most and half of that at least. Four times as many questions show half the difference, and each
    method that is compared asks for some more, after Holm.

    Parameters
    ----------
    results:
        By name, the yardstick first, on the same questions and budgets; two methods at least.
    efforts:
        For each name how much it asks of those who run it; ties are settled by recall.
    called:
        What the text calls the questions: ``"silver questions"``.
    never:
        Methods that are compared and not recommended, because the questions cannot judge them.

    Raises ``ValueError`` as :func:`~hierrag_lessons.evaluation.verdicts` does, for fewer than two questions, where a
    method has no effort, and where ``never`` leaves none beside the yardstick.
    """
    checks.text("called", called)
    checks.instance("efforts", efforts, Mapping)
    table = verdicts(results)
    if missing := results.keys() - efforts.keys():
        raise ValueError(f"efforts has none of {sorted(missing)}; give a number for every method")
    checks.instance("never", never, Collection)
    if results.keys() - set(never) <= {next(iter(results))}:
        raise ValueError(f"never is {sorted(never)}, all beside the first method; leave one or more to recommend")
    rows = {str(row["method"]): row for row in table.records()}
    first, *others = results
    mean = {name: float(row["recall"] or 0) for name, row in rows.items()}
    judged = [name for name in others if name not in never]
    best = max(judged, key=mean.__getitem__)
    ahead = [name for name in judged if rows[name]["verdict"] == "ahead"]
    seen = detectable(_differences(results, best, first))
    n = len(_means(results[first]))
    chosen, decided, more = first, True, 0
    if ahead:
        best = max(ahead, key=mean.__getitem__)
        chosen, behind = _simplest(results, efforts, best, ahead)
    elif float(rows[best]["high"] or 0) > WORTH:
        decided = False
        aim = min(WORTH, max(WORTH / 2, float(rows[best]["difference"] or 0)))
        more = max(10, _tens(n * ((seen * _sterner(len(others)) / aim) ** 2 - 1)))
    said = rows[best if chosen == first else chosen]
    difference, low, high, p = (float(said[name] or 0) for name in ("difference", "low", "high", "p"))
    gain, asked = f"{difference:+z.2f} ({low:+z.2f} to {high:+z.2f})", f"{n} {called}"
    if not decided:
        text = (
            f"Can't tell yet. On {asked} no method is shown ahead of {first!r}. The best of the others, {best!r}, "
            f"differs by {gain} in recall, which leaves open whether it is worth its effort. Label about {more:,} more "
            f"questions to see a difference of {aim:.2f}. Until then take {first!r}, the simplest."
        )
    elif not ahead:
        text = (
            f"Take {first!r}, the simplest. On {asked} its recall is {mean[first]:.2f}, and no method is shown ahead. "
            f"The best of the others, {best!r}, differs by {gain}: {WORTH:.2f} more is ruled out."
        )
    else:
        text = f"Take {chosen!r}. On {asked} its recall is {mean[chosen]:.2f}, ahead of {first!r} by {gain}."
        if chosen != best:
            text += (
                f" The recall of {best!r} is {mean[best]:.2f}, but no difference between the two is shown; the simpler "
                f"one is behind by {behind:.2f} at most."
            )
    return Recommendation(chosen, decided, best, difference, low, high, p, seen, n, more, text)


def _simplest(
    results: Mapping[str, Result], efforts: Mapping[str, int], best: str, ahead: list[str]
) -> tuple[str, float]:
    """The best, or the simplest that is ahead of the yardstick and not far behind the best; how far, at most."""
    simpler = [name for name in ahead if efforts[name] < efforts[best]]
    if not simpler:
        return best, 0.0
    rows = verdicts({name: results[name] for name in (best, *simpler)}).records()[1:]
    near = [row for row in rows if row["verdict"] != "behind" and float(row["low"] or 0) > -WORTH]
    order = sorted(near, key=lambda row: (efforts[str(row["method"])], -float(row["recall"] or 0), str(row["method"])))
    return (str(order[0]["method"]), -float(order[0]["low"] or 0)) if order else (best, 0.0)


def _means(result: Result) -> dict[str, float]:
    at = [result.scores("recall", budget) for budget in result.budgets]
    return {key: fmean(scores[key] for scores in at) for key in at[0]}


def _differences(results: Mapping[str, Result], this: str, that: str) -> list[float]:
    before = _means(results[that])
    return [value - before[key] for key, value in _means(results[this]).items()]


def _sterner(methods: int) -> float:
    """How many times the difference has to be that a single comparison shows, for the first of several after Holm."""
    return (NormalDist().inv_cdf(1 - SHOWN / 2 / methods) + NormalDist().inv_cdf(0.8)) / STANDARD_ERRORS


def _tens(number: float) -> int:
    return 10 * math.ceil(number / 10)
