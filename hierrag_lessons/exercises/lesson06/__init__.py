"""Exercises of lesson 06, recursive chunks."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson06.cutting import CUTTING
from hierrag_lessons.exercises.lesson06.evenly import EVENLY
from hierrag_lessons.exercises.lesson06.headings import HEADINGS
from hierrag_lessons.exercises.lesson06.missing import MISSING

TITLE = "Recursive"
EXERCISES = (CUTTING, EVENLY, MISSING, HEADINGS)
