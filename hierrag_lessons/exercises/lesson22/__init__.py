"""Exercises of lesson 22, walking the outline."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson22.break_even import BREAK_EVEN
from hierrag_lessons.exercises.lesson22.descending import DESCENDING
from hierrag_lessons.exercises.lesson22.surviving import SURVIVING
from hierrag_lessons.exercises.lesson22.walking_back import WALKING_BACK

TITLE = "Walking the outline"
EXERCISES = (DESCENDING, SURVIVING, WALKING_BACK, BREAK_EVEN)
