"""Exercises of lesson 05, sentences."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson05.abbreviating import ABBREVIATING
from hierrag_lessons.exercises.lesson05.splitting import SPLITTING
from hierrag_lessons.exercises.lesson05.stops import STOPS

TITLE = "Sentences"
EXERCISES = (STOPS, SPLITTING, ABBREVIATING)
