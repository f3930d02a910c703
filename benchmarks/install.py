"""What an installation costs: megabytes, seconds and the first run of the tour: ``python -m benchmarks.install``.

It clones the repository, installs the course into a new virtual environment as `make setup` does, and runs the tour
twice with an empty embedding cache. It needs the network, and takes a few minutes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.results import write
from tools.notebooks import ROOT


def measure(folder: Path) -> dict[str, Any]:
    """Install the committed state of the course in ``folder`` and measure."""
    course, log = folder / "course", folder / "pip.log"
    python = str(course / ".venv" / "bin" / "python")
    _run(["git", "clone", "--quiet", str(ROOT), str(course)], folder)
    started = time.perf_counter()
    _run([sys.executable, "-m", "venv", ".venv"], course)
    _run([python, "-m", "tools.install"], course, {"PIP_LOG": str(log)})
    setup_seconds = time.perf_counter() - started
    tour_seconds = []
    for _ in range(2):
        started = time.perf_counter()
        _run([python, "-m", "tools.tour"], course)
        tour_seconds.append(time.perf_counter() - started)
    return {
        "download_bytes": downloaded(log.read_text(encoding="utf-8")),
        "disk_bytes": _bytes(course / ".venv"),
        "setup_seconds": round(setup_seconds),
        "first_tour_seconds": round(tour_seconds[0]),
        "next_tour_seconds": round(tour_seconds[1]),
    }


def downloaded(said: str) -> int:
    """The bytes of all files that pip's log says it fetched; of those that lay on this machine already, their sizes."""
    fetched = re.findall(r"^\S+ +Downloading \S+ \(([\d.]+) (bytes|kB|MB|GB)\)$", said, re.MULTILINE)
    lay_here = re.findall(r"^\S+ +Processing (/\S+\.(?:whl|tar\.gz))", said, re.MULTILINE)
    units = {"bytes": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}
    return round(sum(float(size) * units[unit] for size, unit in fetched)) + sum(map(os.path.getsize, lay_here))


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _run(command: Sequence[str], folder: Path, settings: Mapping[str, str] | None = None) -> None:
    """Run a command with empty caches. Raises ``CalledProcessError`` where it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "HIERRAG_CACHE")}
    environment |= {"PIP_NO_CACHE_DIR": "1", "XDG_CACHE_HOME": str(folder / "cache"), **(settings or {})}
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)


def main() -> None:
    """Measure in a temporary folder and write the results file."""
    with tempfile.TemporaryDirectory() as folder:
        write("install", measure(Path(folder)), ("torch",))


if __name__ == "__main__":
    main()
