"""Install the course into the Python that runs this: ``python -m tools.install``.

On Linux the plain package index has PyTorch's CUDA build, which the course works with and does not use. There PyTorch's
own index of CPU wheels is asked first, once and briefly; where it does not answer, the plain index has to do.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

from hierrag_lessons.environment.machine import unfit_python, unfit_system

ROOT = Path(__file__).resolve().parent.parent
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"
CONNECT_SECONDS = 10

_FETCHING = re.compile(r"^ *(?:Downloading|Using cached) (\S+?)-\d\S* \((.+)\)")
_INSTALLING = re.compile(r"^Installing collected packages: (.+)")


def torch_pin() -> str:
    """The line of requirements.txt that pins PyTorch, such as ``torch==2.13.0``."""
    (pin,) = re.findall(r"^torch==\S+$", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return str(pin)


def install_cpu_torch() -> bool:
    """Install the pinned PyTorch from the index of CPU wheels where no build of it is there yet; False where it fails.

    Its dependencies come later, from the plain index.
    """
    options = ["--no-deps", "--timeout", str(CONNECT_SECONDS), "--retries", "0", torch_pin()]
    return pip_install(options, os.environ | {"PIP_INDEX_URL": CPU_WHEELS}, errors=subprocess.DEVNULL) == 0


def pip_install(options: list[str], environment: Mapping[str, str], errors: int | None = None) -> int:
    """Run ``pip install`` and show how far it is in place of its log; its exit code. Errors and warnings stay."""
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *options]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8", errors="replace"
    ) as pip:
        tell(pip.stdout or (), sys.stdout)
    return pip.returncode


def tell(log: Iterable[str], screen: TextIO) -> None:
    """Say what pip fetches, in a line that is drawn over where that is possible, and that it installs."""
    drawn = fetched = 0
    for line in log:
        if match := _FETCHING.match(line):
            fetched += 1
            text = f"  fetched {fetched}, now {match[1]} ({match[2]})"
        elif match := _INSTALLING.match(line):
            text = f"  unpacking {match[1].count(',') + 1} packages, which takes longest"
        else:
            continue
        if screen.isatty():
            print("\r" + text.ljust(drawn), end="", file=screen, flush=True)
            drawn = len(text)
        elif match.re is _INSTALLING:
            print(text, file=screen, flush=True)
    if drawn:
        print("\r" + " " * drawn, end="\r", file=screen, flush=True)


def main() -> int:
    """Install PyTorch, then everything else and the package itself; pip's exit code, or 1 where nothing can fit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether this machine and this Python fit")
    only_check = parser.parse_args().check
    if problem := unfit_python() or unfit_system():
        print(f"{problem[0].upper()}{problem[1:]}.", file=sys.stderr)
        return 1
    if only_check:
        return 0
    try:
        if platform.system() == "Linux":
            print("PyTorch, the CPU build …", flush=True)
            if not install_cpu_torch():
                print("PyTorch's index of CPU wheels does not answer; the plain index's build is gigabytes larger.")
        print("The packages of requirements.txt and the course itself …", flush=True)
        return pip_install(["-r", "requirements.txt", "-e", "."], os.environ)
    except KeyboardInterrupt:
        print("\nInterrupted. Run it again to go on: what is fetched is kept.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
