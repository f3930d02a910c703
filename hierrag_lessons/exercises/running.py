"""Run code that a learner wrote, and survive whatever it does."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import itertools
import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import FrameType, FunctionType
from typing import Literal

from hierrag_lessons.exercises.comparing import changed

MAX_ITEMS = 100_000  # of a generator: one without end must not eat the memory
MAX_PRINTED = 500  # characters kept of what a function prints
MAX_SHOWN = 600  # characters of a value that are shown


@dataclass(frozen=True)
class Outcome:
    """What came of one call."""

    kind: Literal["returned", "raised", "unfinished", "timeout"]
    value: object = None
    error: BaseException | None = None
    printed: str = ""
    changed_arguments: bool = False


class _TimeIsUp(BaseException):
    """Not an ``Exception``, so that an ``except Exception`` in the learner's loop lets it pass."""


class _Printed(io.StringIO):
    def write(self, text: str) -> int:
        super().write(text[: max(0, MAX_PRINTED - self.tell())])
        return len(text)


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise ``_TimeIsUp`` after ``seconds``, where the platform has an alarm signal and this is the main thread."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise _TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def attempt(work: Callable[[], object], seconds: float) -> Outcome:
    """Call ``work``, silently, for at most ``seconds``; nothing that it raises gets out."""
    printed = _Printed()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with _time_limit(seconds):
                value = work()
                if inspect.iscoroutine(value):
                    value.close()
                elif isinstance(value, Iterator):
                    value = list(itertools.islice(value, MAX_ITEMS))
    except _TimeIsUp:
        return Outcome("timeout", printed=printed.getvalue())
    except NotImplementedError:
        return Outcome("unfinished", printed=printed.getvalue())
    except BaseException as error:  # SystemExit and KeyboardInterrupt too
        # A `...` left in the middle of the code shows as a complaint about the type of Ellipsis.
        unfinished = "ellipsis" in _text_of(error)
        return Outcome("unfinished" if unfinished else "raised", error=error, printed=printed.getvalue())
    if value is ... or value is NotImplemented:
        return Outcome("unfinished", printed=printed.getvalue())
    return Outcome("returned", value, printed=printed.getvalue())


def run(function: Callable[..., object], arguments: tuple[object, ...], seconds: float) -> Outcome:
    """Call ``function`` with a copy of ``arguments``, so that it can't spoil them for anyone else."""
    try:
        given = copy.deepcopy(arguments)
    except Exception:  # an open index, a lock: such arguments are shared
        given = arguments
    outcome = attempt(lambda: function(*given), seconds)
    touched = attempt(lambda: changed(arguments, given), seconds)
    return replace(outcome, changed_arguments=touched.value is True)


def show(value: object, limit: int = MAX_SHOWN) -> str:
    """``repr(value)``, cut in the middle at ``limit`` characters, whatever its ``__repr__`` does."""
    outcome = attempt(lambda: repr(value), seconds=2)
    if not isinstance(outcome.value, str):
        return f"<{type(value).__name__} that can't be shown>"
    text = re.sub(r" at 0x[0-9A-Fa-f]+", "", outcome.value)
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
