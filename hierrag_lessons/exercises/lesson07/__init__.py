"""Exercises of lesson 07, structure."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson07.fences import FENCES
from hierrag_lessons.exercises.lesson07.heading_paths import HEADING_PATHS
from hierrag_lessons.exercises.lesson07.running_lines import RUNNING_LINES
from hierrag_lessons.exercises.lesson07.table_rows import TABLE_ROWS

TITLE = "Structure"
EXERCISES = (HEADING_PATHS, FENCES, RUNNING_LINES, TABLE_ROWS)
