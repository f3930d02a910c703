"""Judge a learner's function: correct, incorrect, or not attempted yet."""

from __future__ import annotations

import dis
import inspect
import time
from collections.abc import Callable, Sequence
from random import Random
from types import FunctionType

from hierrag_lessons.exercises.comparing import difference
from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.reply import Reply
from hierrag_lessons.exercises.running import Outcome, attempt, run, show, show_error

TIME_LIMIT = 10.0  # seconds for the learner's function on all cases together
_TRUSTED = 60.0  # seconds for a function of the course

Arguments = tuple[object, ...]


def judge(exercise: Exercise, function: object, *, seconds: float = TIME_LIMIT) -> Reply:
    """Compare ``function`` with the exercise's oracle on every case.

    The cases are seeded with the exercise's id, so two runs see the same ones. They are tried from the shortest to the
    longest, and the first that fails is the one shown.
    """
    title = f"{exercise.id} {exercise.title}"
    name = exercise.solution.__name__
    if function is None or function is ... or function is NotImplemented:
        return _not_attempted(exercise, f"Write {name}, then run this cell again.")
    if not callable(function):
        return Reply(
            "incorrect",
            title,
            (("check() was given", show(function)),),
            f'Hand over the function itself, without brackets after its name: check("{exercise.id}", {name}).',
        )
    if _is_empty(function):
        return _not_attempted(exercise, f"The body of {name} is still empty.")
    if attempt(lambda: inspect.iscoroutinefunction(function), seconds=2).value is True:
        return Reply("incorrect", title, footer="Write `def`, not `async def`: an async function returns a coroutine.")

    cases = sorted(exercise.cases(Random(exercise.id)), key=lambda arguments: len(repr(arguments)))
    expected = [run(exercise.oracle, arguments, _TRUSTED) for arguments in cases]
    if (parameters := _wrong_parameters(exercise, function, cases)) is not None:
        return Reply("incorrect", title, parameters, "Change the line that starts with def.")
    outcomes = _run_all(function, cases, seconds)
    if all(outcome.kind == "unfinished" for outcome in outcomes):
        return _not_attempted(exercise, f"Replace the `...` in {name}, then run this cell again.")

    wrong = [i for i, outcome in enumerate(outcomes) if not _right(exercise, outcome, expected[i])]
    if not wrong:
        return Reply("correct", title, footer=f"{len(cases)} of {len(cases)} cases.")
    first = wrong[0]
    parts = _what_happened(exercise, function, cases[first], outcomes[first], expected[first])
    if exercise.start is not None and _explained(exercise, exercise.start, cases, outcomes, expected) == wrong:
        footer = f'The code still does what it did when you got it. hint("{exercise.id}") gives a hint.'
        return Reply("not attempted", title, parts, footer)
    if (mistake := _likely_mistake(exercise, cases, outcomes, expected, first)) is not None:
        parts += (("this looks like", mistake.message),)
    counted = f"{len(wrong)} of {len(cases)} cases fail" if len(outcomes) == len(cases) else "The check stopped there"
    return Reply("incorrect", title, parts, f'{counted}. hint("{exercise.id}") gives a hint.')


def _not_attempted(exercise: Exercise, what_to_do: str) -> Reply:
    return Reply(
        "not attempted", f"{exercise.id} {exercise.title}", footer=f'{what_to_do} hint("{exercise.id}") gives a hint.'
    )


def _is_empty(function: object) -> bool:
    """Whether a function's body is only a docstring, ``pass`` or ``...``, which all compile to ``return None``."""
    if type(function) is not FunctionType:
        return False
    steps = [step for step in dis.get_instructions(function) if step.opname not in {"RESUME", "NOP"}]
    return all(step.opname in {"LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"} and step.argval is None for step in steps)


def _wrong_parameters(
    exercise: Exercise, function: Callable[..., object], cases: Sequence[Arguments]
) -> tuple[tuple[str, str], ...] | None:
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
                ("expected parameters", f"{name}({wanted})"),
                ("your parameters", f"({given})"),
                ("Python says", str(error)),
            )
    return None


def _run_all(function: Callable[..., object], cases: Sequence[Arguments], seconds: float) -> list[Outcome]:
    """One outcome a case, up to the first that does not end in time."""
    deadline = time.monotonic() + seconds
    outcomes: list[Outcome] = []
    for arguments in cases:
        outcomes.append(run(function, arguments, deadline - time.monotonic()))
        if outcomes[-1].kind == "timeout":
            break
    return outcomes


def _right(exercise: Exercise, outcome: Outcome, expected: Outcome) -> bool:
    if outcome.changed_arguments and not expected.changed_arguments:
        return False
    if expected.kind == "raised":
        return outcome.kind == "raised" and isinstance(outcome.error, type(expected.error))
    return outcome.kind == "returned" and _equal(exercise, outcome.value, expected.value)


def _equal(exercise: Exercise, returned: object, expected: object) -> bool:
    return attempt(lambda: bool(exercise.equal(returned, expected)), seconds=_TRUSTED).value is True


def _agree(exercise: Exercise, one: Outcome, other: Outcome) -> bool:
    if one.kind != other.kind or one.changed_arguments != other.changed_arguments:
        return False
    if one.kind == "raised":
        return type(one.error) is type(other.error)
    return one.kind != "returned" or _equal(exercise, one.value, other.value)


def _explained(
    exercise: Exercise,
    wrong_answer: Callable[..., object],
    cases: Sequence[Arguments],
    outcomes: Sequence[Outcome],
    expected: Sequence[Outcome],
) -> list[int]:
    """The cases in which a known wrong answer is wrong; none where the learner's function does otherwise in one."""
    explained = []
    for i, (arguments, outcome, right) in enumerate(zip(cases, outcomes, expected, strict=False)):
        theirs = run(wrong_answer, arguments, _TRUSTED)
        if not _right(exercise, theirs, right):
            if not _agree(exercise, outcome, theirs):
                return []
            explained.append(i)
    return explained


def _likely_mistake(
    exercise: Exercise,
    cases: Sequence[Arguments],
    outcomes: Sequence[Outcome],
    expected: Sequence[Outcome],
    shown: int,
) -> Mistake | None:
    """The mistake that explains most of what went wrong, the case shown to the learner included."""
    found: list[tuple[int, Mistake]] = []
    for mistake in exercise.mistakes:
        explained = _explained(exercise, mistake.function, cases, outcomes, expected)
        if shown in explained:
            found.append((len(explained), mistake))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _what_happened(
    exercise: Exercise, function: Callable[..., object], arguments: Arguments, outcome: Outcome, expected: Outcome
) -> tuple[tuple[str, str], ...]:
    call = f"{exercise.solution.__name__}({', '.join(show(argument) for argument in arguments)})"
    parts = [("first failing input", call)]
    if outcome.kind == "timeout":
        parts.append(("your function", "did not finish in time; look for a loop whose end is never reached"))
    elif outcome.kind == "unfinished":
        parts.append(("you returned", "... (this part is not written yet)"))
    elif outcome.error is not None:
        parts.append(("your function raised", show_error(outcome.error, function)))
    else:
        parts.append(("you returned", show(outcome.value)))
    if expected.error is not None:
        parts.append(("expected", f"an error of class {type(expected.error).__name__}"))
    else:
        parts.append(("expected", show(expected.value)))
    if outcome.kind == "returned" and expected.kind == "returned" and (note := _note(outcome, expected)):
        parts.append(("note", note))
    if outcome.printed:
        parts.append(("it printed", outcome.printed.rstrip()))
    return tuple(parts)


def _note(outcome: Outcome, expected: Outcome) -> str:
    if outcome.value is None and expected.value is not None:
        if outcome.printed:
            return "Printing an answer is not returning it: end with return."
        return "A function that ends without return gives None."
    if outcome.changed_arguments and not expected.changed_arguments:
        return "Your function changes the object that it was given; the caller may still need it. Work on a copy."
    text = attempt(lambda: difference(outcome.value, expected.value), seconds=2).value
    return text if isinstance(text, str) else ""
