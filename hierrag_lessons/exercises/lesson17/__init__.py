"""Exercises of lesson 17, the four-level index."""

from hierrag_lessons.exercises.lesson17.enough import ENOUGH
from hierrag_lessons.exercises.lesson17.expansion import EXPANSION
from hierrag_lessons.exercises.lesson17.relinking import RELINKING

TITLE = "Four levels"
EXERCISES = (RELINKING, EXPANSION, ENOUGH)
