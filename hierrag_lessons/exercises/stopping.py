"""Stop a function that does not end by itself, on every platform and in every thread."""

from __future__ import annotations

import contextvars
import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

_INSIST = 0.05  # seconds from one attempt at stopping a function to the next
_GRACE = 1.0  # seconds of such attempts, after which a thread is left behind

_Result = tuple[object, BaseException | None]


class TimeIsUpError(Exception):
    """The function did not end in time."""


class _Stop(BaseException):
    """Raised in the middle of a running function; not an ``Exception``, so that ``except Exception`` lets it pass.

    A bare ``except`` catches it all the same. So it is raised once more at the next line that runs, which lies in the
    handler or behind it. Only a thread can trace itself, so that is arranged here, where the error is made.
    """

    def __init__(self) -> None:
        frame: FrameType | None = sys._getframe(1)
        if frame is not None and frame.f_code in (_ring.__code__, _stop_again.__code__):
            frame = frame.f_back
        while frame is not None and not _is_ours(frame):
            frame.f_trace = _stop_again
            frame = frame.f_back
        sys.settrace(_stop_again)  # last: from here on each call of a Python function raises


def _stop_again(_frame: FrameType, event: str, _argument: object) -> Any:
    if event in {"call", "line"}:
        raise _Stop
    return _stop_again


def _ring(_number: int, frame: FrameType | None) -> None:
    """What an alarm does; in this module's own frames nothing, so that no error escapes while it tidies up."""
    if not _is_ours(frame):
        raise _Stop


def _is_ours(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_code.co_filename == __file__


def call_within(seconds: float, work: Callable[[], object]) -> object:
    """``work()``, stopped after ``seconds``.

    In the main thread of Linux and macOS an alarm stops it, because only a signal interrupts a regular expression that
    goes on for ever. Elsewhere it runs in a thread of its own and is stopped at its next line; one that waits in C
    code, as in a long sleep, is left behind and stops when it wakes up.

    Raises
    ------
    TimeIsUpError
        Where ``work`` did not end in time. Errors that ``work`` raises pass through.
    """
    if hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread():
        return _call_with_alarm(seconds, work)
    return _call_in_thread(seconds, work)


def _call_with_alarm(seconds: float, work: Callable[[], object]) -> object:
    traced, handler = sys.gettrace(), signal.signal(signal.SIGALRM, _ring)
    results: list[_Result] = []
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), _INSIST)
        next(_collect(work, results))
    except _Stop:
        raise TimeIsUpError from None
    finally:
        sys.settrace(traced)  # first: the calls below could be traced, and would raise again
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    return _value_of(results[0])


def _collect(work: Callable[[], object], results: list[_Result]) -> Iterator[None]:
    """A generator, because it has a place of its own for the error that is handled at the moment.

    Where ``_Stop`` is raised on the way out of a handler, Python leaves that error there, and would name it as the
    context of every later one.
    """
    try:
        results.append((work(), None))
    except StopIteration as error:  # no other error may leave a generator as it is
        results.append((None, error))
    yield


def _call_in_thread(seconds: float, work: Callable[[], object]) -> object:
    results: list[_Result] = []
    context = contextvars.copy_context()
    running = threading.Lock()

    def call() -> None:
        try:
            results.append((context.run(work), None))
        except BaseException as error:
            sys.settrace(None)
            results.append((None, error))
        finally:
            running.release()

    running.acquire()
    thread = threading.Thread(target=call, name="checked function", daemon=True)
    thread.start()
    ended = False
    try:
        ended = _ends_within(seconds, running)
    finally:  # time is up, or the user interrupts
        if not ended:
            _stop(thread, running)
    if not results or isinstance(results[0][1], _Stop):
        raise TimeIsUpError
    return _value_of(results[0])


def _ends_within(seconds: float, running: threading.Lock) -> bool:
    """Wait for the end of a function, in short steps: on Windows an interrupt is noticed only between them."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if running.acquire(timeout=min(_INSIST, left)):
            return True
    return False


def _stop(thread: threading.Thread, running: threading.Lock) -> None:
    end = time.monotonic() + _GRACE
    while time.monotonic() < end:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Stop))
        if running.acquire(timeout=_INSIST):
            return


def _value_of(result: _Result) -> object:
    value, error = result
    if error is not None:
        raise error
    return value
