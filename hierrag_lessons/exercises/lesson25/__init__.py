"""Exercises of lesson 25, production."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson25.caching_wrongly import CACHING
from hierrag_lessons.exercises.lesson25.canaries_wrongly import CANARIES
from hierrag_lessons.exercises.lesson25.margins import MARGINS
from hierrag_lessons.exercises.lesson25.updating import UPDATING

TITLE = "Production"
EXERCISES = (CACHING, MARGINS, UPDATING, CANARIES)
