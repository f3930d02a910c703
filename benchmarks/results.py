"""Results files: JSON in benchmarks/results, with what a reader needs to judge the figures."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def write(name: str, results: Mapping[str, Any], packages: tuple[str, ...] = ()) -> None:
    """Write ``benchmarks/results/<name>.json`` and print it."""
    machine = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        **{package: version(package) for package in packages},
    }
    text = json.dumps({"machine": machine, **results}, ensure_ascii=False, indent=2) + "\n"
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
    print(text)


def read(name: str) -> dict[str, Any]:
    """The results file of that name."""
    content: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return content


def best_seconds(run: Callable[[], object], repeats: int = 5) -> float:
    """The shortest of several runs: what else the machine does only ever adds time."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - started)
    return min(seconds)
