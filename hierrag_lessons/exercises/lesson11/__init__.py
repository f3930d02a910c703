"""Exercises of lesson 11, agentic chunks."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson11.anchors import ANCHORS
from hierrag_lessons.exercises.lesson11.drafts import DRAFTS
from hierrag_lessons.exercises.lesson11.retries import RETRIES
from hierrag_lessons.exercises.lesson11.touching import TOUCHING

TITLE = "Agentic"
EXERCISES = (TOUCHING, DRAFTS, ANCHORS, RETRIES)
