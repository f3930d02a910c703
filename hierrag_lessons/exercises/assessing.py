"""Assess a learner's function: correct, incorrect, or not attempted yet."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence, Set
from contextvars import ContextVar
from random import Random

import numpy as np

from hierrag_lessons.exercises.comparing import difference
from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.reply import Part, Reply
from hierrag_lessons.exercises.returning import ends_without_return, is_empty
from hierrag_lessons.exercises.running import CallResult, attempt, run, show, show_error

TIME_LIMIT = 10.0  # seconds for the learner's function on all cases together

Arguments = tuple[object, ...]

_assessing: ContextVar[bool] = ContextVar("assessing", default=False)


def assess(exercise: Exercise, function: object, *, seconds: float = TIME_LIMIT) -> Reply:
    """Compare ``function`` with the exercise's oracle on every case.

    The cases are seeded with the exercise's id, so two runs see the same ones. Of those that fail the shortest is shown
    in which no argument is blank, or else the shortest.

    Raises
    ------
    RuntimeError
        Where ``function`` itself comes back here: that would never end.
    """
    if _assessing.get():
        raise RuntimeError("check() is called inside the function that it checks; move it below, to the left margin")
    token = _assessing.set(True)
    try:
        return _assess(exercise, function, seconds)
    finally:
        _assessing.reset(token)


def _assess(exercise: Exercise, function: object, seconds: float) -> Reply:
    title = f"{exercise.id} {exercise.title}"
    name = exercise.solution.__name__
    if function is None or function is ... or function is NotImplemented:
        return _not_attempted(exercise, f"Write `{name}`, then run this cell again.")
    if not callable(function):
        return Reply(
            "incorrect",
            title,
            (Part("check() was given", show(function)),),
            f'Hand over the function itself, without brackets after its name: `check("{exercise.id}", {name})`.',
        )
    if is_empty(function):
        return _not_attempted(exercise, f"The body of `{name}` is still empty.")
    if attempt(lambda: inspect.iscoroutinefunction(function), seconds=2).value is True:
        return Reply("incorrect", title, footer="Write `def`, not `async def`: an async function returns a coroutine.")

    cases = sorted(exercise.cases(Random(exercise.id)), key=lambda arguments: len(repr(arguments)))
    expected = [run(exercise.oracle, arguments, seconds=None) for arguments in cases]
    if (parameters := _wrong_parameters(exercise, function, cases)) is not None:
        return Reply("incorrect", title, parameters, "Change the line that starts with `def`.")
    results = _run_all(function, cases, seconds)
    if all(result.kind == "unfinished" for result in results):
        return _not_attempted(exercise, f"Replace the `...` in `{name}`, then run this cell again.")

    wrong = [i for i, result in enumerate(results) if not _right(exercise, result, expected[i])]
    if not wrong:
        return Reply("correct", title, footer=f"{len(cases)} of {len(cases)} cases.")
    shown = min(wrong, key=lambda i: (any(map(_is_blank, cases[i])), i))
    parts = _what_happened(exercise, function, cases[shown], results[shown], expected[shown])
    if exercise.start is not None and _explained(exercise, exercise.start, cases, results, expected) == wrong:
        footer = f'The code still does what it did when you got it. `hint("{exercise.id}")` gives a hint.'
        return Reply("not attempted", title, parts, footer)
    if (mistake := _likely_mistake(exercise, cases, results, expected, shown)) is not None:
        parts += (Part("this looks like", mistake.message, is_prose=True),)
    counted = f"{len(wrong)} of {len(cases)} cases fail"
    if results[-1].kind == "stopped":
        counted = "The check stopped at an input on which your function did not finish"
    return Reply("incorrect", title, parts, f'{counted}. `hint("{exercise.id}")` gives a hint.')


def _is_blank(argument: object) -> bool:
    """Whether an argument holds nothing: an input on which much goes wrong that has nothing to do with the idea."""
    if isinstance(argument, str):
        return not argument.strip()
    if isinstance(argument, np.ndarray):
        return not argument.any()
    if isinstance(argument, Mapping):
        return not argument
    return isinstance(argument, Sequence | Set) and all(map(_is_blank, argument))


def _not_attempted(exercise: Exercise, what_to_do: str) -> Reply:
    return Reply(
        "not attempted", f"{exercise.id} {exercise.title}", footer=f'{what_to_do} `hint("{exercise.id}")` gives a hint.'
    )


def _wrong_parameters(
    exercise: Exercise, function: Callable[..., object], cases: Sequence[Arguments]
) -> tuple[Part, ...] | None:
    signature = attempt(lambda: inspect.signature(function), seconds=2).value
    if not isinstance(signature, inspect.Signature):  # some builtins have none
        return None
    for arguments in cases:
        try:
            signature.bind(*arguments)
        except TypeError as error:
            name = exercise.solution.__name__
            wanted = ", ".join(inspect.signature(exercise.solution).parameters)
            given = ", ".join(str(parameter.name) for parameter in signature.parameters.values())
            return (
                Part("expected parameters", f"{name}({wanted})"),
                Part("your parameters", f"({given})"),
                Part("Python says", str(error)),
            )
    return None


def _run_all(function: Callable[..., object], cases: Sequence[Arguments], seconds: float) -> list[CallResult]:
    """One result a case, up to the first that does not end in time."""
    deadline = time.monotonic() + seconds
    results: list[CallResult] = []
    for arguments in cases:
        results.append(run(function, arguments, deadline - time.monotonic()))
        if results[-1].kind == "stopped":
            break
    return results


def _right(exercise: Exercise, result: CallResult, expected: CallResult) -> bool:
    if result.changed_arguments and not expected.changed_arguments:
        return False
    if expected.kind == "raised":
        return result.kind == "raised" and isinstance(result.error, type(expected.error))
    return result.kind == "returned" and _equal(exercise, result.value, expected.value)


def _equal(exercise: Exercise, returned: object, expected: object) -> bool:
    return attempt(lambda: bool(exercise.equal(returned, expected)), seconds=TIME_LIMIT).value is True


def _agree(exercise: Exercise, one: CallResult, other: CallResult) -> bool:
    if one.kind != other.kind or one.changed_arguments != other.changed_arguments:
        return False
    if one.kind == "raised":
        return type(one.error) is type(other.error)
    return one.kind != "returned" or _equal(exercise, one.value, other.value)


def _explained(
    exercise: Exercise,
    wrong_answer: Callable[..., object],
    cases: Sequence[Arguments],
    results: Sequence[CallResult],
    expected: Sequence[CallResult],
) -> list[int]:
    """The cases in which a known wrong answer is wrong; none where the learner's function does otherwise in one."""
    explained = []
    for i, (arguments, result, right) in enumerate(zip(cases, results, expected, strict=False)):
        theirs = run(wrong_answer, arguments, seconds=None)
        if not _right(exercise, theirs, right):
            if not _agree(exercise, result, theirs):
                return []
            explained.append(i)
    return explained


def _likely_mistake(
    exercise: Exercise,
    cases: Sequence[Arguments],
    results: Sequence[CallResult],
    expected: Sequence[CallResult],
    shown: int,
) -> Mistake | None:
    """The mistake that explains most of what went wrong, the case shown to the learner included."""
    found: list[tuple[int, Mistake]] = []
    for mistake in exercise.mistakes:
        explained = _explained(exercise, mistake.function, cases, results, expected)
        if shown in explained:
            found.append((len(explained), mistake))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _what_happened(
    exercise: Exercise, function: Callable[..., object], arguments: Arguments, result: CallResult, expected: CallResult
) -> tuple[Part, ...]:
    call = f"{exercise.solution.__name__}({', '.join(show(argument) for argument in arguments)})"
    parts = [Part("a failing input", call)]
    if result.kind == "stopped":
        how = "did not finish in time" if result.error is None else "was interrupted"
        parts.append(Part("your function", f"{how}; look for a loop whose end is never reached", is_prose=True))
    elif result.kind == "unfinished":
        parts.append(Part("you returned", "... (this part is not written yet)"))
    elif result.error is not None:
        parts.append(Part("your function raised", show_error(result.error, function)))
    else:
        parts.append(Part("you returned", show(result.value)))
    if expected.error is not None:
        parts.append(Part("expected", f"an error of class {type(expected.error).__name__}"))
    else:
        parts.append(Part("expected", show(expected.value)))
    both_returned = result.kind == expected.kind == "returned"
    if both_returned and (note := _note(function, arguments, result, expected)):
        parts.append(Part("note", note, is_prose=True))
    if result.printed:
        parts.append(Part("it printed", result.printed.rstrip()))
    return tuple(parts)


def _note(function: Callable[..., object], arguments: Arguments, result: CallResult, expected: CallResult) -> str:
    """What can be said of a wrong result without knowing the exercise; empty where that is nothing."""
    if result.value is None and expected.value is not None:
        if result.printed:
            return "Printing an answer is not returning it: end with `return`."
        if ends_without_return(function, arguments):
            return "Here your function ends without `return`, which gives `None`."
        return ""
    if result.changed_arguments and not expected.changed_arguments:
        return "Your function changes the object that it was given; the caller may still need it. Work on a copy."
    text = attempt(lambda: difference(result.value, expected.value), seconds=2).value
    return text if isinstance(text, str) else ""
