"""Exercises of lesson 24, the grand comparison."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson24.buying_wrongly import BUYING
from hierrag_lessons.exercises.lesson24.choosing_wrongly import CHOOSING
from hierrag_lessons.exercises.lesson24.equal_context_wrongly import EQUAL_CONTEXT
from hierrag_lessons.exercises.lesson24.two_halves_wrongly import TWO_HALVES

TITLE = "The grand comparison"
EXERCISES = (EQUAL_CONTEXT, TWO_HALVES, BUYING, CHOOSING)
