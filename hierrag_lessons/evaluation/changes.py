"""The questions that tell two methods apart: the largest gain and the largest loss.

Lesson 13 uses it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.evaluation.questions import Question
from hierrag_lessons.evaluation.results import Result
from hierrag_lessons.model import Passage


@dataclass(frozen=True, slots=True)
class Change:
    """One question under two methods: its measure and the packed passages before and after."""

    question: Question
    before: float
    after: float
    passages_before: tuple[Passage, ...]
    passages_after: tuple[Passage, ...]


def largest_changes(
    before: Result, after: Result, metric: str = "recall", budget: int | None = None
) -> tuple[Change | None, Change | None]:
    """The question that a method rescued and the one that it spoiled: the largest gain and the largest loss.

    Equal changes are settled by the question's id. ``None`` stands for the one where no question gains, and for the
    other where none loses.

    Raises ``ValueError`` where the two results share no question with this metric at this budget, and as
    ``Result.scores`` does.
    """
    checks.instance("before", before, Result)
    checks.instance("after", after, Result)
    old, new = before.scores(metric, budget), after.scores(metric, budget)
    shared = sorted(old.keys() & new.keys())
    if not shared:
        raise ValueError(f"the two results have no question with {metric} in common; evaluate both on the same ones")
    at = budget if budget is not None else before.budgets[0]

    gains = {question_id: round(new[question_id] - old[question_id], 9) for question_id in shared}

    def largest(sign: int) -> Change | None:
        question_id = min(shared, key=lambda name: (-sign * gains[name], name))
        if sign * gains[question_id] <= 0:
            return None
        rows = [next(r for r in x.rows if r.question.id == question_id and r.budget == at) for x in (before, after)]
        packed = [row.passages for row in rows]
        return Change(rows[0].question, old[question_id], new[question_id], packed[0], packed[1])

    return largest(1), largest(-1)
