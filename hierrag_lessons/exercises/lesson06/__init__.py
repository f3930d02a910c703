"""Exercises of lesson 06, recursive chunks."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson06.cutting import CUTTING
from hierrag_lessons.exercises.lesson06.headings import HEADINGS
from hierrag_lessons.exercises.lesson06.packing import PACKING
from hierrag_lessons.exercises.lesson06.placing import PLACING

TITLE = "Recursive"
EXERCISES = (CUTTING, PACKING, PLACING, HEADINGS)
