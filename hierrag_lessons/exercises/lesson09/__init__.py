"""Exercises of lesson 09, semantic chunks."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson09.best_division import BEST_DIVISION
from hierrag_lessons.exercises.lesson09.best_level import BEST_LEVEL
from hierrag_lessons.exercises.lesson09.earlier_sentences import EARLIER_SENTENCES

TITLE = "Semantic"
EXERCISES = (EARLIER_SENTENCES, BEST_LEVEL, BEST_DIVISION)
