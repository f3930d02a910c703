"""Which exercises there are, and which one is meant by an id."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

from hierrag_lessons.exercises.exercise import Exercise

_ID = re.compile(r"\s*(\d{1,2})\.([1-9])\s*")
_NUMBERS = re.compile(r"(\d{1,2})\D*(\d?)")


def lessons() -> list[str]:
    """The numbers of the lessons that have exercises, such as ``"01"``."""
    names = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return sorted(name.removeprefix("lesson") for name in names if name.startswith("lesson"))


def of_lesson(lesson: str) -> tuple[Exercise, ...]:
    """The exercises of one lesson, in order; none where it has no module."""
    if lesson not in lessons():
        return ()
    exercises: tuple[Exercise, ...] = _module(lesson).EXERCISES
    return exercises


def title_of(lesson: str) -> str:
    """The title of a lesson that has exercises."""
    return str(_module(lesson).TITLE)


def find(exercise_id: object) -> Exercise | None:
    """The exercise that an id means, ``"4.1"`` and ``"04.1 "`` being ``"04.1"``; ``None`` where it means none.

    Only the exercise's own lesson is imported.
    """
    match = _ID.fullmatch(exercise_id) if isinstance(exercise_id, str) else None
    if match is None:
        return None
    lesson = match[1].zfill(2)
    return next((exercise for exercise in of_lesson(lesson) if exercise.id == f"{lesson}.{match[2]}"), None)


def nearest(wrong_id: object) -> Exercise | None:
    """The exercise that was probably meant: of the lesson that is named, or whose function is given for its id."""
    if callable(wrong_id):
        name = getattr(wrong_id, "__name__", None)
        everything = (exercise for lesson in lessons() for exercise in of_lesson(lesson))
        return next((exercise for exercise in everything if exercise.solution.__name__ == name), None)
    match = _NUMBERS.search(str(wrong_id)) if isinstance(wrong_id, str | int | float) else None
    if match is None:
        return None
    number = int(match[2] or 1)
    return min(of_lesson(match[1].zfill(2)), key=lambda exercise: abs(int(exercise.id[-1]) - number), default=None)


def _module(lesson: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.lesson{lesson}")
