"""Running a retriever on questions at fixed context budgets, and comparing methods on the same questions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from hierrag_lessons.context import retrieve_contexts
from hierrag_lessons.intervals import bootstrap_interval, paired_difference, paired_test
from hierrag_lessons.metrics import (
    completeness,
    document_coverage,
    hit_rate,
    iou,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)
from hierrag_lessons.questions import UNANSWERABLE, Question
from hierrag_lessons.spans import Passage
from hierrag_lessons.tables import Cell, Table
from hierrag_lessons.tokens import Measure, count_tokens

if TYPE_CHECKING:
    from hierrag_lessons.retrievers import Retriever

_ON_SPANS = {
    "recall": recall,
    "precision": precision,
    "iou": iou,
    "hit_rate": hit_rate,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "document_coverage": document_coverage,
}
METRICS = (*_ON_SPANS, "completeness", "context_tokens")
"""The names of all measures, see ``hierrag_lessons.metrics``; higher is better for all but ``context_tokens``."""


@dataclass(frozen=True, slots=True)
class Row:
    """One question at one budget: the packed passages and their measures. What is not defined is not in the mapping."""

    question: Question
    budget: int
    passages: tuple[Passage, ...]
    metrics: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Result:
    """What :func:`evaluate` found: one row for each question and budget.

    Wherever a question type can be chosen, ``type=None`` stands for all answerable questions. Unanswerable ones have
    no evidence to find, so they are never part of a mean unless asked for by name, and then have only context tokens.
    """

    rows: tuple[Row, ...]

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets, ascending."""
        return tuple(sorted({row.budget for row in self.rows}))

    def scores(
        self, metric: str, budget: int | None = None, *, type: str | None = None, language: str | None = None
    ) -> dict[str, float]:
        """Question id to value, in the order of the questions, where the measure is defined.

        ``budget=None`` takes the only budget. Raises ``ValueError`` for a metric or a budget that is not there.
        """
        if metric not in METRICS:
            raise ValueError(f"metric is {metric!r}; give one of {', '.join(METRICS)}")
        if budget is None and len(self.budgets) == 1:
            budget = self.budgets[0]
        if budget not in self.budgets:
            raise ValueError(f"budget is {budget}; give one of {', '.join(map(str, self.budgets))}")
        return {
            row.question.id: row.metrics[metric]
            for row in self.rows
            if row.budget == budget and metric in row.metrics and _chosen(row.question, type, language)
        }

    def mean(
        self, metric: str, budget: int | None = None, *, type: str | None = None, language: str | None = None
    ) -> float:
        """Mean over the questions. Raises ``ValueError`` as :meth:`scores` does, and where there is no question."""
        return _mean(self.scores(metric, budget, type=type, language=language))

    def table(self, metrics: Sequence[str] = METRICS, *, language: str | None = None) -> Table:
        """Means by budget and question type, with the number of questions; a dash where a measure is not defined."""
        questions = [row.question for row in self.rows if language in (None, row.question.language)]
        types = {question.type for question in questions}
        groups = [None, *sorted(types - {UNANSWERABLE}), *sorted(types & {UNANSWERABLE})]
        lines: list[tuple[Cell, ...]] = []
        for budget in self.budgets:
            for group in groups:
                size = len(self.scores("context_tokens", budget, type=group, language=language))
                scores = [self.scores(metric, budget, type=group, language=language) for metric in metrics]
                means = [_mean(values) if values else None for values in scores]
                lines.append((budget, group or "all answerable", size, *means))
        return Table(("budget", "type", "questions", *metrics), tuple(lines))

    def __repr__(self) -> str:
        questions = len({row.question.id for row in self.rows})
        return f"Result({questions} questions, budgets {', '.join(map(str, self.budgets))})"


def evaluate(
    retriever: Retriever,
    questions: Iterable[Question],
    budgets: Sequence[int] = (1000,),
    k: int = 10,
    measure: Measure = count_tokens,
) -> Result:
    """Retrieve for each question, pack the passages at each budget, and measure the packed context.

    Methods are so compared at the same size of context, whatever the size of their passages. Retrieval goes on until
    the budget is full, and a question's ``scope`` is kept to, see :func:`hierrag_lessons.context.retrieve_contexts`.
    Ranks are places in the packed context: large passages have few of them, so compare rank measures only between
    methods with passages of a similar size.

    Parameters
    ----------
    retriever:
        Anything with ``retrieve_batch(queries, k)``, a list of passages for each query, best first.
    questions:
        With ids that differ.
    budgets:
        Sizes of the context, in the unit of ``measure``.
    k:
        Number of passages asked for at first.
    measure:
        Size of a text. ``context_tokens`` is in its unit.

    Raises
    ------
    ValueError
        Where there are no questions or no budgets, ids come twice, ``k`` or a budget is below 1, or the retriever
        does not return one list a query.
    """
    asked = tuple(questions)
    twice = [name for name, n in Counter(question.id for question in asked).items() if n > 1]
    if not asked or twice:
        raise ValueError(
            f"questions: {len(asked)}, ids that come twice: {twice}; give one or more, with ids that differ"
        )
    texts, scopes = [question.question for question in asked], [question.scope or "" for question in asked]
    contexts = retrieve_contexts(retriever, texts, budgets, k=k, measure=measure, scopes=scopes)
    size_of = cache(measure)  # a larger budget holds the passages of a smaller one
    return Result(
        tuple(
            Row(question, budget, tuple(passages), _measure(question, passages, size_of))
            for question, packed in zip(asked, contexts, strict=True)
            for budget, passages in packed.items()
        )
    )


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
    ``hierrag_lessons.intervals``. The p-values are those of single comparisons: among 20 methods that are all equally
    good, one is expected below 0.05.

    Raises ``ValueError`` where ``results`` is empty, questions or budgets differ, or no question has the metric.
    """
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
            difference = _mean(scores) - _mean(base)
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
    lines: list[tuple[Cell, ...]] = []
    for name, result in results.items():
        for budget in result.budgets:
            scores = result.scores(metric, budget, type=type, language=language)
            lines.append((name, budget, *_summary(result, scores, budget)))
    return Table(("method", "budget", "context_tokens", metric, "low", "high"), tuple(lines))


def _measure(question: Question, passages: Sequence[Passage], measure: Measure) -> dict[str, float]:
    metrics = {"context_tokens": float(sum(measure(passage.text) for passage in passages))}
    if question.answerable:
        metrics |= {name: function(passages, question.evidence) for name, function in _ON_SPANS.items()}
        if question.key_facts:
            text = "\n\n".join(passage.text for passage in passages)
            metrics["completeness"] = completeness(text, question.key_facts)
    return metrics


def _chosen(question: Question, type: str | None, language: str | None) -> bool:
    of_type = question.answerable if type is None else question.type == type
    return of_type and (language is None or question.language == language)


def _mean(scores: Mapping[str, float]) -> float:
    if not scores:
        raise ValueError("no question of this type and language has this measure; see Result.table() for what there is")
    return math.fsum(scores.values()) / len(scores)


def _summary(result: Result, scores: Mapping[str, float], budget: int | None) -> tuple[float, float, float, float]:
    """Mean context tokens of these questions, their mean score, and the ends of its interval."""
    mean = _mean(scores)
    rows = [row for row in result.rows if row.question.id in scores and budget in (None, row.budget)]
    tokens = {row.question.id: row.metrics["context_tokens"] for row in rows}
    return _mean(tokens), mean, *bootstrap_interval(list(scores.values()))
