"""Exercises of lesson 13, sentence windows."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson13.borders import BORDERS
from hierrag_lessons.exercises.lesson13.edges import EDGES
from hierrag_lessons.exercises.lesson13.meeting import MEETING

TITLE = "Sentence windows"
EXERCISES = (EDGES, MEETING, BORDERS)
