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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"
CONNECT_SECONDS = 10


def torch_pin() -> str:
    """The line of requirements.txt that pins PyTorch, such as ``torch==2.13.0``."""
    (pin,) = re.findall(r"^torch==\S+$", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return str(pin)


def install_cpu_torch() -> bool:
    """Install the pinned PyTorch from the index of CPU wheels where no build of it is there yet; False where it fails.

    Its dependencies come later, from the plain index.
    """
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--timeout", str(CONNECT_SECONDS), "--retries", "0", torch_pin()]
    return not subprocess.run(command, env=os.environ | {"PIP_INDEX_URL": CPU_WHEELS}, capture_output=True).returncode


def main() -> int:
    """Install PyTorch, then everything else and the package itself; pip's exit code."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    if platform.system() == "Linux":
        print("PyTorch, the CPU build …", flush=True)
        if not install_cpu_torch():
            print("PyTorch's index of CPU wheels does not answer; the plain index's build is gigabytes larger.")
    print("The packages of requirements.txt and the course itself …", flush=True)
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    return subprocess.run([*command, "-r", "requirements.txt", "-e", "."], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
