"""Exercises of lesson 21, the question itself."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson21.boosting import BOOSTING
from hierrag_lessons.exercises.lesson21.feedback import FEEDBACK
from hierrag_lessons.exercises.lesson21.headings import HEADINGS
from hierrag_lessons.exercises.lesson21.questions_share import QUESTIONS_SHARE

TITLE = "The question itself"
EXERCISES = (HEADINGS, BOOSTING, QUESTIONS_SHARE, FEEDBACK)
