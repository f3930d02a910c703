"""Exercises of lesson 20, every level speaks."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson20.coverage import COVERAGE
from hierrag_lessons.exercises.lesson20.dial import DIAL
from hierrag_lessons.exercises.lesson20.level_words import LEVEL_WORDS
from hierrag_lessons.exercises.lesson20.neighbours import NEIGHBOURS

TITLE = "Every level speaks"
EXERCISES = (NEIGHBOURS, LEVEL_WORDS, DIAL, COVERAGE)
