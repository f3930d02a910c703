"""The machine, and the Python that runs here."""

from __future__ import annotations

import os
import platform
import sys

from hierrag_lessons.environment.finding import INSTALL, Finding


def usable_cores() -> int:
    """The cores that this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_system() -> list[Finding]:
    """The operating system, Python, and the cores that this process may use."""
    version = platform.python_version()
    old = f"Python {version} is too old for the course; install 3.11 or newer, then {INSTALL}"
    kind = "" if platform.python_implementation() == "CPython" else f" ({platform.python_implementation()})"
    where = "in a virtual environment" if sys.prefix != sys.base_prefix else "not in a virtual environment"
    return [
        Finding("system", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        Finding("python", f"{version}{kind}, {where}", "" if sys.version_info >= (3, 11) else old),
        Finding("cores", f"{usable_cores()} of {os.cpu_count()}"),
    ]
