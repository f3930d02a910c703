"""Exercises of lesson 03, measuring retrieval."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson03.deciding import DECIDING
from hierrag_lessons.exercises.lesson03.precision import PRECISION
from hierrag_lessons.exercises.lesson03.recall_at_budget import BUDGET
from hierrag_lessons.exercises.lesson03.sign_flips import SIGN_FLIPS

TITLE = "Measuring retrieval"
EXERCISES = (PRECISION, SIGN_FLIPS, BUDGET, DECIDING)
