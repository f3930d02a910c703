"""Exercises of lesson 09, semantic chunks."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson09.best_division import BEST_DIVISION
from hierrag_lessons.exercises.lesson09.earlier_sentences import EARLIER_SENTENCES
from hierrag_lessons.exercises.lesson09.overlap import OVERLAP

TITLE = "Semantic"
EXERCISES = (EARLIER_SENTENCES, OVERLAP, BEST_DIVISION)
