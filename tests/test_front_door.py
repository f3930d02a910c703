"""What ``from hierrag_lessons import …`` offers, what it loads, and that the lessons import from nowhere deeper."""

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import hierrag_lessons
from hierrag_lessons import _ROOMS
from tools.notebooks import ROOT

PACKAGE = ROOT / "hierrag_lessons"
LESSONS = sorted((ROOT / "notebooks" / "src").glob("*.py"))
HEAVY = {
    *("torch", "transformers", "sentence_transformers", "sklearn", "scipy", "openai", "lancedb", "matplotlib"),
    *("bs4", "selectolax", "lxml", "html5lib", "markdownify"),
}


@pytest.mark.parametrize("room", _ROOMS)
def test_the_front_door_offers_what_a_room_makes_public(room):
    offered, public = set(_ROOMS[room].split()), set(import_module(f"hierrag_lessons.{room}").__all__)
    where = f"_ROOMS[{room!r}] in hierrag_lessons/__init__.py"
    assert public - offered == set(), f"public in hierrag_lessons.{room}, but not in {where}"
    assert offered - public == set(), f"in {where}, but not public in hierrag_lessons.{room}"
    assert all(hasattr(hierrag_lessons, name) for name in _ROOMS[room].split())


def test_every_room_has_its_door():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders - {"environment"} <= set(_ROOMS)  # environment is a command: ``python -m``


def test_the_stub_names_every_room():
    rooms = sorted(_ROOMS)
    lines = [f"from hierrag_lessons import {room} as {room}" for room in rooms]
    lines += [f"from hierrag_lessons.{room} import *" for room in rooms]
    _, stub = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8").split('"""\n\n')
    assert stub.splitlines() == lines, "two lines for each room of _ROOMS, sorted"


TYPED = """
import hierrag_lessons
from hierrag_lessons import BUDGETS, Chunk, Document, RecursiveChunker, compare

chunks: list[Chunk] = RecursiveChunker(max_size=40).chunk(Document("a", "text"))
hierrag_lessons.spans.merge([])
"""
MISTYPED = {
    "from hierrag_lessons import Nonsense": 'Module "hierrag_lessons" has no attribute "Nonsense"',
    "hierrag_lessons.Nonsense": 'Module has no attribute "Nonsense"',
    "RecursiveChunker(size=40)": 'Unexpected keyword argument "size" for "RecursiveChunker"',
    "compare(7)": 'Argument 1 to "compare" has incompatible type "int"',
}


@pytest.mark.slow
def test_a_type_checker_sees_the_names_and_what_they_take(tmp_path):
    (tmp_path / "typed.py").write_text(TYPED + "".join(f"{line}\n" for line in MISTYPED), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--cache-dir", ROOT / ".mypy_cache" / "front_door", tmp_path / "typed.py"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    errors = [line for line in run.stdout.splitlines() if "typed.py:" in line]
    assert len(errors) == len(MISTYPED), run.stdout + run.stderr
    for error, (line, said) in zip(errors, MISTYPED.items(), strict=True):
        assert said in error, line


def test_no_name_is_in_two_rooms():
    names = [name for names in _ROOMS.values() for name in names.split()]
    assert len(names) == len(set(names))
    assert not set(names) & set(_ROOMS), "a name would hide the room of that name"


def test_the_names_to_start_with_are_explained():
    explained = re.findall(r"^    (?!from )(\w+) +\S", hierrag_lessons.__doc__, re.MULTILINE)
    differing = sorted({*explained} ^ {*hierrag_lessons.__all__})
    assert differing == [], "in the docstring of hierrag_lessons/__init__.py or in its __all__, not in both"
    assert len(explained) == len(hierrag_lessons.__all__)
    assert set(hierrag_lessons.__all__) <= set(dir(hierrag_lessons))


def test_a_room_is_reached_by_its_name():
    assert hierrag_lessons.spans is import_module("hierrag_lessons.spans")


@pytest.mark.parametrize("name", ["RecursiveChunkers", "utils", "_hidden"])
def test_an_unknown_name_is_named(name):
    with pytest.raises(AttributeError, match=f"'hierrag_lessons' has no attribute '{name}'"):
        getattr(hierrag_lessons, name)


# --- what is loaded --------------------------------------------------------------------------------------------------


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after some code."""
    command = [sys.executable, "-c", f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return {name.partition(".")[0] for name in json.loads(run.stdout)}


def test_nothing_is_loaded_before_it_is_asked_for():
    assert loaded_by("import hierrag_lessons") & {*HEAVY, "numpy", "tiktoken", "regex"} == set()


@pytest.mark.parametrize(
    "code",
    [
        "from hierrag_lessons import FixedSizeChunker",
        "from hierrag_lessons import TextTilingChunker, TopicChunker, read_html, load_corpus",
        "from hierrag_lessons import ExtractiveSummariser, SoftClustering",
    ],
)
def test_a_chunker_loads_no_library_that_it_does_not_use(code):
    assert loaded_by(code) & HEAVY == set()


def test_a_page_is_what_loads_the_parser(tmp_path):
    (tmp_path / "page.html").write_text("<p>words", encoding="utf-8")
    loaded = loaded_by(f"from hierrag_lessons import read_html; read_html({str(tmp_path / 'page.html')!r})")
    assert {"bs4", "markdownify", "selectolax"} <= loaded


@pytest.mark.parametrize(
    ("module", "libraries", "code"),
    [
        ("chunkers.topic.clusters", ["sklearn.cluster"], "find_clusters(np.eye(40), None, 1, 'kmeans')"),
        ("summaries.clustering", ["sklearn.mixture", "sklearn.decomposition"], "SoftClustering().cluster(np.eye(40))"),
    ],
)
def test_a_library_is_loaded_before_its_threads_are_limited(module, libraries, code):
    """A limit holds for the libraries that are loaded when it is set; sums of several threads differ in last bits."""
    watched = f"""
import sys
import numpy as np
import hierrag_lessons.{module} as module
limit = module.threadpool_limits
def limited(threads):
    assert threads == 1 and all(name in sys.modules for name in {libraries}), "loaded too late"
    print("limited", file=sys.stderr)
    return limit(threads)
module.threadpool_limits = limited
module.{code}
"""
    run = subprocess.run([sys.executable, "-c", watched], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert (run.returncode, run.stderr.splitlines()[-1]) == (0, "limited")


# --- the lessons -----------------------------------------------------------------------------------------------------


def deep_imports(code: str) -> list[str]:
    """The modules inside the package that some code imports, one for each import."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.startswith("hierrag_lessons.")]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hierrag_lessons."):
            found.append(str(node.module))
    return found


def test_deep_imports_are_found():
    code = """
import hierrag_lessons
import hierrag_lessons.spans as s
from hierrag_lessons import check
def f():
    from hierrag_lessons.store.rows import x
"""
    assert deep_imports(code) == ["hierrag_lessons.spans", "hierrag_lessons.store.rows"]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_imports_from_the_front_door_only(lesson: Path):
    assert deep_imports(lesson.read_text(encoding="utf-8")) == []
