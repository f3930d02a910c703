"""Exercises of lesson 16, summary trees."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson16.belonging import BELONGING
from hierrag_lessons.exercises.lesson16.sources import SOURCES
from hierrag_lessons.exercises.lesson16.walking import WALKING

TITLE = "Summary trees"
EXERCISES = (BELONGING, SOURCES, WALKING)
