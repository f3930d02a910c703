"""Exercises of lesson 12, the hybrid chunker and the bake-off."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson12.overlap_step import OVERLAP_STEP
from hierrag_lessons.exercises.lesson12.running_text import RUNNING_TEXT
from hierrag_lessons.exercises.lesson12.short_pieces import SHORT_PIECES

TITLE = "Hybrid and the bake-off"
EXERCISES = (SHORT_PIECES, OVERLAP_STEP, RUNNING_TEXT)
