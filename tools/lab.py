"""Open JupyterLab on the learner's copy of the tour: ``python -m tools.lab [options of JupyterLab]``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jupyterlab.labapp import LabApp

from tools.notebooks import ROOT
from tools.work_folder import WorkFolder

# JupyterLab's settings as the course wants them, below whatever the learner has set: Markdown pages open as pages, and
# no box asks at the first start whether to fetch news.
_SETTINGS = Path(__file__).with_name("jupyter")
_ADDRESS = ("--ip", "--ServerApp.ip")


def arguments(options: Sequence[str], root: Path = ROOT) -> list[str]:
    """What JupyterLab is told: the whole repository in its file browser, the tour to begin with, then the options.

    Root, as in a container, is let in. Only this machine is listened to, unless the options name an address.
    """
    told = [f"--ServerApp.root_dir={root}", "--LabApp.default_url=/lab/tree/work/00_tour.ipynb"]
    told.append("--FileContentsManager.pre_save_hook=tools.lab.leave_version_out")
    if not any(option.partition("=")[0] in _ADDRESS for option in options):
        told.append("--ServerApp.ip=127.0.0.1")
    if _is_root():
        told.append("--allow-root")
    return [*told, *options]


def leave_version_out(model: dict[str, Any], **_: object) -> None:
    """Before a notebook is saved: take out the Python version that JupyterLab puts in as soon as a notebook is opened.

    So a notebook that was only opened is saved as it was.
    """
    if model["type"] == "notebook":
        model["content"].get("metadata", {}).get("language_info", {}).pop("version", None)


def run(options: Sequence[str], root: Path = ROOT) -> None:
    """Fill the work folder and run JupyterLab until it is shut down."""
    work = WorkFolder(root / "work", root / "notebooks")
    if made := work.fill():
        print(f"{len(made)} files copied to work; what you do there stays yours.")
    if new := work.outdated():
        print(f"The course has new versions of {len(new)} files in work; `make update` fetches them.")
    if _is_root():
        print("You are root, so JupyterLab is started with --allow-root. It listens on this machine only, unless you")
        print('name an address, as a container needs it: make lab LAB="--ip 0.0.0.0 --no-browser"')
    sys.stdout.flush()
    others = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join([others, str(_SETTINGS)] if others else [str(_SETTINGS)])
    LabApp.launch_instance(arguments(options, root))


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


if __name__ == "__main__":
    run(sys.argv[1:])
