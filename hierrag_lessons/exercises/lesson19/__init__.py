"""Exercises of lesson 19, reranking and packing."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson19.citations import CITATIONS
from hierrag_lessons.exercises.lesson19.diverse import DIVERSE
from hierrag_lessons.exercises.lesson19.standardised import STANDARDISED

TITLE = "Fusion, reranking and packing"
EXERCISES = (STANDARDISED, DIVERSE, CITATIONS)
