"""Answers from a context: extracts and written ones, checked citations, refusals, and how good all of that is."""

from hierrag_lessons.answers.answer import Answer, Answerer, Quote, Statement
from hierrag_lessons.answers.errors import Diagnosis, ErrorCause, ErrorKind, diagnose
from hierrag_lessons.answers.extractive import ExtractiveAnswerer, LeadAnswerer, answer_sentences
from hierrag_lessons.answers.faithfulness import (
    JUDGE_RULES,
    ContainmentJudge,
    Judge,
    ModelJudge,
    Support,
    containment,
    faithfulness,
    supported,
)
from hierrag_lessons.answers.measure import AnsweredRow, answered
from hierrag_lessons.answers.refusal import (
    RefusalFeatures,
    RefusalRule,
    RefusingAnswerer,
    cross_validated,
    fit_refusal,
    refusal_features,
)
from hierrag_lessons.answers.statements import Agreement, LabelledStatement, agreement, load_statements
from hierrag_lessons.answers.written import ANSWER_RULES, ChatAnswerer, room_for_answer

__all__ = [
    "ANSWER_RULES",
    "JUDGE_RULES",
    "Agreement",
    "Answer",
    "AnsweredRow",
    "Answerer",
    "ChatAnswerer",
    "ContainmentJudge",
    "Diagnosis",
    "ErrorCause",
    "ErrorKind",
    "ExtractiveAnswerer",
    "Judge",
    "LabelledStatement",
    "LeadAnswerer",
    "ModelJudge",
    "Quote",
    "RefusalFeatures",
    "RefusalRule",
    "RefusingAnswerer",
    "Statement",
    "Support",
    "agreement",
    "answer_sentences",
    "answered",
    "containment",
    "cross_validated",
    "diagnose",
    "faithfulness",
    "fit_refusal",
    "load_statements",
    "refusal_features",
    "room_for_answer",
    "supported",
]
