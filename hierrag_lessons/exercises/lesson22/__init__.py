"""Exercises of lesson 22, walking the outline."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson22.beams import BEAMS
from hierrag_lessons.exercises.lesson22.break_even import BREAK_EVEN
from hierrag_lessons.exercises.lesson22.guarding import GUARDING
from hierrag_lessons.exercises.lesson22.walking_back import WALKING_BACK

TITLE = "Walking the outline"
EXERCISES = (BEAMS, GUARDING, WALKING_BACK, BREAK_EVEN)
