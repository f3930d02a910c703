"""Exercises of lesson 02, embeddings and the store."""

from __future__ import annotations

from hierrag_lessons.exercises.lesson02.fused_rankings import FUSED_RANKINGS
from hierrag_lessons.exercises.lesson02.ids import IDS
from hierrag_lessons.exercises.lesson02.nearest_rows import NEAREST_ROWS
from hierrag_lessons.exercises.lesson02.storage import STORAGE

TITLE = "Embeddings and the store"
EXERCISES = (NEAREST_ROWS, IDS, FUSED_RANKINGS, STORAGE)
