"""Install the course from this folder, without a network: ``python3 install.py``.

It needs Python 3.11 or newer and nothing else. The course is put into ``hierarchical-rag`` in your home folder, or into
the folder that you name.
"""

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

KIT = Path(__file__).resolve().parent
VECTORS = "embeddings.sqlite"


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


def take_vectors(python: Path, target: Path) -> bool:
    """Put the vectors where the course looks for them; False where there are some already, which stay."""
    code = "from hierrag_lessons.embedding.cache import cache_file; print(cache_file())"
    found = subprocess.run([str(python), "-c", code], cwd=target, check=True, capture_output=True, encoding="utf-8")
    cache = Path(found.stdout.strip())
    if cache.exists():
        return False
    cache.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(KIT / VECTORS, cache)
    return True


def main() -> int:
    """Install, say how to begin; 1 where something fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path.home() / "hierarchical-rag")
    target = parser.parse_args().folder.resolve()
    if sys.version_info < (3, 11):  # noqa: UP036  this file runs under whatever Python the room has
        print(f"This is Python {sys.version.split()[0]}; the course needs 3.11 or newer.", file=sys.stderr)
        return 1
    print(f"Installing into {target}. This takes a few minutes …", flush=True)
    try:
        python = install(target)
        fresh = take_vectors(python, target)
    except (FileExistsError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    if not fresh:
        print("You have vectors from the course already; they stay, and what is missing is embedded when it is needed.")
    print(f"Done. To begin:\n\n    cd {target}\n    {python.relative_to(target)} -m tools.lab\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
