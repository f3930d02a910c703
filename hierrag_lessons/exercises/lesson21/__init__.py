"""Exercises of lesson 21, the question itself."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson21.boosting import BOOSTING
from hierrag_lessons.exercises.lesson21.reading_wrongly import READING
from hierrag_lessons.exercises.lesson21.votes import VOTES

TITLE = "The question itself"
EXERCISES = (READING, BOOSTING, VOTES)
