"""Exercises of lesson 15, auto-merging."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson15.affordable import AFFORDABLE
from hierrag_lessons.exercises.lesson15.children_needed import CHILDREN_NEEDED
from hierrag_lessons.exercises.lesson15.merging_wrongly import MERGING

TITLE = "Auto-merging"
EXERCISES = (CHILDREN_NEEDED, MERGING, AFFORDABLE)
