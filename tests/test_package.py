"""The package by itself: a wheel is made, installed alone, and used where the repository is not."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile

import pytest

from tools.notebooks import ROOT

pytestmark = pytest.mark.slow

USE = """
from pathlib import Path

import hierrag_lessons
from hierrag_lessons import (
    Index, ParentChildRetriever, RecursiveChunker, StructureChunker, build_hierarchy, default_embedder, read_markdown,
)
from hierrag_lessons.environment.examination import main

documents = [read_markdown(path) for path in sorted(Path("notes").glob("*.md"))]
chunkers = [StructureChunker(max_size=60), RecursiveChunker(max_size=20, overlap=0)]
index = Index.create("index", default_embedder("en"))
index.add([build_hierarchy(document, chunkers) for document in documents])
(passage,) = ParentChildRetriever(index).retrieve("When is the boiler serviced?", k=1)
print(hierrag_lessons.__file__)
print(passage.doc_id, "Every October" in passage.text)
raise SystemExit(main())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel, built from a copy that holds what a source distribution does; setuptools leaves its traces there."""
    copy = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "requirements.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "hierrag_lessons", copy / "hierrag_lessons", ignore=ignored)
    run(["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", "dist", "."], copy)
    (made,) = (copy / "dist").glob("*.whl")
    return made


def clean_environment():
    """This machine's environment without what leads Python or pip to other places."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}


def run(pip_arguments, folder, python=sys.executable):
    """Run pip without an index or a configuration file; where it fails, the test shows what it says."""
    environment = clean_environment() | {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(
        [python, "-m", "pip", *pip_arguments], cwd=folder, env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_holds_the_data_that_the_package_reads_and_nothing_of_the_repository(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "hierrag_lessons/text/vocabulary/hierrag_16k.tiktoken" in names
    assert {"hierrag_lessons/py.typed", "hierrag_lessons/__init__.pyi"} <= set(names)
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"hierrag_lessons"}
    in_repository = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "hierrag_lessons").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert in_repository <= set(names)


def test_it_works_in_a_folder_without_the_repository(wheel, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "house.md").write_text(
        "# The house\n\n## Heating\n\nThe boiler stands in the cellar. Every October a fitter looks after it.\n\n"
        "## Garden\n\nThe pear tree bears in August. Nobody may cut it.\n",
        encoding="utf-8",
    )
    (tmp_path / "notes" / "boat.md").write_text("# The boat\n\nIt is painted every third spring.\n", encoding="utf-8")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    scripts = sysconfig.get_path("scripts", "venv", {"base": str(venv)})
    python = shutil.which("python", path=scripts)
    run(["--python", python, "install", "--no-deps", wheel], tmp_path)
    # The dependencies come from where the tests run. A line in a .pth file does not activate the .pth files there, so
    # the repository itself is not among them.
    libraries = sysconfig.get_path("purelib", "venv", {"base": str(venv)})
    with open(os.path.join(libraries, "dependencies.pth"), "w", encoding="utf-8") as file:
        file.write(sysconfig.get_path("purelib") + "\n")
    (tmp_path / "use.py").write_text(USE, encoding="utf-8")
    done = subprocess.run(
        [python, "use.py"], cwd=tmp_path, env=clean_environment(), capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    where, found, *report = done.stdout.splitlines()
    assert where.startswith(str(tmp_path))
    assert found == "house True"
    assert report[-1] == "All is well."
