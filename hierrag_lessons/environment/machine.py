"""The machine, and the Python that runs here."""

from __future__ import annotations

import os
import platform
import sys
import sysconfig

from hierrag_lessons.environment.finding import INSTALL, Finding

OLDEST, NEWEST = (3, 11), (3, 14)
"""The Pythons that all pinned packages have wheels for."""

_OLDEST_MACOS = 14


def usable_cores() -> int:
    """The cores that this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def unfit_python() -> str:
    """Why the pinned packages don't fit this Python, and what to do; empty where they do."""
    version, newest = platform.python_version(), ".".join(map(str, NEWEST))
    if sys.version_info[:2] < OLDEST:
        return f"Python {version} is too old for the course; install 3.11 or newer, up to {newest}, then {INSTALL}"
    if sys.version_info[:2] > NEWEST:
        return f"Python {version} is too new for the course's packages; install 3.11 to {newest}, then {INSTALL}"
    if platform.python_implementation() != "CPython":
        return f"{platform.python_implementation()} has no PyTorch; install Python from python.org, then {INSTALL}"
    return ""


def unfit_system() -> str:
    """Why the pinned packages don't fit this machine, and what to do; empty where they do."""
    system, machine = platform.system(), platform.machine().lower()
    runs = "The course runs on Linux, on Windows x64 and on Macs with an Apple chip"
    if system == "Darwin" and machine != "arm64":
        return (
            "PyTorch and LanceDB are no longer made for Intel Macs, so the course can't be installed here. Where this "
            "Mac has an Apple chip, its Python is the one for Intel: install that of python.org and use it. " + runs
        )
    if system == "Darwin" and int(platform.mac_ver()[0].partition(".")[0] or 0) < _OLDEST_MACOS:
        return f"this is macOS {platform.mac_ver()[0]}, and PyTorch needs macOS {_OLDEST_MACOS}; update the system"
    if system == "Windows" and sysconfig.get_platform() != "win-amd64":
        return (
            f"this Python is {sysconfig.get_platform()}, and PyTorch and LanceDB are made for win-amd64 only; install "
            f"the 64-bit Python of python.org for Intel and AMD. {runs}"
        )
    if system == "Linux" and machine not in ("x86_64", "aarch64"):
        return f"PyTorch and LanceDB are made for Linux on x86_64 and aarch64, and this is {machine}. {runs}"
    if system == "Linux" and "musl" in str(sysconfig.get_config_var("HOST_GNU_TYPE")):
        return "PyTorch and LanceDB need glibc, and this Linux has musl, as Alpine does; use Debian, Ubuntu or another"
    if system not in ("Linux", "Darwin", "Windows"):
        return f"PyTorch and LanceDB are not made for {system}. {runs}"
    return ""


def check_system() -> list[Finding]:
    """The operating system, Python, and the cores that this process may use."""
    version = platform.python_version()
    kind = "" if platform.python_implementation() == "CPython" else f" ({platform.python_implementation()})"
    where = "in a virtual environment" if sys.prefix != sys.base_prefix else "not in a virtual environment"
    return [
        Finding("system", f"{platform.system()} {platform.release()}, {platform.machine()}", unfit_system()),
        Finding("python", f"{version}{kind}, {where}", unfit_python()),
        Finding("cores", f"{usable_cores()} of {os.cpu_count()}"),
    ]
