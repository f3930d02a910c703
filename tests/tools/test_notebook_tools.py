"""The builder and the verifier, on a small lesson of their own."""

import base64
import copy
import io
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib
from functools import partial
from pathlib import Path

import nbformat
import pytest

from hierrag_lessons import exercises
from hierrag_lessons.reading import python_reference_checksum
from tests.example_exercise import EXAMPLE
from tools import build_notebooks, offline, tour, verify_notebooks
from tools.build_notebooks import build
from tools.execution import execute, without_text
from tools.notebooks import ROOT, Edition, Lesson, NotebookError, code_cells, dumps, editions, lessons
from tools.structure import problems
from tools.verify_notebooks import compare_outputs, same_text, stale_cells, verify

SOURCE = '''\
# %% [markdown]
# # 98 · An example
#
# [Lesson 99](99_next.ipynb#The-end), [the data](../data/README.md), [below](#Exercise) and ![a tree](images/tree.svg).

# %%
import os
import sys
import time
from pathlib import Path

from IPython.display import HTML, display

from hierrag_lessons import drawing
from hierrag_lessons.spans import Span

value = float(Path("value.txt").read_text(encoding="utf-8"))
print(f"value {value:.6f}, keys {' '.join(name for name in os.environ if 'OPENAI' in name or 'HIERRAG' in name)}")

# %%
with drawing(2.0) as (figure, [axes]):
    axes.bar([1, 2, 3], [5, 8, 3])
    figure.alt = 'Three bars: "5", 8 and 3 characters, 中文.'
figure

# %% tags=["volatile"]
time.time()

# %% tags=["raises-exception"]
Span(1, 2) / 0

# %%
display(HTML(f"<b>{value}</b>"))
"offline" in globals(), "install" in globals()

# %% [markdown]
# ## Exercise

# %% tags=["exercise"]
from example_exercise import check

from hierrag_lessons import Span


def merge_spans(spans: list[Span]) -> list[Span]:
    """Join spans that overlap or touch; sorted by start."""
    return ...


check("98.1", merge_spans)

# %% tags=["solution"]
from example_exercise import check

from hierrag_lessons import Span

# solution: 98.1


check("98.1", merge_spans)

# %% [markdown] tags=["solution"]
# Sorting comes first.
'''

PLAIN = "# %% [markdown]\n# # 97 · Plain\n\n# %%\nprint(6 * 7)\n"


def write_lesson(folder: Path, source: str, name: str = "98_example") -> Lesson:
    (folder / "src").mkdir(parents=True, exist_ok=True)
    path = folder / "src" / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    for place in (folder, folder / "solutions"):
        place.mkdir(exist_ok=True)
        (place / "value.txt").write_text("0.123456", encoding="utf-8")
        shutil.copy(ROOT / "tests" / "example_exercise.py", place)
    return Lesson(path)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(exercises, "find", lambda exercise_id: EXAMPLE if exercise_id == EXAMPLE.id else None)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the example lesson and its two notebooks, as the builder writes them."""
    folder = tmp_path_factory.mktemp("course") / "notebooks"
    lesson = write_lesson(folder, SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exercises, "find", lambda exercise_id: EXAMPLE)
        patch.setenv("OPENAI_API_KEY", "secret")
        patch.setenv("HIERRAG_ENCODING", "cl100k_base")
        patch.delenv("HIERRAG_CACHE", raising=False)
        for edition in lesson.editions():
            build(edition)
    return folder


@pytest.fixture
def course(built, tmp_path):
    """A copy of it that a test may spoil."""
    return Lesson(shutil.copytree(built, tmp_path / "notebooks") / "src" / "98_example.py")


def load(edition: Edition) -> nbformat.NotebookNode:
    return nbformat.read(edition.path, as_version=4)


def printed(notebook, number: int) -> str:
    """The first output of the cell with this number, counted from 1 as in reports."""
    (output, *_) = notebook.cells[number - 1].outputs
    return output.text if output.output_type == "stream" else output.data["text/plain"]


# --- what is built ---------------------------------------------------------------------------------------------------


def test_the_lesson_has_the_stub_and_the_solution_notebook_the_official_code(built):
    lesson, solved = (load(edition) for edition in Lesson(built / "src" / "98_example.py").editions())
    assert "return ..." in lesson.cells[-1].source
    assert printed(lesson, 8).startswith("Not attempted yet · 98.1 Merge spans")
    assert "merged[-1] = Span(" in solved.cells[-2].source
    assert solved.cells[-2].source.endswith('\n\n\ncheck("98.1", merge_spans)')
    assert printed(solved, 8).startswith("Correct · 98.1 Merge spans")
    assert solved.cells[-1].source == "Sorting comes first."
    assert len(lesson.cells) == len(solved.cells) - 1
    assert [cell.source for cell in lesson.cells[1:7]] == [cell.source for cell in solved.cells[1:7]]


def test_links_are_true_in_both_folders(built):
    lesson, solved = (load(edition).cells[0].source for edition in Lesson(built / "src" / "98_example.py").editions())
    for kept in ("](99_next.ipynb#The-end)", "](#Exercise)"):
        assert kept in lesson
        assert kept in solved
    assert "](../data/README.md)" in lesson
    assert "](../../data/README.md)" in solved
    assert "](../images/tree.svg)" in solved


def test_it_ran_offline_without_keys_and_without_names_of_ours(built):
    notebook = load(Edition(Lesson(built / "src" / "98_example.py"), solved=False))
    assert printed(notebook, 2) == "value 0.123456, keys HIERRAG_PROGRESS\n"
    assert notebook.cells[5].outputs[1].data["text/plain"] == "(False, False)"
    assert notebook.cells[4].outputs[0].traceback == ["TypeError: unsupported operand type(s) for /: 'Span' and 'int'"]
    assert [cell.execution_count for cell in code_cells(notebook)] == list(range(1, 7))
    assert notebook.cells[2].metadata.mystnb.image.alt == 'Three bars: "5", 8 and 3 characters, 中文.'


def test_a_second_build_changes_no_byte_but_the_volatile_ones(course):
    for edition in course.editions():
        first = edition.path.read_text(encoding="utf-8")
        build(edition)
        second = edition.path.read_text(encoding="utf-8")
        assert second.endswith("}\n")
        changed = [(a, b) for a, b in zip(first.splitlines(), second.splitlines(), strict=True) if a != b]
        assert all(re.fullmatch(r'\s*"\d+\.\d+"', line) for pair in changed for line in pair)
        assert len(changed) == 1


def test_cell_ids_depend_on_nothing_but_the_cells_text(tmp_path):
    lesson = write_lesson(tmp_path, PLAIN + "\n# %%\nprint(6 * 7)\n", "97_plain")
    ids = [cell.id for cell in lesson.cells()]
    assert len(set(ids)) == 3
    assert ids[2] == f"{ids[1]}-2"
    later = write_lesson(tmp_path, "# %%\n1\n\n" + PLAIN, "97_plain")
    assert [cell.id for cell in later.cells()][1:] == ids[:2]


@pytest.mark.parametrize(
    ("tags", "folded"),
    [
        ('"hide-input"', {"source_hidden": True}),
        ('"volatile", "hide-input"', {"source_hidden": True}),
        ('"hide-output"', {"outputs_hidden": True}),
        ('"hide-cell"', {"outputs_hidden": True, "source_hidden": True}),
        ('"volatile"', None),
    ],
)
def test_what_a_site_folds_jupyterlab_folds_too(tmp_path, tags, folded):
    source = PLAIN.replace("# %%\n", f"# %% tags=[{tags}]\n")
    (edition,) = write_lesson(tmp_path, source, "97_plain").editions()
    notebook = edition.notebook()
    assert notebook.cells[1].metadata.get("jupyter") == folded
    committed = copy.deepcopy(notebook)
    committed.cells[1].metadata.pop("jupyter", None)
    assert bool(stale_cells(committed, notebook)) is (folded is not None)


def test_a_lesson_without_exercises_has_no_solution_notebook(tmp_path):
    (edition,) = write_lesson(tmp_path, PLAIN, "97_plain").editions()
    assert edition.path == tmp_path / "97_plain.ipynb"


def test_png_files_lose_their_text():
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    plain = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"\0" * 13) + chunk(b"IDAT", b"xy") + chunk(b"IEND", b"")
    marked = plain[:33] + chunk(b"tEXt", b"Software\0Matplotlib") + chunk(b"tIME", b"1234567") + plain[33:]
    assert without_text(marked) == plain == without_text(plain)


def test_figures_name_no_software(built):
    output, _ = load(Edition(Lesson(built / "src" / "98_example.py"), solved=False)).cells[2].outputs
    png = base64.b64decode(output.data["image/png"])
    assert png.startswith(b"\x89PNG")
    assert b"Software" not in png


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("# solution: 98.1\n", "", "needs one line `# solution: 98.1`"),
        ("# solution: 98.1", "# solution: 98.2", "needs one line `# solution: 98.1`"),
        ('# %% tags=["solution"]', "# %%", "do not pair"),
        ('# solution: 98.1\n\n\ncheck("98.1"', '# solution: 98.1\n\n\ncheck("98.2"', "do not pair"),
        ('\n\n\ncheck("98.1", merge_spans)\n\n# %% tags=["solution"]', '\n\n# %% tags=["solution"]', "0 times"),
        ("98.1", "98.7", "has no exercise 98.7"),
        ('tags=["volatile"]', 'tags=["voletile"]', "voletile"),
        ('tags=["volatile"]', "volatile=true", "cell 4: volatile"),
        ("    return ...", "    return return", "invalid syntax in 'return return'"),
    ],
)
def test_a_source_with_a_mistake_is_refused_with_what_to_do(tmp_path, before, after, said):
    assert before in SOURCE
    lesson = write_lesson(tmp_path, SOURCE.replace(before, after))
    with pytest.raises(NotebookError, match=re.escape(said)) as caught:
        [edition.notebook() for edition in lesson.editions()]
    assert "98_example.py" in str(caught.value)


def test_numbers_name_lessons(tmp_path):
    write_lesson(tmp_path, PLAIN, "97_plain")
    write_lesson(tmp_path, PLAIN, "03_other")
    assert [lesson.number for lesson in lessons(folder=tmp_path)] == ["03", "97"]
    assert [lesson.number for lesson in lessons("97", folder=tmp_path)] == ["97"]
    with pytest.raises(NotebookError, match=r"no lesson 04; there are 03, 97"):
        lessons("04", folder=tmp_path)
    write_lesson(tmp_path, PLAIN, "03_twin")
    with pytest.raises(NotebookError, match="share the number 03"):
        lessons(folder=tmp_path)


def test_an_appendix_is_a_notebook_and_no_lesson(tmp_path):
    write_lesson(tmp_path, PLAIN, "97_plain")
    (tmp_path / "src" / "appendix").mkdir()
    write_lesson(tmp_path, PLAIN, "appendix/A1_more")
    assert [lesson.number for lesson in lessons(folder=tmp_path)] == ["97"]
    assert [str(edition) for edition in editions(folder=tmp_path)] == ["97_plain.ipynb", "appendix/A1_more.ipynb"]
    (edition,) = editions("A1", folder=tmp_path)
    assert edition.path == tmp_path / "appendix" / "A1_more.ipynb"
    assert edition.notebook().cells
    with pytest.raises(NotebookError, match="no lesson A2; there are 97, A1"):
        editions("A2", folder=tmp_path)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("1 / 0", "cell 2 raised ZeroDivisionError: division by zero"),
        ("import sys\nprint('careful', file=sys.stderr)", "cell 2: it writes to stderr, as warnings do: 'careful'"),
        ("import warnings\nwarnings.warn('old', DeprecationWarning)", "DeprecationWarning: old"),
        ("from pathlib import Path\nPath.cwd()", "is a path of one machine"),
        ("import os\nos._exit(1)", "cell 2: "),
        ("import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=5)", "it asked for 192.0.2.1"),
    ],
)
def test_a_notebook_that_is_not_as_it_must_be_is_not_written(tmp_path, cell, said):
    (edition,) = write_lesson(tmp_path, f"{PLAIN.partition('# %%' + chr(10))[0]}# %%\n{cell}\n", "97_plain").editions()
    with pytest.raises(NotebookError) as caught:
        build(edition)
    assert said in str(caught.value)
    assert str(caught.value).startswith("97_plain.ipynb was not written")
    assert not edition.path.exists()


@pytest.mark.parametrize("cells", [["while True: pass"], ["import time; time.sleep(0.9)"] * 4])
def test_a_notebook_has_only_so_much_time(tmp_path, monkeypatch, cells):
    monkeypatch.setattr("tools.execution.TIMEOUT", 2)
    (edition,) = write_lesson(
        tmp_path, "\n\n".join([PLAIN, *(f"# %%\n{cell}" for cell in cells)]), "97_plain"
    ).editions()
    with pytest.raises(NotebookError, match=r"2 seconds"):
        execute(edition.notebook(), tmp_path)


def test_structure_of_a_good_notebook(built):
    for edition in Lesson(built / "src" / "98_example.py").editions():
        assert problems(load(edition)) == []


def set_alt(notebook, text):
    notebook.cells[2].outputs[0].metadata["image/png"]["alt"] = text


def set_site_alt(notebook, text):
    notebook.cells[2].metadata.mystnb.image.alt = text


def second_figure(notebook):
    notebook.cells[2].outputs.append(copy.deepcopy(notebook.cells[2].outputs[0]))


def set_source(number, text):
    return lambda notebook: notebook.cells[number - 1].update(source=text)


def set_text(number, text):
    return lambda notebook: notebook.cells[number - 1].outputs[0].update(text=text)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda notebook: set_alt(notebook, " "), "cell 3: a figure without alt text"),
        (lambda notebook: notebook.cells[2].outputs[0].metadata.clear(), "cell 3: a figure without alt text"),
        (lambda notebook: notebook.cells[2].outputs.pop(), "cell 3: a figure without its words below"),
        (lambda notebook: notebook.cells[2].metadata.pop("mystnb"), "cell 3: the alt text in its metadata"),
        (lambda notebook: set_site_alt(notebook, "Other."), "cell 3: the alt text in its metadata"),
        (lambda notebook: notebook.cells[2].outputs.clear(), "cell 3: the alt text in its metadata"),
        (second_figure, "cell 3: 2 figures in one cell"),
        (lambda notebook: notebook.cells[4].outputs.clear(), "cell 5: tagged raises-exception"),
        (lambda notebook: notebook.cells[7].outputs.clear(), "cell 8: the stub must end in check"),
        (lambda notebook: notebook.cells[2].update(execution_count=7), "the execution counts are [1, 7, 3"),
        (lambda notebook: notebook.cells[2].update(execution_count=None), "the execution counts are [1, None, 3"),
        (set_source(1, "No title"), "level 2 follows one of level 0"),
        (set_source(7, "# Another title"), "cell 7: only the first line"),
        (set_source(7, "### Deep"), "cell 7: a heading of level 3 follows one of level 1"),
        (set_source(7, "![](a.png)"), "cell 7: a picture without alt text"),
        (set_source(7, "<img src='a.png'>"), "cell 7: \"<img src='a.png'>\" has no alt text"),
        (set_source(7, "<svg width='1'></svg>"), "has neither aria-label nor <title>"),
        (set_text(2, f"read {ROOT}/data/x.md"), "cell 2: "),
        (set_text(2, "in /" + "home/maria/notes"), "home/maria/notes' is a path of one machine"),
        (set_text(2, r"in C:\Users\Maria"), "is a path of one machine"),
        (set_text(2, "<Thing at 0x7f12a4>"), "'at 0x7f12a4>' is an address"),
    ],
)
def test_structure_finds(built, spoil, said):
    notebook = load(Edition(Lesson(built / "src" / "98_example.py"), solved=False))
    spoil(notebook)
    found = problems(notebook)
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize(
    "source",
    [
        "## Code\n\n```python\n# no title\n#### no heading\n![](a.png)\n```",
        '<svg aria-label="a tree"></svg> <svg><title>a tree</title></svg> <svg aria-hidden="true"></svg>',
        "<img alt='a tree' src='a.png'> and https://example.com/home/page and ~/notes and data/home/x",
    ],
)
def test_structure_is_content_with(built, source):
    notebook = load(Edition(Lesson(built / "src" / "98_example.py"), solved=False))
    notebook.cells[6].source = source
    assert problems(notebook) == []


# --- what the verifier compares --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("recall 0.912300", "recall 0.912301"),
        ("0.0000001", "0.0000002"),
        ("-0.000", "0.000"),
        ("1.0e-03 x", "0.0010 x"),
        ("[0.5, -0.25]", "[0.50001, -0.250001]"),
        ("12,345.678 tokens", "12,345.679 tokens"),
        ("字0.5字", "字0.500001字"),
        ("", ""),
    ],
)
def test_decimals_may_differ_a_little(a, b):
    assert same_text(a, b)
    assert same_text(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("recall 0.9123", "recall 0.9125"),
        ("460000", "460001"),
        ("-0.5", "0.5"),
        ("0.5 a", "0.5 b"),
        ("0.5 0.5", "0.5"),
        ("3.11.7", "3.11.8"),
        ("v2.00001", "v2.00002"),
        ("1e3", "1e4"),
        ("12,345", "12,346"),
        ("7", "seven"),
        ("nan", "0.5"),
        ("a  0.5", "a 0.5"),
    ],
)
def test_everything_else_must_be_equal(a, b):
    assert not same_text(a, b)
    assert not same_text(b, a)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (set_text(2, "value 0.123456, keys HIERRAG_PROGRESS\n"), None),
        (set_text(2, "value 0.123460, keys HIERRAG_PROGRESS\n"), None),
        (
            set_text(2, "value 0.123556, keys HIERRAG_PROGRESS\n"),
            "cell 2: stdout differs\n    committed: 'value 0.123556, keys HIERRAG_PROGRESS'",
        ),
        (set_text(2, "value 0.123456, keys HIERRAG_PROGRESS\nmore\n"), "now:       (no such line)"),
        (lambda notebook: notebook.cells[1].outputs.clear(), "cell 2: other outputs\n    committed: nothing"),
        (lambda notebook: notebook.cells[3].outputs[0].data.update({"text/plain": "12.5"}), None),
        (lambda notebook: notebook.cells[2].outputs[0].data.update({"image/png": "AAAA"}), None),
        (lambda notebook: notebook.cells[2].outputs[0].data.pop("image/png"), "cell 3: other outputs"),
        (lambda notebook: set_alt(notebook, "Other."), "cell 3: image/png differs\n    committed: 'Other.'"),
        (lambda notebook: notebook.cells[4].outputs[0].update(evalue="else"), "cell 5: error differs"),
        (
            lambda notebook: notebook.cells[5].outputs[0].data.update({"text/html": "<b>0.2</b>"}),
            "cell 6: text/html differs\n    committed: '<b>0.2</b>'\n    now:       '<b>0.123456</b>'",
        ),
        (lambda notebook: notebook.cells[5].outputs[0].data.update({"text/html": "<b>0.1234561</b>"}), None),
    ],
)
def test_compare_outputs(built, spoil, said):
    committed, fresh = (load(Edition(Lesson(built / "src" / "98_example.py"), solved=False)) for _ in range(2))
    spoil(committed)
    found = compare_outputs(committed, fresh)
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda notebook: None, None),
        (set_source(2, "1"), "cell 2: its source is not the source's"),
        (lambda notebook: notebook.cells[3].metadata.tags.clear(), "cell 4: its metadata"),
        (lambda notebook: set_site_alt(notebook, "Other."), None),  # problems() compares it with the figure's
        (lambda notebook: notebook.cells[3].update(id="abc"), "cell 4: its id"),
        (lambda notebook: notebook.cells.pop(), "the notebook has 7 cells, its source makes 8"),
    ],
)
def test_stale_cells(built, spoil, said):
    edition = Edition(Lesson(built / "src" / "98_example.py"), solved=False)
    notebook = load(edition)
    spoil(notebook)
    found = stale_cells(notebook, edition.notebook())
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_the_verifier_passes_what_the_builder_wrote(course):
    for edition in course.editions():
        report = verify(edition)
        assert report.problems == ()
        assert str(report).startswith(f"{edition}: ok")


def test_the_verifier_catches_a_stale_notebook(course):
    course.source.write_text(SOURCE.replace("{value:.6f}", "{value:.5f}"), encoding="utf-8")
    report = str(verify(course.editions()[0]))
    assert report.startswith("98_example.ipynb: FAILED")
    assert "cell 2: its source is not the source's" in report
    assert "python -m tools.build_notebooks 98" in report
    assert "make notebooks" in report


def test_the_verifier_catches_a_number_that_is_no_longer_true(course):
    edition = course.editions()[0]
    (edition.path.parent / "value.txt").write_text("0.2", encoding="utf-8")
    report = str(verify(edition))
    assert (
        "cell 2: stdout differs\n    committed: 'value 0.123456, keys HIERRAG_PROGRESS'\n    now:       'value 0.200000"
        in report
    )
    assert "cell 6: text/html differs" in report


def test_of_a_solution_only_the_exercises_are_executed_and_the_rest_is_compared_with_the_lesson(course):
    lesson, solution = course.editions()
    (solution.path.parent / "value.txt").write_text("none", encoding="utf-8")
    assert verify(solution).problems == ()

    changed = load(solution)
    changed.cells[1].outputs[0]["text"] = "value 0.2, keys HIERRAG_PROGRESS\n"
    solution.path.write_text(dumps(changed), encoding="utf-8")
    assert "cell 2: stdout differs\n    committed: 'value 0.2, keys HIERRAG_PROGRESS'" in str(verify(solution))

    changed = load(solution)
    changed.cells[1].outputs[0]["text"] = "value 0.123456, keys HIERRAG_PROGRESS\n"
    reply = next(cell for cell in changed.cells if "solution" in cell.metadata.get("tags", []))
    reply.outputs[0].data["text/plain"] += "!"
    solution.path.write_text(dumps(changed), encoding="utf-8")
    assert [found[:22] for found in verify(solution).problems] == ["cell 8: text/plain dif"]

    lesson.path.unlink()
    assert "98_example.ipynb is missing" in str(verify(solution))


def test_the_verifier_catches_a_notebook_that_no_longer_runs(course):
    edition = course.editions()[0]
    (edition.path.parent / "value.txt").write_text("none", encoding="utf-8")
    assert "cell 2 raised ValueError: could not convert string to float: 'none'" in str(verify(edition))


def test_the_verifier_catches_a_missing_notebook_and_one_saved_by_hand(course):
    edition = course.editions()[0]
    notebook = load(edition)
    notebook.cells[2].outputs[0].metadata["needs_background"] = "light"
    edition.path.write_text(dumps(notebook).replace("\n ", "\n  "), encoding="utf-8")
    assert "not as the builder writes it" in str(verify(edition))
    edition.path.unlink()
    assert "the notebook is missing" in str(verify(edition))


def test_lessons_on_the_python_reference_are_only_compared_under_the_same_reference(tmp_path):
    quiet = "import warnings\nwarnings.simplefilter('ignore')\n"  # another edition is warned of
    reading = "from hierrag_lessons.reading import read_python_reference\nlen(read_python_reference())\n"
    source = f"{PLAIN}\n# %%\n{quiet}{reading}"
    (edition,) = write_lesson(tmp_path, source, "97_plain").editions()
    build(edition)
    notebook = load(edition)
    assert notebook.metadata.hierrag.python_reference == python_reference_checksum()
    notebook.cells[2].outputs[0].data["text/plain"] = "7"
    edition.path.write_text(dumps(notebook), encoding="utf-8")
    assert "committed: '7'" in str(verify(edition))
    notebook.metadata.hierrag.python_reference = "0" * 64
    edition.path.write_text(dumps(notebook), encoding="utf-8")
    report = verify(edition)
    assert report.problems == ()
    assert "not compared" in str(report)
    del notebook.metadata["hierrag"]
    edition.path.write_text(dumps(notebook), encoding="utf-8")
    assert "reads the Python reference" in str(verify(edition))


# --- the commands ----------------------------------------------------------------------------------------------------


def run_main(module, monkeypatch, folder, *arguments) -> int:
    monkeypatch.setattr(sys, "argv", ["command", *arguments])
    chosen_by = lessons if module is tour else editions
    monkeypatch.setattr(module, chosen_by.__name__, partial(chosen_by, folder=folder))
    return module.main()


@pytest.mark.slow
def test_build_and_verify_from_the_command_line(tmp_path, monkeypatch, capsys):
    write_lesson(tmp_path, PLAIN, "97_plain")
    write_lesson(tmp_path, PLAIN.replace("6 * 7", "6 / 0"), "96_broken")
    assert run_main(build_notebooks, monkeypatch, tmp_path) == 1
    output = capsys.readouterr()
    assert "96_broken.ipynb was not written: cell 2 raised ZeroDivisionError" in output.err
    assert re.fullmatch(r"Executing 2 notebooks, 2 at a time …\n97_plain\.ipynb: 2 cells in \d+ s\n", output.out)
    assert run_main(verify_notebooks, monkeypatch, tmp_path) == 1
    output = capsys.readouterr()
    assert "96_broken.ipynb: FAILED\n  the notebook is missing" in output.out
    assert "97_plain.ipynb: ok" in output.out
    assert "1 of 2 notebooks" in output.out
    for module in (build_notebooks, verify_notebooks):
        assert run_main(module, monkeypatch, tmp_path, "05") == 1
        assert "no lesson 05" in capsys.readouterr().err


def test_the_tour_prints_its_scoreboard(tmp_path, monkeypatch, capsys):
    source = PLAIN + '\n# %% tags=["scoreboard"]\nprint("method  recall")\n"flat    0.50"\n'
    write_lesson(tmp_path, source, "00_tour")
    assert run_main(tour, monkeypatch, tmp_path) == 0
    output = capsys.readouterr().out
    assert output.startswith("method  recall\n\n'flat    0.50'\n\nThe tour took ")
    assert "42" not in output
    write_lesson(tmp_path, PLAIN.replace("6 * 7", "6 / 0"), "00_tour")
    assert run_main(tour, monkeypatch, tmp_path) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err


LONG = """\
# %% [markdown]
# # 00 · The tour
#
# ## Embedding

# %%
from hierrag_lessons import long_work

long_work.DELAY = long_work._REDRAW = 0.0
for number in long_work.with_progress(range(3), "embedding 9 texts"):
    print("number", number)

# %%
print("the same part")

# %% [markdown]
# ## Asking

# %% tags=["scoreboard"]
for number in long_work.with_progress(range(3), "asking"):
    pass
print("recall 0.5")
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_tour_says_which_part_begins_and_in_a_terminal_how_far_it_is(tmp_path, monkeypatch, capsys):
    """Minutes go by at the first run, and a terminal that says nothing looks as if it hung."""
    (edition,) = write_lesson(tmp_path, LONG, "00_tour").editions()
    monkeypatch.setenv("TQDM_DISABLE", "")
    assert run_main(tour, monkeypatch, tmp_path) == 0
    output = capsys.readouterr()
    first, *parts = output.err.splitlines()
    assert first == "The tour. What it embeds is kept, so that later runs are quicker."
    assert parts == ["1 of 2  Embedding", "2 of 2  Asking"]
    assert output.out.startswith("recall 0.5\n\nThe tour took ")
    notebook, screen = edition.notebook(), Terminal()
    execute(notebook, tmp_path, tour.Screen(notebook, screen))
    drawn = screen.getvalue()
    assert re.search(r"embedding 9 texts:  33%\|.*\| 1/3 \[\d\d:\d\d<\d\d:\d\d\]", drawn)
    assert drawn.split("\r")[-1] == ""
    assert drawn.count("1 of 2  Embedding") == drawn.count("2 of 2  Asking") == 1
    assert [printed(notebook, number) for number in (2, 3, 5)] == [
        "number 0\nnumber 1\nnumber 2\n",
        "the same part\n",
        "recall 0.5\n",
    ]


def test_a_notebook_finds_the_vectors_where_they_are_kept(tmp_path, monkeypatch):
    code = "from hierrag_lessons.embedding.cache import cache_file\nprint(cache_file().parent.as_posix())"
    (edition,) = write_lesson(tmp_path, PLAIN.replace("print(6 * 7)", code), "97_plain").editions()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HIERRAG_CACHE", "vectors")
    notebook = execute(edition.notebook(), tmp_path / "solutions").notebook
    assert printed(notebook, 2) == f"{(tmp_path / 'vectors').as_posix()}\n"


EMBEDDING = """
import time
from hierrag_lessons import CachedEmbedder, CharNgramEmbedder

class Slow(CharNgramEmbedder):
    def encode(self, texts):
        if "text 64" in texts:
            time.sleep(600)
        return super().encode(texts)

CachedEmbedder(Slow(16), "FOLDER/vectors.sqlite").encode([f"text {n}" for n in range(150)])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("import time\ntime.sleep(600)", "Interrupted. What is embedded is kept; run it again to go on."),
        (EMBEDDING, "Interrupted: 64 of 150 texts are embedded and kept; run this again to go on."),
    ],
)
def test_a_tour_that_is_interrupted_says_so_without_a_traceback(tmp_path, cell, said):
    marker = tmp_path / "begun"
    cell = cell.replace("FOLDER", tmp_path.as_posix()).replace("time.sleep", f"open({str(marker)!r}, 'w'); time.sleep")
    write_lesson(tmp_path, PLAIN.replace("print(6 * 7)", cell), "00_tour")
    start = (
        "import functools, pathlib, sys; from tools import tour; "
        f"tour.lessons = functools.partial(tour.lessons, folder=pathlib.Path({str(tmp_path)!r})); sys.exit(tour.main())"
    )
    command = [sys.executable, "-c", start]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as run:
        assert run.stderr.readline().startswith("The tour.")
        assert run.stderr.readline() == "1 of 1  Plain\n"
        while not marker.exists() and run.poll() is None:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        output, errors = run.communicate(timeout=300)
    assert (run.returncode, output) == (130, ""), errors
    assert errors.strip() == said


@pytest.mark.parametrize("module", ["build_notebooks", "verify_notebooks"])
def test_the_commands_explain_themselves(module):
    command = [sys.executable, "-m", f"tools.{module}", "--help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    assert "NN" in shown


# --- offline ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("socket.connect", (None, ("127.0.0.1", 80))),
        ("socket.connect", (None, ("::1", 80, 0, 0))),
        ("socket.connect", (None, "/run/socket")),
        ("socket.sendto", (None, ("127.0.0.5", 53))),
        ("socket.getaddrinfo", ("localhost", 80, 0, 0, 0)),
        ("socket.getaddrinfo", (None, 80, 0, 0, 0)),
        ("socket.getaddrinfo", (b"127.0.0.1", 80, 0, 0, 0)),
        ("socket.bind", (None, ("0.0.0.0", 0))),
    ],
)
def test_this_machine_may_talk_to_itself(event, arguments):
    offline.refuse(event, arguments)


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("socket.connect", (None, ("93.184.215.14", 443))),
        ("socket.connect", (None, ("10.0.0.1", 443))),
        ("socket.connect", (None, ("2001:db8::1", 443, 0, 0))),
        ("socket.connect", (None, ("fe80::1%eth0", 443, 0, 0))),
        ("socket.sendto", (None, ("8.8.8.8", 53))),
        ("socket.getaddrinfo", ("huggingface.co", 443, 0, 0, 0)),
        ("socket.getaddrinfo", (b"huggingface.co", 443, 0, 0, 0)),
        ("socket.gethostbyname", ("localhost.example.com",)),
    ],
)
def test_but_to_no_other(event, arguments):
    with pytest.raises(OSError, match="no network"):
        offline.refuse(event, arguments)


def test_the_guard_holds_in_a_process_of_its_own(tmp_path):
    code = (
        f"from tools import offline; offline.install({str(tmp_path / 'marker')!r}); import socket\n"
        "server = socket.create_server(('127.0.0.1', 0)); socket.create_connection(server.getsockname()).close()\n"
        "try:\n    socket.create_connection(('198.51.100.1', 9), timeout=9)\nexcept OSError as error: print(error)\n"
        "import pydoc_data.topics\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert "no network" in done.stdout
    assert (tmp_path / "marker").exists()
