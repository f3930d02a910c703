"""Which exercises a learner has solved: kept in a file, so that other notebooks and later kernels know it."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock
from platformdirs import user_data_path

from hierrag_lessons.embedding.cache import with_tilde
from hierrag_lessons.exercises.exercise import Exercise
from hierrag_lessons.whole_files import write_whole

_PATIENCE = 5.0  # seconds to wait for another kernel that writes

_solved_in_this_kernel: set[str] = set()


class Record(NamedTuple):
    """What is known: entries as :func:`entry_of` makes them, and what is wrong with the file, where something is."""

    entries: frozenset[str]
    problem: str = ""


def record_file() -> Path | None:
    """Where it is kept: ``progress.json`` in the folder that the platform has for a user's data.

    That folder is outside the course, so a new version of the course, or another copy of a notebook, finds it. The
    environment variable ``HIERRAG_PROGRESS`` names another file, or is ``off``: then it is kept in this kernel alone.
    """
    chosen = os.environ.get("HIERRAG_PROGRESS", "")
    if chosen == "off":
        return None
    return Path(chosen).expanduser() if chosen else user_data_path("hierrag", appauthor=False) / "progress.json"


def entry_of(exercise: Exercise) -> str:
    """How an exercise is noted. With its function's name, because a new version of the course may number anew."""
    return f"{exercise.id} {exercise.solution.__name__}"


def add(exercise: Exercise) -> None:
    """Note that an exercise is solved; where the file can't be written, this kernel remembers it all the same."""
    _solved_in_this_kernel.add(entry_of(exercise))
    file = record_file()
    if file is None:
        return
    with contextlib.suppress(OSError):  # read() tells
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{file}.lock", timeout=_PATIENCE):
            try:
                known = _entries_in(file)
            except ValueError:  # damaged: it is the learner's, so it is not thrown away
                file.replace(file.with_name(f"{file.name}.damaged"))
                known = frozenset()
            if not known >= _solved_in_this_kernel:
                write_whole(file, json.dumps(sorted(known | _solved_in_this_kernel), indent=1) + "\n")


def read() -> Record:
    """What this kernel and the file know. Never raises."""
    here, file = frozenset(_solved_in_this_kernel), record_file()
    if file is None:
        return Record(here)
    problem, kept = "", frozenset[str]()
    try:
        kept = _entries_in(file)
    except (OSError, ValueError) as error:
        problem = f"{with_tilde(file)} can't be read ({error})"
    if not problem and not kept >= here:
        problem = f"{with_tilde(file)} can't be written, so what you solved now is forgotten with this kernel"
    return Record(here | kept, problem)


def _entries_in(file: Path) -> frozenset[str]:
    """The entries in a file; none where it does not exist. ``ValueError`` where it is damaged."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return frozenset()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise ValueError("it is no list of exercises")
    return frozenset(entries)
