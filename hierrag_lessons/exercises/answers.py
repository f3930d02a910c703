"""The exercises of the course, which check themselves: ``check``, ``hint`` and ``solution``.

Those of lesson NN stand in ``lessonNN.py``, or in a folder ``lessonNN`` where they are long, as a tuple ``EXERCISES``.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

from hierrag_lessons.exercises.checking import judge
from hierrag_lessons.exercises.exercise import Exercise
from hierrag_lessons.exercises.reply import Reply
from hierrag_lessons.exercises.running import show

_hints_shown: dict[str, int] = {}


def check(exercise_id: str, function: object = ...) -> Reply:
    """Say whether ``function`` solves the exercise: correct, incorrect (and why), or not attempted yet.

    Nothing that ``function`` does gets out of here: errors, printed text, endless recursion and, where the platform
    has an alarm signal, endless loops all end in the reply.
    """
    exercise = find(exercise_id)
    return _unknown(exercise_id) if exercise is None else judge(exercise, function)


def hint(exercise_id: str) -> Reply:
    """The first hint, and at each further call the next one."""
    exercise = find(exercise_id)
    if exercise is None:
        return _unknown(exercise_id)
    shown = min(_hints_shown.get(exercise.id, 0) + 1, len(exercise.hints))
    _hints_shown[exercise.id] = shown
    left = len(exercise.hints) - shown
    footer = (
        f"{left} more: run it again." if left else f'That was the last one. solution("{exercise.id}") shows a solution.'
    )
    title = f"{exercise.id} {exercise.title}"
    return Reply("hint", title, ((f"{shown} of {len(exercise.hints)}", exercise.hints[shown - 1]),), footer)


def solution(exercise_id: str) -> Reply:
    """The official solution's code."""
    exercise = find(exercise_id)
    if exercise is None:
        return _unknown(exercise_id)
    return Reply("solution", f"{exercise.id} {exercise.title}", (("code", inspect.getsource(exercise.solution)),))


def lessons() -> list[str]:
    """The numbers of the lessons that have exercises, such as ``"01"``."""
    names = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return sorted(name.removeprefix("lesson") for name in names if name.startswith("lesson"))


def of_lesson(lesson: str) -> tuple[Exercise, ...]:
    """The exercises of one lesson, in order; none where it has no module."""
    if lesson not in lessons():
        return ()
    exercises: tuple[Exercise, ...] = importlib.import_module(f"{__package__}.lesson{lesson}").EXERCISES
    return exercises


def find(exercise_id: str) -> Exercise | None:
    """The exercise with this id, or ``None``. Only its own lesson's module is imported."""
    lesson = exercise_id[:2] if isinstance(exercise_id, str) else ""
    return next((exercise for exercise in of_lesson(lesson) if exercise.id == exercise_id), None)


def _unknown(exercise_id: object) -> Reply:
    lesson = exercise_id[:2] if isinstance(exercise_id, str) else ""
    numbers = [lesson] if lesson in lessons() else lessons()
    known = [exercise for number in numbers for exercise in of_lesson(number)]
    text = "\n".join(f"{exercise.id} {exercise.title}" for exercise in known) or "none"
    footer = 'An id is a string: the lesson, a dot, the number of the exercise, such as "01.2".'
    return Reply("unknown", show(exercise_id, 60), (("there are", text),), footer)
