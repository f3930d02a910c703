"""Install the course from this folder, without a network: ``python3 install.py``.

It needs nothing but Python, the one that the kit was made with or a later one of the same minor version. The course is
put into ``hierarchical-rag`` in your home folder, or into the folder that you name.
"""

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

KIT = Path(__file__).resolve().parent
MADE_WITH = "python.txt"  # the version whose wheels these are


def install(target: Path) -> Path:
    """Copy the course to ``target``, make its environment and install the wheels; return the environment's Python.

    Raises ``FileExistsError`` where the target holds something already, and ``subprocess.CalledProcessError`` where pip
    fails.
    """
    if target.exists() and any(target.iterdir()):
        raise FileExistsError(f"{target} is not empty; name another folder: python3 install.py FOLDER")
    shutil.copytree(KIT / "course", target, dirs_exist_ok=True)
    venv.create(target / ".venv", with_pip=True)
    python = target / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # Through the environment, so that it also holds where pip builds the course itself.
    offline = os.environ | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(KIT / "wheels"), "PIP_CONFIG_FILE": os.devnull}
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, "-r", "requirements.txt", "-e", "."], cwd=target, env=offline, check=True)
    (target / ".venv" / ".installed").touch()  # so that make does not install again
    return python


def unfit(version: tuple[int, ...], made: tuple[int, ...]) -> str:
    """Why a Python of this version can't use wheels that were chosen for another one; empty where it can."""
    if version[:2] == made[:2] and version[:3] >= made:
        return ""
    here, there = (".".join(map(str, numbers[:3])) for numbers in (version, made))
    return f"This is Python {here}. The kit was made with {there}; use that, or a later {made[0]}.{made[1]}."


def main() -> int:
    """Install, say how to begin; 1 where something fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path.home() / "hierarchical-rag")
    target = parser.parse_args().folder.resolve()
    made = tuple(map(int, (KIT / MADE_WITH).read_text(encoding="utf-8").split(".")))
    if reason := unfit(tuple(sys.version_info[:3]), made):
        print(reason, file=sys.stderr)
        return 1
    print(f"Installing into {target}. This takes a few minutes …", flush=True)
    try:
        python = install(target)
    except (FileExistsError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Done. To begin:\n\n    cd {target}\n    {python.relative_to(target)} -m tools.lab\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
