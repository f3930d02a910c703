"""A broken promise, told so that it can be mended; and what chunkers and retrievers promise of their parameters.

Lesson 01 uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import fields, is_dataclass, replace
from typing import Any

from hierrag_lessons.model import Document

SHOWN = 120
"""Code points of a text or a value that a message shows."""


class BrokenPromise(AssertionError):  # noqa: N818  It says what happened; nothing went wrong in the check itself.
    """What was promised, what was given, and what came back.

    ``promise`` begins with the name of the promise, a word such as "cover" or "order".
    """

    def __init__(self, promise: str, came_back: object, given: Mapping[str, object]) -> None:
        self.promise, self.given = promise, given
        self.came_back = came_back if isinstance(came_back, str) else shorten(came_back)
        rows = {**{name: shorten(value) for name, value in given.items()}, "came back": self.came_back}
        width = max(map(len, rows))
        lines = (f"  {name:<{width}}  {value}" for name, value in rows.items())
        message = "\n".join([f"broken promise: {promise}", *lines])
        super().__init__(message.encode("utf-8", "backslashreplace").decode())  # half a surrogate pair can't be printed


def shorten(value: object) -> str:
    """A value on one line: of a long one the beginning, of a document what it is and how its text begins."""
    if isinstance(value, Document):
        head = f"{value.doc_id!r}, kind {value.kind!r}, language {value.language!r}, {len(value.text)} characters: "
        return head + shorten(value.text)
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {value}"
    if is_dataclass(value) and not isinstance(value, type):
        parts = (f"{field.name}={shorten(getattr(value, field.name))}" for field in fields(value))
        return f"{type(value).__name__}({', '.join(parts)})"
    written = repr(value)
    if " at 0x" in written:  # An address differs in every run.
        return getattr(value, "__name__", type(value).__name__)
    return written if len(written) <= SHOWN else f"{written[:SHOWN]}…"


def check_refused(promise: str, call: Callable[[], object], given: Mapping[str, object], *named: object) -> None:
    """Check that a call raises a ``ValueError`` that names all of ``named``."""
    try:
        came_back = call()
    except ValueError as error:
        missing = [shown for shown in map(str, named) if shown not in str(error)]
        if missing:
            raise BrokenPromise(f"{promise} that names {', '.join(missing)}", error, given) from error
    except Exception as error:
        raise BrokenPromise(promise, error, given) from error
    else:
        raise BrokenPromise(promise, came_back, given)


def check_frozen(kind: str, instance: Any) -> None:
    """Check that the parameters can be read and compared, and not be set."""
    given = {kind: instance}
    if not is_dataclass(instance) or isinstance(instance, type):
        promise = f"frozen: a {kind} is an instance of a frozen dataclass, and its fields are its parameters"
        raise BrokenPromise(promise, "something else; write @dataclass(frozen=True) above the class", given)
    for field in fields(instance):
        try:
            setattr(copy(instance), field.name, getattr(instance, field.name))
        except AttributeError:
            continue
        promise = f"frozen: the parameters of a {kind} cannot be set after it was made"
        raise BrokenPromise(promise, f"{field.name} was set; write @dataclass(frozen=True)", given)
    if instance != copy(instance):
        raise BrokenPromise(f"frozen: a {kind} equals another one with the same parameters", "not equal", given)


def check_counts(kind: str, instance: Any) -> None:
    """Check that each parameter that is a whole number can be nothing else."""
    for field in fields(instance):
        annotation = str(field.type)
        if type(getattr(instance, field.name)) is not int or not field.init or "float" in annotation:
            continue
        wrong: list[object] = ["7", 1.5, float("nan"), float("inf")]
        if "None" not in annotation and "Optional" not in annotation:
            wrong.append(None)
        for value in wrong:
            check_made(kind, instance, field.name, value)


def check_made(kind: str, instance: Any, name: str, value: object) -> None:
    """Check that a value of a parameter is refused when an instance is made with it."""
    check_refused(
        f"refused: a {kind} cannot be made with {name}={value!r}; that raises a ValueError",
        lambda: replace(instance, **{name: value}),
        {kind: instance},
        name,
        value,
    )
