"""Exercises of lesson 04, chunks of a fixed size."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson04.counting import COUNTING
from hierrag_lessons.exercises.lesson04.pasted_tails import PASTED_TAILS
from hierrag_lessons.exercises.lesson04.planning import PLANNING
from hierrag_lessons.exercises.lesson04.windows import WINDOWS

TITLE = "Fixed size"
EXERCISES = (WINDOWS, COUNTING, PLANNING, PASTED_TAILS)
