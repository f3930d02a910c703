"""The exercises of the course, which check themselves: ``check``, ``hint``, ``solution`` and ``progress``.

Those of lesson NN stand in ``lessonNN.py``, or in a folder ``lessonNN`` where they are long, as a tuple ``EXERCISES``;
``TITLE`` beside it is the lesson's title.
"""

from hierrag_lessons.exercises.catalogue import find, lessons, of_lesson
from hierrag_lessons.exercises.commands import check, hint, solution
from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.overview import Progress, progress
from hierrag_lessons.exercises.reply import Part, Reply

__all__ = [
    "Exercise",
    "Mistake",
    "Part",
    "Progress",
    "Reply",
    "check",
    "find",
    "hint",
    "lessons",
    "of_lesson",
    "progress",
    "solution",
]
