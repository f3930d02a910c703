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

__all__ = [
    "JUDGE_RULES",
    "Answer",
    "AnsweredRow",
    "Answerer",
    "ContainmentJudge",
    "Diagnosis",
    "ErrorCause",
    "ErrorKind",
    "ExtractiveAnswerer",
    "Judge",
    "LeadAnswerer",
    "ModelJudge",
    "Quote",
    "Statement",
    "Support",
    "answer_sentences",
    "answered",
    "containment",
    "diagnose",
    "faithfulness",
    "supported",
]
