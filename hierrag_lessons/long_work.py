"""A sign of life for work that takes longer than a moment."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

from hierrag_lessons import checks

__all__ = ["with_progress"]

T = TypeVar("T")

DELAY = 2.0  # seconds before anything is shown
_REDRAW = 0.5  # seconds; each time is a message to the browser


def with_progress(items: Iterable[T], what: str) -> Iterator[T]:
    """The items, one after another, with a line that says how many are done and how long the rest may take.

    The line comes after ``DELAY`` seconds, with the next item, and is gone at the end. It is drawn in a terminal and
    under a notebook's cell, nowhere else, and not at all where ``TQDM_DISABLE`` is set, as it is where notebooks are
    built. Loops inside each other share one line.

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
    # The form of tqdm for notebooks would leave a widget in the saved notebook that no longer exists.
    from tqdm import tqdm

    yield from tqdm(items, what, file=screen, delay=DELAY, mininterval=_REDRAW, leave=False, position=0)


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
