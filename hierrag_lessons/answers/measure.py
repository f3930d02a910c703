"""How good the answers are, beside how good the contexts were: rows that the tables of lesson 03 compare.

Lesson 23 builds it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.answers.answer import Answer, Answerer
from hierrag_lessons.answers.faithfulness import Judge, faithfulness
from hierrag_lessons.evaluation import Result, Row, completeness
from hierrag_lessons.long_work import with_progress


@dataclass(frozen=True, slots=True)
class AnsweredRow(Row):
    """A row of an evaluation with the answer that was given from its passages."""

    answer: Answer


def answered(result: Result, answerer: Answerer, judge: Judge | None = None) -> Result:
    """Answer each question of an evaluation from its own packed context, and measure the answers.

    >>> from hierrag_lessons import Evidence, LeadAnswerer, Passage, Question
    >>> dogs = Question("q", "Who runs?", "single_fact", "Dogs.", (Evidence("d", 0, 9),), key_facts=("dogs", "cats"))
    >>> row = Row(dogs, 100, (Passage("d", 0, 9, "Dogs run."),), {"context_tokens": 3, "completeness": 0.5})
    >>> rows = answered(Result((row,)), LeadAnswerer()).rows
    >>> rows[0].answer.text, rows[0].metrics["answer_completeness"], rows[0].metrics["faithfulness"]
    ('Dogs run. [1]', 0.5, 1.0)

    So methods are compared at the same context tokens, and answers at the same size where the answerer keeps to one.
    The rows gain ``answer`` and these measures, which ``compare``, ``verdicts`` and ``budget_curve`` take by name:

    - ``answer_completeness``: share of the key facts in the answer, 0 where it was refused; in the context it is
      ``completeness``;
    - ``faithfulness``: share of the statements that what they quote supports; not there where the answer was refused;
    - ``answer_tokens``: size of the answer without markers;
    - ``refused``: 1 or 0.

    Parameters
    ----------
    result:
        What :func:`~hierrag_lessons.evaluation.evaluate` has found, or one of ``score_retrievers``.
    answerer:
        Who answers; asked once a row.
    judge:
        Says whether a quote supports a statement that is not its very words; see :func:`faithfulness`.

    Raises ``ValueError`` for what is no result, and an answerer or a judge that cannot do it.
    """
    checks.instance("result", result, Result)
    checks.able("answerer", answerer, "answer")
    checks.able("judge", judge, "judge", none="word for word only")
    return Result(tuple(_answered(row, answerer, judge) for row in with_progress(result.rows, "answers")))


def _answered(row: Row, answerer: Answerer, judge: Judge | None) -> AnsweredRow:
    answer = answerer.answer(row.question.question, row.passages)
    found: dict[str, float] = {"answer_tokens": answer.tokens, "refused": float(answer.refused)}
    if row.question.key_facts:
        found["answer_completeness"] = completeness(answer.plain, row.question.key_facts)
    if not answer.refused:
        found["faithfulness"] = faithfulness(answer, judge)
    return AnsweredRow(row.question, row.budget, row.passages, {**row.metrics, **found}, answer)
