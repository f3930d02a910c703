"""Exercises of lesson 01, spans and tokens."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson01.paragraphs import PARAGRAPHS
from hierrag_lessons.exercises.lesson01.safe_budget import SAFE_BUDGET
from hierrag_lessons.exercises.lesson01.stored_twice import STORED_TWICE
from hierrag_lessons.exercises.lesson01.token_chunks import TOKEN_CHUNKS

TITLE = "Spans and tokens"
EXERCISES = (STORED_TWICE, PARAGRAPHS, TOKEN_CHUNKS, SAFE_BUDGET)
