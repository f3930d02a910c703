"""How far one method is before another, and what no question has shown yet: never surer than the questions allow.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from statistics import fmean

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Result, Table, paired_difference, paired_test, verdict
from hierrag_lessons.evaluation.verdicts import SHOWN

UNSEEN = 3.0
"""What was seen on none of ``n`` questions is still true of up to ``3 / n`` of all, 95 times in 100."""


@dataclass(frozen=True)
class Lead:
    """A mean difference over ``questions`` with its 95 % interval and p-value."""

    difference: float
    low: float
    high: float
    p: float
    questions: int

    @property
    def shown(self) -> bool:
        """Whether the one is ahead of the other."""
        return self.p < SHOWN and self.low > 0

    @property
    def behind(self) -> bool:
        """Whether the one is behind the other."""
        return self.p < SHOWN and self.high < 0

    @property
    def most(self) -> float:
        """The largest difference that is not ruled out, by questions that were not seen among so few either."""
        return max(self.high, self.difference + UNSEEN / self.questions)

    def __str__(self) -> str:
        return f"{self.difference:+z.2f} ({self.low:+z.2f} to {self.high:+z.2f})"


def question_means(result: Result) -> dict[str, float]:
    """Each question's recall, the mean over the budgets. Raises ``ValueError`` for what is no result."""
    checks.instance("result", result, Result)
    at = [result.scores("recall", budget) for budget in result.budgets]
    return {key: fmean(scores[key] for scores in at) for key in at[0]}


def lead(this: Mapping[str, float], that: Mapping[str, float]) -> Lead:
    """How far ``this`` is before ``that``, scores by question, on the questions of ``this``.

    Where all questions differ by the same the bootstrap knows no spread, and its interval has no width. Then the "rule
    of three" stands in for it (Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", 1983):

    >>> print(lead({"q1": 1.0, "q2": 1.0, "q3": 1.0, "q4": 1.0}, {"q1": 1.0, "q2": 1.0, "q3": 1.0, "q4": 1.0}))
    +0.00 (-0.75 to +0.75)

    Raises ``ValueError`` for no question, and where ``that`` has not all of them.
    """
    checks.instance("this", this, Mapping)
    checks.instance("that", that, Mapping)
    if missing := this.keys() - that.keys():
        raise ValueError(f"that has no score for {sorted(missing)[:5]}; give both the same questions")
    values, before = list(this.values()), [that[key] for key in this]
    low, high = widened(*paired_difference(values, before), len(values))
    return Lead(fmean(values) - fmean(before), low, high, paired_test(values, before), len(values))


def widened(low: float, high: float, questions: int) -> tuple[float, float]:
    """An interval of a difference, by the rule of three where it has no width.

    Raises ``ValueError`` for no question.
    """
    checks.whole("questions", questions, 1)
    if high - low > 1e-9:
        return low, high
    return max(-1.0, low - UNSEEN / questions), min(1.0, high + UNSEEN / questions)


def widened_verdicts(table: Table, questions: int) -> Table:
    """What ``evaluation.verdicts`` returns, with no interval of no width, and what is shown according to that.

    Raises ``ValueError`` for what is no table.
    """
    checks.instance("table", table, Table)
    rows = []
    for row in table.rows:
        name, mean, difference, low, high, p, said = row
        if low is not None and high is not None and p is not None:
            low, high = widened(float(low), float(high), questions)
            said = verdict(low, high, float(p))
        rows.append((name, mean, difference, low, high, p, said))
    # No spread is no power to see the smallest difference.
    return Table(table.columns, tuple(rows), table.caption.removesuffix(f"; {questions} questions show 0.00 or more"))


def halves(keys: Iterable[str]) -> tuple[list[str], list[str]]:
    """Questions by a hash of their ids: the half that chooses and the half that judges.

    >>> halves(["q1", "q2", "q3", "q4", "q5", "q6"])
    (['q2', 'q3', 'q5'], ['q1', 'q4', 'q6'])

    A question stays in its half however many are added later. Raises ``ValueError`` for what are no texts.
    """
    found: tuple[list[str], list[str]] = ([], [])
    for key in checks.texts("keys", keys):
        found[sha256(key.encode("utf-8", "surrogatepass")).digest()[0] % 2].append(key)
    return found
