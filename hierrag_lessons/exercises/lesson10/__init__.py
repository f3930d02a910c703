"""Exercises of lesson 10, topics."""

from hierrag_lessons.exercises.lesson10.lowest_cost import LOWEST_COST
from hierrag_lessons.exercises.lesson10.postponed import POSTPONED
from hierrag_lessons.exercises.lesson10.vote import VOTE

TITLE = "Topics"
EXERCISES = (VOTE, POSTPONED, LOWEST_COST)
