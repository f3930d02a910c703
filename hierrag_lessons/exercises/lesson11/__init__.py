"""Exercises of lesson 11, agentic chunks."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson11.bill import BILL
from hierrag_lessons.exercises.lesson11.drafts import DRAFTS
from hierrag_lessons.exercises.lesson11.labels import LABELS
from hierrag_lessons.exercises.lesson11.touching import TOUCHING

TITLE = "Agentic"
EXERCISES = (TOUCHING, DRAFTS, LABELS, BILL)
