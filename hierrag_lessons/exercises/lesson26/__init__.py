"""Exercises of lesson 26, the interview gym."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson26.copies import COPIES
from hierrag_lessons.exercises.lesson26.ease import EASE
from hierrag_lessons.exercises.lesson26.marking import MARKING
from hierrag_lessons.exercises.lesson26.weakness import WEAKNESS

TITLE = "The interview gym"
EXERCISES = (WEAKNESS, EASE, COPIES, MARKING)
