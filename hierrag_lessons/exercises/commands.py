"""What a learner calls at an exercise: ``check``, ``hint`` and ``solution``."""

from __future__ import annotations

import inspect
from typing import overload

from hierrag_lessons.exercises import record
from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.exercises.catalogue import find, lessons, nearest, of_lesson
from hierrag_lessons.exercises.exercise import Exercise
from hierrag_lessons.exercises.overview import Progress, progress
from hierrag_lessons.exercises.reply import Part, Reply
from hierrag_lessons.exercises.running import show

_hints_shown: dict[str, int] = {}


@overload
def check() -> Progress: ...


@overload
def check(exercise_id: object, function: object = ...) -> Reply: ...


def check(exercise_id: object = ..., function: object = ...) -> Reply | Progress:
    """Say whether ``function`` solves the exercise: correct, incorrect (and why), or not attempted yet.

    Without arguments, what is solved and what is left, as :func:`progress` says it.

    Nothing that ``function`` does gets out of here: errors, printed text, endless recursion and endless loops all end
    in the reply. What is solved is remembered, see :func:`progress`.
    """
    if exercise_id is ...:
        return progress()
    exercise = find(exercise_id)
    if exercise is None:
        return _unknown(exercise_id)
    reply = assess(exercise, function)
    if reply.status == "correct":
        record.add(exercise)
    return reply


def hint(exercise_id: object) -> Reply:
    """The first hint, and at each further call the next one; a new kernel starts with the first again."""
    exercise = find(exercise_id)
    if exercise is None:
        return _unknown(exercise_id)
    shown = min(_hints_shown.get(exercise.id, 0) + 1, len(exercise.hints))
    _hints_shown[exercise.id] = shown
    left = len(exercise.hints) - shown
    footer = (
        f"{left} more: run it again."
        if left
        else f'That was the last one. `solution("{exercise.id}")` shows a solution.'
    )
    part = Part(f"{shown} of {len(exercise.hints)}", exercise.hints[shown - 1], is_prose=True)
    return Reply("hint", f"{exercise.id} {exercise.title}", (part,), footer)


def solution(exercise_id: object) -> Reply:
    """The official solution's code."""
    exercise = find(exercise_id)
    if exercise is None:
        return _unknown(exercise_id)
    code = Part("code", inspect.getsource(exercise.solution))
    return Reply("solution", f"{exercise.id} {exercise.title}", (code,))


def _unknown(exercise_id: object) -> Reply:
    """That there is no such exercise, which one was probably meant, and the others of its lesson."""
    meant = nearest(exercise_id)
    if meant is None:
        numbers = lessons()
        there_are = Part("there are", f"exercises in the lessons {numbers[0]} to {numbers[-1]}")
        return Reply("unknown", show(exercise_id, 60), (there_are,), _footer(of_lesson(numbers[0])[0]))
    lesson = meant.id[:2]
    known = "\n".join(f"{exercise.id} {exercise.title}" for exercise in of_lesson(lesson))
    parts = (Part("did you mean", f'"{meant.id}"'), Part(f"lesson {lesson} has", known))
    return Reply("unknown", show(exercise_id, 60), parts, _footer(meant))


def _footer(example: Exercise) -> str:
    call = f'check("{example.id}", {example.solution.__name__})'
    return f"An id is written in quotes: the lesson, a dot, the number of the exercise, as in `{call}`."
