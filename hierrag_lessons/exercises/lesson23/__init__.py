"""Exercises of lesson 23, answers."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson23.citing_wrongly import CITING
from hierrag_lessons.exercises.lesson23.judging_wrongly import JUDGING
from hierrag_lessons.exercises.lesson23.refusing import REFUSING

TITLE = "Answers"
EXERCISES = (CITING, REFUSING, JUDGING)
