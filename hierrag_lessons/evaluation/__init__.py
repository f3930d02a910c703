"""Questions with gold evidence, measures on spans, intervals, and tables that compare methods on the same questions."""

from hierrag_lessons.evaluation import metrics
from hierrag_lessons.evaluation.boundaries import boundary_f1, pk, window_diff
from hierrag_lessons.evaluation.changes import Change, largest_changes
from hierrag_lessons.evaluation.comparing import budget_curve, compare
from hierrag_lessons.evaluation.course import BUDGETS, Source, course_questions, course_set
from hierrag_lessons.evaluation.evidence import Evidence
from hierrag_lessons.evaluation.geometry import Geometry, geometry
from hierrag_lessons.evaluation.intervals import bootstrap_interval, paired_difference, paired_test
from hierrag_lessons.evaluation.loading import load_questions
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
from hierrag_lessons.evaluation.questions import UNANSWERABLE, Question, Tier, Wording
from hierrag_lessons.evaluation.results import ANSWER_METRICS, METRICS, Result, Row, evaluate
from hierrag_lessons.evaluation.scoring import score_chunkers, score_retrievers
from hierrag_lessons.evaluation.tables import Cell, Table
from hierrag_lessons.evaluation.verdicts import detectable, holm, score_verdicts, verdict, verdicts

__all__ = [
    "ANSWER_METRICS",
    "BUDGETS",
    "METRICS",
    "UNANSWERABLE",
    "Cell",
    "Change",
    "Evidence",
    "Geometry",
    "Question",
    "Result",
    "Row",
    "Source",
    "Table",
    "Tier",
    "Wording",
    "bootstrap_interval",
    "boundary_f1",
    "budget_curve",
    "compare",
    "complete",
    "completeness",
    "course_questions",
    "course_set",
    "detectable",
    "document_coverage",
    "evaluate",
    "geometry",
    "hit_rate",
    "holm",
    "iou",
    "largest_changes",
    "load_questions",
    "metrics",
    "ndcg",
    "paired_difference",
    "paired_test",
    "pk",
    "precision",
    "recall",
    "reciprocal_rank",
    "score_chunkers",
    "score_retrievers",
    "score_verdicts",
    "verdict",
    "verdicts",
    "window_diff",
]
