"""A sign of life for work that takes longer than a moment, and a short word where it is interrupted."""

from __future__ import annotations

import inspect
import math
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from itertools import dropwhile
from typing import TextIO, TypeVar

from hierrag_lessons import checks

__all__ = ["with_progress"]

T = TypeVar("T")

DELAY = 2.0  # seconds before anything is shown
_REDRAW = 0.5  # seconds; each time is a message to the browser


class Interrupted(KeyboardInterrupt):
    """Work that somebody stopped; the message says what is kept. A notebook shows it without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def with_progress(items: Iterable[T], what: str) -> Iterator[T]:
    """The items, one after another, with a line that says how many are done and how long the rest may take.

    The line comes after ``DELAY`` seconds and is gone at the end. It is drawn in a terminal and under a notebook's
    cell, nowhere else, and not at all where ``TQDM_DISABLE`` is set, as it is where notebooks are built. Loops inside
    each other share one line, and its bar is the share of all of them together.

    Parameters
    ----------
    items:
        Anything; the share that is done is shown where it has a length.
    what:
        What is being done: ``"embedding 1,940 texts"``.

    Raises ``ValueError`` where ``what`` is no text.
    """
    checks.text("what", what)
    return _with_line(items, what)


def _with_line(items: Iterable[T], what: str) -> Iterator[T]:
    screen = _screen()
    if screen is None:
        yield from items
        return
    line = _lines.__dict__.setdefault("line", _Line())
    asked_by = _callers()[1]
    loop = _Loop(what, len(items) if isinstance(items, Sized) else None, asked_by, time.monotonic())
    line.enter(loop, screen)
    try:
        for item in items:
            line.draw()
            yield item
            loop.done += 1
        line.draw()
    finally:
        line.leave(loop)


@dataclass(eq=False)
class _Loop:
    """A loop that runs, and how far it is."""

    what: str
    total: int | None
    asked_by: int
    began: float
    done: int = 0


class _Line:
    """The line of one thread, and the loops that it tells of, from the outermost to the innermost."""

    def __init__(self) -> None:
        self.loops: list[_Loop] = []
        self.screen: TextIO | None = None
        self.lock = threading.RLock()
        self.due = 0.0
        self.width = 0

    def enter(self, loop: _Loop, screen: TextIO) -> None:
        # Where work failed, its traceback can keep a loop from ending. What asked that for items runs no more.
        running = set(_callers())
        self.loops = [outer for outer in self.loops if outer.asked_by in running]
        if not self.loops:
            self.screen, self.due, self.width = screen, loop.began + DELAY, 0
            # The first item may take long, too: a model is loaded with it.
            self.timer = threading.Timer(DELAY, self._begin)
            self.timer.daemon = True
            if loop.total != 0:
                self.timer.start()
        self.loops.append(loop)

    def leave(self, loop: _Loop) -> None:
        with self.lock:
            if loop not in self.loops:
                return
            self.loops.remove(loop)
            if not self.loops:
                self.timer.cancel()
                if self.width:
                    self._write("\r" + " " * self.width + "\r")

    def draw(self) -> None:
        with self.lock:
            if self.loops and (now := time.monotonic()) >= self.due:
                text = _told(self.loops, now, _columns(self.screen))
                self._write("\r" + text.ljust(self.width))
                self.due, self.width = now + _REDRAW, len(text)

    def _begin(self) -> None:
        with self.lock:
            if not self.width:
                self.due = 0.0
                self.draw()

    def _write(self, text: str) -> None:
        if self.screen is not None:
            self.screen.write(text)
            self.screen.flush()


_lines = threading.local()


def _callers() -> list[int]:
    """Which frames run now, from the caller's to the outermost. By their ids: a frame itself would be kept alive."""
    frame, found = inspect.currentframe(), []
    while frame is not None and (frame := frame.f_back) is not None:
        found.append(id(frame))
    return found


def _told(loops: Sequence[_Loop], now: float, columns: int | None) -> str:
    """The line: the outer loops' names and places, the innermost one's name, and the share of all that can be told."""
    from tqdm import tqdm  # only for its bar: its form for notebooks would leave a widget that no longer exists

    *outer, inner = loops
    names = [f"{each.what} {each.done + 1}" + (f" of {each.total}" if each.total else "") for each in outer]
    prefix = ", ".join([*names, inner.what])
    known = list(dropwhile(lambda loop: not loop.total, loops))
    if not known:
        return str(tqdm.format_meter(inner.done, None, now - inner.began, columns, prefix))
    share = 0.0
    for loop in reversed(known):
        share = (loop.done + share) / loop.total if loop.total else 0.0
    counted = f" {inner.done}/{inner.total}" if known == [inner] else ""
    shape = f"{{l_bar}}{{bar}}|{counted} [{{elapsed}}<{{remaining}}]"
    return str(tqdm.format_meter(share, 1, now - known[0].began, columns, prefix, bar_format=shape))


def _columns(screen: TextIO | None) -> int | None:
    """The width of a terminal; a notebook's cell has none, and gets a short bar."""
    return shutil.get_terminal_size().columns - 1 if screen is not None and screen.isatty() else None


def _screen() -> TextIO | None:
    """Where a line can be drawn and drawn over."""
    if os.environ.get("TQDM_DISABLE"):
        return None
    if type(sys.stdout).__module__.startswith("ipykernel."):
        return sys.stdout  # stderr stands on red there
    return sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None


def is_shown() -> bool:
    """Whether :func:`with_progress` draws its line here. Where it does not, whoever can print lines may print some."""
    return _screen() is not None


def spoken(seconds: float) -> str:
    """Say a time in words, rounded up so that nobody waits longer than was said.

    >>> spoken(3), spoken(41), spoken(61), spoken(7300)
    ('5 s', '45 s', '2 min', '2 h 2 min')
    """
    if seconds <= 55:
        return f"{max(5, 5 * math.ceil(seconds / 5))} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
