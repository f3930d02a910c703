"""Exercises of lesson 18, coarse to fine."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson18.best_leaves import BEST_LEAVES
from hierrag_lessons.exercises.lesson18.ceiling import CEILING
from hierrag_lessons.exercises.lesson18.late_filter import LATE_FILTER
from hierrag_lessons.exercises.lesson18.two_filters import TWO_FILTERS

TITLE = "Coarse to fine"
EXERCISES = (LATE_FILTER, TWO_FILTERS, BEST_LEAVES, CEILING)
