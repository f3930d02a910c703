"""Run code that a learner wrote, and survive whatever it does."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import itertools
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Literal

import numpy as np

from hierrag_lessons.exercises.comparing import changed
from hierrag_lessons.exercises.stopping import TimeIsUpError, call_within

MAX_ITEMS = 100_000  # of a generator: one without end must not eat the memory
MAX_PRINTED = 500  # characters kept of what a function prints
MAX_SHOWN = 600  # characters of a value that are shown


@dataclass(frozen=True)
class CallResult:
    """What came of one call; ``error`` of a stopped one is the user's interrupt, or ``None`` where time was up."""

    kind: Literal["returned", "raised", "unfinished", "stopped"]
    value: object = None
    error: BaseException | None = None
    printed: str = ""
    changed_arguments: bool = False


class _Printed(io.StringIO):
    def write(self, text: str) -> int:
        super().write(text[: max(0, MAX_PRINTED - self.tell())])
        return len(text)


def attempt(work: Callable[[], object], seconds: float | None) -> CallResult:
    """Call ``work``, silently; nothing that it raises gets out.

    It is stopped after ``seconds``; ``None`` is for the course's own code, which ends.
    """
    printed = _Printed()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = _call(work, seconds)
    return replace(result, printed=printed.getvalue())


def _call(work: Callable[[], object], seconds: float | None) -> CallResult:
    def value_of_work() -> object:
        value = work()
        if inspect.iscoroutine(value):
            value.close()
        return list(itertools.islice(value, MAX_ITEMS)) if isinstance(value, Iterator) else value

    try:
        value = value_of_work() if seconds is None else call_within(seconds, value_of_work)
    except TimeIsUpError:
        return CallResult("stopped")
    except KeyboardInterrupt as error:
        return CallResult("stopped", error=error)
    except NotImplementedError:
        return CallResult("unfinished")
    except BaseException as error:  # SystemExit too
        # A `...` left in the middle of the code shows as a complaint about the type of Ellipsis.
        return CallResult("unfinished" if "ellipsis" in _text_of(error) else "raised", error=error)
    if value is ... or value is NotImplemented:
        return CallResult("unfinished")
    return CallResult("returned", value)


def run(function: Callable[..., object], arguments: tuple[object, ...], seconds: float | None) -> CallResult:
    """Call ``function`` with a copy of ``arguments``, so that it can't spoil them for anyone else."""
    try:
        given = copy.deepcopy(arguments)
    except Exception:  # an open index, a lock: such arguments are shared
        given = arguments
    result = attempt(lambda: function(*given), seconds)
    touched = attempt(lambda: changed(arguments, given), seconds)
    return replace(result, changed_arguments=touched.value is True)


def show(value: object, limit: int = MAX_SHOWN) -> str:
    """``repr(value)``, cut in the middle at ``limit`` characters, whatever its ``__repr__`` does."""

    def written() -> str:
        with np.printoptions(legacy="1.25"):  # a NumPy number reads as 0.5, and not as np.float64(0.5)
            return repr(value)

    result = attempt(written, seconds=2)
    if not isinstance(result.value, str):
        return f"<{type(value).__name__} that can't be shown>"
    text = re.sub(r" at 0x[0-9A-Fa-f]+", "", result.value)
    if len(text) > limit:
        text = f"{text[: limit * 2 // 3]} … {text[-limit // 3 :]}  ({len(text):,} characters)"
    return text


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # its __str__ is the learner's too
        return ""


def show_error(error: BaseException, function: Callable[..., object]) -> str:
    """Class, message and the line of the learner's own code, without a traceback and without a path."""
    text = f"{type(error).__name__}: {_text_of(error)}".rstrip(": ")
    code = function.__code__ if isinstance(function, FunctionType) else None
    own = None
    frame = error.__traceback__
    while frame is not None and code is not None:
        if frame.tb_frame.f_code.co_filename == code.co_filename:
            own = frame
        frame = frame.tb_next
    if own is None:
        return text
    line = inspect.getframeinfo(own, context=1).code_context
    return f"{text}\nin the line: {line[0].strip()}" if line else text
