"""Exercises of lesson 14, parent-child retrieval."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson14.first_parents import FIRST_PARENTS
from hierrag_lessons.exercises.lesson14.parent_scores import PARENT_SCORES
from hierrag_lessons.exercises.lesson14.siblings import SIBLINGS

TITLE = "Parent-child"
EXERCISES = (PARENT_SCORES, FIRST_PARENTS, SIBLINGS)
