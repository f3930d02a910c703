"""Exercises of lesson 24, the grand comparison."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson24.choosing import CHOOSING
from hierrag_lessons.exercises.lesson24.five_passages import FIVE_PASSAGES
from hierrag_lessons.exercises.lesson24.front import FRONT
from hierrag_lessons.exercises.lesson24.two_halves import TWO_HALVES

TITLE = "The grand comparison"
EXERCISES = (FIVE_PASSAGES, TWO_HALVES, FRONT, CHOOSING)
