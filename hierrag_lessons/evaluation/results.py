"""Running a retriever on questions at fixed context budgets, and comparing methods on the same questions.

Lesson 03 builds it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from hierrag_lessons import checks
from hierrag_lessons.context import retrieve_contexts
from hierrag_lessons.evaluation.metrics import (
    complete,
    completeness,
    document_coverage,
    hit_rate,
    iou,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)
from hierrag_lessons.evaluation.questions import UNANSWERABLE, Question
from hierrag_lessons.evaluation.tables import Cell, Table
from hierrag_lessons.model import Language, Passage
from hierrag_lessons.text import Measure, count_tokens

if TYPE_CHECKING:
    from hierrag_lessons.model import Retriever

_ON_SPANS = {
    "recall": recall,
    "precision": precision,
    "iou": iou,
    "hit_rate": hit_rate,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "document_coverage": document_coverage,
    "complete": complete,
}
METRICS = (*_ON_SPANS, "completeness", "context_tokens")
"""The names of all measures, see ``evaluation.metrics``; higher is better for all but ``context_tokens``."""

ANSWER_METRICS = ("answer_completeness", "faithfulness", "answer_tokens", "refused")
"""The names of the measures of an answer, which rows have once ``answers.answered`` has added them."""

KNOWN = (*METRICS, *ANSWER_METRICS)
"""The names that a table can be asked for."""


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

        ``budget=None`` takes the only budget. Raises ``ValueError`` for a metric, a budget or a language that is not
        there.
        """
        checks.one_of("metric", metric, KNOWN)
        checks.text("type", type, none="all answerable questions")
        checks.one_of("language", language, Language, none="all languages")
        if budget is None and len(self.budgets) == 1:
            budget = self.budgets[0]
        checks.one_of("budget", budget, self.budgets)
        return {
            row.question.id: row.metrics[metric]
            for row in self.rows
            if row.budget == budget and metric in row.metrics and _chosen(row.question, type, language)
        }

    def mean(
        self, metric: str, budget: int | None = None, *, type: str | None = None, language: str | None = None
    ) -> float:
        """Mean over the questions. Raises ``ValueError`` as :meth:`scores` does, and where there is no question."""
        return mean_of(self.scores(metric, budget, type=type, language=language))

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
                means = [mean_of(values) if values else None for values in scores]
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
    the budget is full, and a question is searched inside its ``scope``: only documents whose id starts with it are
    searched, through the retriever's ``where``, see :func:`hierrag_lessons.context.retrieve_contexts`.
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
    asked = tuple(checks.each("questions", questions, Question))
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
            Row(question, budget, tuple(passages), _Measures(question, tuple(passages), size_of))
            for question, packed in zip(asked, contexts, strict=True)
            for budget, passages in packed.items()
        )
    )


class _Measures(Mapping[str, float]):
    """The measures of one context, each computed when it is first asked for: most are never looked at."""

    def __init__(self, question: Question, passages: tuple[Passage, ...], measure: Measure) -> None:
        self._question, self._passages = question, passages
        self._known = {"context_tokens": float(sum(measure(passage.text) for passage in passages))}
        defined = (*_ON_SPANS, *["completeness"] * bool(question.key_facts)) if question.answerable else ()
        self._names = ("context_tokens", *defined)

    def __getitem__(self, name: str) -> float:
        if name not in self._known:
            if name not in self._names:
                raise KeyError(name)
            self._known[name] = self._compute(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))

    def _compute(self, name: str) -> float:
        if name == "completeness":
            return completeness("\n\n".join(passage.text for passage in self._passages), self._question.key_facts)
        return _ON_SPANS[name](self._passages, self._question.evidence)


def _chosen(question: Question, type: str | None, language: str | None) -> bool:
    of_type = question.answerable if type is None else question.type == type
    return of_type and (language is None or question.language == language)


def mean_of(scores: Mapping[str, float]) -> float:
    """Mean of the scores by question id. Raises ``ValueError`` where there are none."""
    if not scores:
        raise ValueError("no question of this type and language has this measure; see Result.table() for what there is")
    return math.fsum(scores.values()) / len(scores)
