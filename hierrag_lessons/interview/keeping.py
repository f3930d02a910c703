"""What the learner has answered, kept in a file from one evening to the next.

Lesson 26 uses it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from filelock import FileLock
from platformdirs import user_data_path

from hierrag_lessons import checks
from hierrag_lessons.interview.scheduling import Attempt
from hierrag_lessons.whole_files import write_whole

_PATIENCE = 5.0  # seconds to wait for another kernel that writes

_kept_in_this_kernel: list[Attempt] = []


def attempts_file() -> Path | None:
    """Where the attempts are kept: ``interview.json``, in the folder that keeps which exercises are solved.

    Where ``HIERRAG_PROGRESS`` names another file, ``ann.json``, the attempts are beside it in ``ann.interview.json``:
    two learners do not share them. Where it is ``off`` this is None, and only this kernel remembers.
    """
    chosen = os.environ.get("HIERRAG_PROGRESS", "")
    if chosen == "off":
        return None
    if not chosen:
        return user_data_path("hierrag", appauthor=False) / "interview.json"
    progress = Path(chosen).expanduser()
    return progress.with_name(f"{progress.stem}.interview.json")


def read_attempts(path: Path | str | None = None) -> tuple[Attempt, ...]:
    """The attempts in a file, in their order; none where it does not exist. Without ``path``, the learner's file.

    Raises ``ValueError`` where the file is damaged, with what to do about it.
    """
    file = attempts_file() if path is None else checks.path("path", path)
    if file is None:
        return tuple(_kept_in_this_kernel)
    if not file.exists():
        return ()
    try:
        entries: Any = json.loads(file.read_text(encoding="utf-8"))
        return tuple(Attempt(entry["item"], entry["day"], entry["share"]) for entry in entries)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError(
            f"path is {str(file)!r}, which holds no attempts ({error}); repair it, or give it another name "
            "and begin anew"
        ) from None


def add_attempt(attempt: Attempt, path: Path | str | None = None) -> tuple[Attempt, ...]:
    """Write one more attempt, and return all.

    The file is written beside itself and then renamed, so a cut of the power leaves the old one; a lock keeps two
    terminals apart.

    Raises ``ValueError`` where the file is damaged, and ``OSError`` where it can't be written.
    """
    checks.instance("attempt", attempt, Attempt)
    file = attempts_file() if path is None else checks.path("path", path)
    if file is None:
        _kept_in_this_kernel.append(attempt)
        return tuple(_kept_in_this_kernel)
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{file}.lock", timeout=_PATIENCE):
        attempts = (*read_attempts(file), attempt)
        lines = [json.dumps({"item": each.item_id, "day": each.day, "share": each.share}) for each in attempts]
        write_whole(file, "[\n" + ",\n".join(lines) + "\n]\n")
    return attempts
