"""Everything that a room without a network needs, in one folder: ``make kit``, or ``python -m tools.kit FOLDER``.

The folder holds the course as it was committed, its packages as wheels, and ``install.py``, which installs all of it on
a machine that has nothing but Python. Copy it on USB sticks. Wheels fit one system and one minor version of Python,
such as 3.11: make a kit on a machine like those in the room, one for each kind of machine.

Interrupted, it goes on where it stopped when it is run again.
"""

from __future__ import annotations

import argparse
import io
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from tools.install import CPU_WHEELS, torch_pin
from tools.kit_install import MADE_WITH
from tools.notebooks import ROOT

FOLDER = ROOT / "kit"
UNFINISHED = "unfinished.txt"  # in a folder that is not a kit yet, and that this may go on with
BUILD = ("setuptools>=77", "wheel")  # what pip builds the course itself with, see pyproject.toml


def take_course(folder: Path, root: Path = ROOT) -> None:
    """Put the files of the last commit into ``folder/course``; what is not committed stays out."""
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=root, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder / "course", filter="data")


def take_wheels(folder: Path, root: Path = ROOT) -> None:
    """Put every package that the course needs into ``folder/wheels``, for this system and this Python.

    Raises ``subprocess.CalledProcessError`` where pip fails; it has said why.
    """
    wheels = folder / "wheels"
    for wheel in wheels.glob("*.whl"):
        if not zipfile.is_zipfile(wheel):  # an interruption left a part of it, and pip would take it for whole
            wheel.unlink()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--wheel-dir", str(wheels)]
    if platform.system() == "Linux":  # the CPU build where its index answers, as tools.install does
        environment = os.environ | {"PIP_INDEX_URL": CPU_WHEELS}
        subprocess.run([*pip, "--no-deps", "--retries", "0", torch_pin()], env=environment, capture_output=True)
    own = os.environ | {"PIP_FIND_LINKS": str(wheels)}  # so that the build that was just taken is the one
    subprocess.run([*pip, "-r", "requirements.txt", *BUILD], cwd=root, env=own, check=True)


def take_installer(folder: Path) -> None:
    """Put ``install.py`` beside the rest, the version of Python that it needs, and a page that says what to do."""
    shutil.copyfile(Path(__file__).with_name("kit_install.py"), folder / "install.py")
    made, minor = (".".join(map(str, sys.version_info[:places])) for places in (3, 2))
    (folder / MADE_WITH).write_text(made, encoding="utf-8")
    lines = [
        "Hierarchical RAG, for a room without a network.",
        "",
        f"For {platform.system()} {platform.machine()} and Python {made} or a later {minor}.",
        "",
        "1. Copy this folder to the machine.",
        "2. In it, run: python3 install.py      (on Windows: py install.py)",
        "3. It ends with the line that opens the course.",
    ]
    (folder / "README.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def size(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def make(folder: Path) -> None:
    """Make the kit in an empty or new folder, or go on with one that was begun.

    Raises ``FileExistsError`` where the folder holds anything else.
    """
    begun = folder / UNFINISHED
    if folder.exists() and any(folder.iterdir()) and not begun.exists():
        raise FileExistsError(f"{folder} is not empty; name another folder, or delete this one")
    folder.mkdir(parents=True, exist_ok=True)
    begun.write_text("This kit is not finished. The command that began it goes on when it is run again.\n", "utf-8")
    shutil.rmtree(folder / "course", ignore_errors=True)  # half of it, or of another commit
    print("The course as it was last committed …", flush=True)
    take_course(folder)
    print("The packages, hundreds of megabytes …", flush=True)
    take_wheels(folder)
    take_installer(folder)
    begun.unlink()
    for part in sorted(folder.iterdir()):
        print(f"  {part.name}: {(size(part) if part.is_dir() else part.stat().st_size) / 1e6:,.1f} MB")
    print(f"Done: {size(folder) / 1e6:,.0f} MB in {folder}. Read README.txt in it.")


def main() -> int:
    """Make a kit; 1 where that fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="a new folder; kit where none is given")
    folder = parser.parse_args().folder
    try:
        make(folder)
    except (FileExistsError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. Run it again to go on.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
