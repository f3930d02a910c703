"""Exercises of lesson 08, dialogue chunks."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson08.diagnosing import DIAGNOSING
from hierrag_lessons.exercises.lesson08.neighbours import NEIGHBOURS
from hierrag_lessons.exercises.lesson08.speakers import SPEAKERS

TITLE = "Dialogue"
EXERCISES = (SPEAKERS, NEIGHBOURS, DIAGNOSING)
