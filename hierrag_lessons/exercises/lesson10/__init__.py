"""Exercises of lesson 10, topics."""

from hierrag_lessons.exercises.lesson10.filter_ceiling import FILTER_CEILING
from hierrag_lessons.exercises.lesson10.postponed import POSTPONED
from hierrag_lessons.exercises.lesson10.vote import VOTE

TITLE = "Topics"
EXERCISES = (VOTE, POSTPONED, FILTER_CEILING)
