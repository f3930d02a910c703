"""The exercises of the course, which check themselves: ``check``, ``hint`` and ``solution``.

Those of lesson NN stand in ``lessonNN.py``, or in a folder ``lessonNN`` where they are long, as a tuple ``EXERCISES``.
"""

from hierrag_lessons.exercises.answers import check, find, hint, lessons, of_lesson, solution
from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.reply import Reply

__all__ = [
    "Exercise",
    "Mistake",
    "Reply",
    "check",
    "find",
    "hint",
    "lessons",
    "of_lesson",
    "solution",
]
