"""Answers from a context: extracts and written ones, checked citations, refusals, and how good all of that is."""

from hierrag_lessons.answers.answer import Answer, Answerer, Quote, Statement
from hierrag_lessons.answers.extractive import ExtractiveAnswerer, LeadAnswerer, answer_sentences

__all__ = [
    "Answer",
    "Answerer",
    "ExtractiveAnswerer",
    "LeadAnswerer",
    "Quote",
    "Statement",
    "answer_sentences",
]
