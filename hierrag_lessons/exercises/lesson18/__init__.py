"""Exercises of lesson 18, coarse to fine."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson18.ceiling import CEILING
from hierrag_lessons.exercises.lesson18.late_filter import LATE_FILTER
from hierrag_lessons.exercises.lesson18.leaves_below import LEAVES_BELOW
from hierrag_lessons.exercises.lesson18.two_filters import TWO_FILTERS

TITLE = "Coarse to fine"
EXERCISES = (LATE_FILTER, TWO_FILTERS, LEAVES_BELOW, CEILING)
