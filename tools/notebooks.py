"""What a lesson's source says, and what its notebooks must look like.

The source of a lesson is ``notebooks/src/NN_name.py``, a script in jupytext's percent format without a header. Two
notebooks are made from it: ``notebooks/NN_name.ipynb``, and, where the lesson has exercises,
``notebooks/solutions/NN_name.ipynb``. Nobody edits those.

What a lesson leaves to those who want more is an appendix: ``notebooks/src/appendix/AN_name.py``, made into
``notebooks/appendix/AN_name.ipynb``. It has no exercises and counts in no lesson's minutes.

Tags of a cell (``# %% tags=["exercise"]``):

``exercise``
    The stub that the learner completes, with the call of ``check("NN.K", function)`` as its last line. Only in the
    lesson notebook. A function that the learner writes ends in ``return ...``, ``...``, ``pass`` or
    ``raise NotImplementedError``; in a "find the bug" exercise the cell holds the published code. It begins with what
    it imports, ``check``, ``hint`` and ``solution`` among it, so that it is the first cell that a learner runs after a
    restart.
``solution``
    Follows its exercise directly and takes its place in the solution notebook. In a code cell, the line
    ``# solution: NN.K`` is replaced by the source of that exercise's official solution, which stands only in
    ``hierrag_lessons/exercises/lessonNN.py``; its imports stand above it and the call of ``check`` below it. A Markdown
    cell with this tag is an explanation that only the solution notebook shows.
``volatile``
    The output (a timing, a live model) differs from run to run and is not compared.
``raises-exception``
    The cell must raise. Only the error's last line is kept.
``scoreboard``
    What ``python -m tools.tour`` prints.
``hide-input``, ``hide-output``, ``hide-cell``
    Folded when the course is shown as a site, and in JupyterLab, which looks for it in the cell's metadata ``jupyter``.

A figure is a chart of ``hierrag_lessons.showing``, or is drawn with its ``drawing``: so it says what it shows. The
builder copies that to where sites made with MyST look for it, the cell's metadata ``mystnb``.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from hierrag_lessons import exercises
from tools.opening import filled

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"

FOLDED: dict[str, tuple[str, ...]] = {
    "hide-input": ("source_hidden",),
    "hide-output": ("outputs_hidden",),
    "hide-cell": ("outputs_hidden", "source_hidden"),
}
"""What JupyterLab calls that which a tag folds."""

TAGS = {"exercise", "solution", "volatile", "raises-exception", "scoreboard", *FOLDED}

# Versions stay out: they would change with every machine and say nothing about the lesson.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}

_LESSON, _APPENDIX = "[0-9][0-9]_*.py", "appendix"
_SOLUTION_LINE = re.compile(r"^# solution: (\d\d\.\d)$", re.MULTILINE)
_RELATIVE_LINK = re.compile(r"(?<=\]\()(?!#|/|[a-z][a-z0-9+.-]*:)([^)\s]+)")
_LESSON_FILE = re.compile(r"\d\d_\w+\.ipynb(#.*)?")


class NotebookError(Exception):
    """A lesson that can't be built; the message names the cell and what to do."""


@dataclass(frozen=True)
class Lesson:
    """A lesson's source file."""

    source: Path

    @property
    def number(self) -> str:
        """Two digits, such as ``"04"``; of an appendix ``"A1"``."""
        return self.source.name[:2]

    @property
    def is_appendix(self) -> bool:
        """Whether this belongs to a lesson and is none itself."""
        return self.source.parent.name == _APPENDIX

    @property
    def folder(self) -> Path:
        """The folder of the notebooks, in which that of the sources lies."""
        return self.source.parents[2 if self.is_appendix else 1]

    def editions(self) -> list[Edition]:
        """What is made of the source: the lesson notebook and, where there are exercises, the solution notebook."""
        return [Edition(self, solved=False), *([Edition(self, solved=True)] if self.exercise_ids() else [])]

    def cells(self) -> list[NotebookNode]:
        """The source's cells, exercises and solutions included, with ids that depend on nothing but their text.

        Raises
        ------
        NotebookError
            Where the line that starts a cell has a tag or an option that does not exist.
        """
        notebook = jupytext.reads(self.source.read_text(encoding="utf-8"), fmt="py:percent")
        seen: dict[str, int] = {}
        for number, cell in enumerate(notebook.cells, start=1):
            for blank_lines in ("lines_to_next_cell", "lines_to_end_of_cell_marker"):  # for writing scripts
                cell.metadata.pop(blank_lines, None)
            if unknown := sorted(set(tags(cell)) - TAGS) + sorted(set(cell.metadata) - {"tags"}):
                raise NotebookError(
                    f"{self.source.name}, cell {number}: {', '.join(unknown)} in the line after %% means nothing here; "
                    f"known are the tags {', '.join(sorted(TAGS))}"
                )
            digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
            seen[digest] = seen.get(digest, 0) + 1
            cell["id"] = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        return list(notebook.cells)

    def exercise_ids(self) -> list[str]:
        """The ids of the lesson's exercises, in order.

        Raises
        ------
        NotebookError
            Where an exercise's solution is not in the next cell, or a cell does not name its exercise.
        """
        cells = [cell for cell in self.cells() if not (cell.cell_type == "markdown" and "solution" in tags(cell))]
        stubs = {i: self.checked_id(cell) for i, cell in enumerate(cells) if "exercise" in tags(cell)}
        solved = {i: self.checked_id(cell) for i, cell in enumerate(cells) if "solution" in tags(cell)}
        if {i + 1: exercise_id for i, exercise_id in stubs.items()} != solved:
            raise NotebookError(
                f"{self.source.name}: the exercises {', '.join(stubs.values()) or 'none'} and the solutions "
                f"{', '.join(solved.values()) or 'none'} do not pair; a cell tagged solution follows each cell tagged "
                "exercise directly and checks the same id"
            )
        return list(stubs.values())

    def checked_id(self, cell: NotebookNode) -> str:
        """The id in the cell's call of ``check``.

        Raises
        ------
        NotebookError
            Where the cell is no Python, or does not call ``check`` with an id exactly once.
        """
        try:
            calls = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)]
        except SyntaxError as error:
            raise NotebookError(f"{self.source.name}: {error.msg} in {(error.text or '').strip()!r}") from None
        ids = [
            call.args[0].value
            for call in calls
            if isinstance(call.func, ast.Name) and call.func.id == "check" and call.args
            if isinstance(call.args[0], ast.Constant)
        ]
        if len(ids) != 1:
            raise NotebookError(
                f"{self.source.name}: the cell that starts with {cell.source[:40]!r} is tagged exercise or solution "
                f'and calls check("…", function) {len(ids)} times; it must do so once'
            )
        return str(ids[0])


@dataclass(frozen=True)
class Edition:
    """One of the notebooks that are made of a lesson."""

    lesson: Lesson
    solved: bool

    @property
    def path(self) -> Path:
        """Where the notebook belongs."""
        room = "solutions" if self.solved else _APPENDIX if self.lesson.is_appendix else "."
        return self.lesson.folder / room / f"{self.lesson.source.stem}.ipynb"

    def __str__(self) -> str:
        return self.path.relative_to(self.lesson.folder).as_posix()

    def notebook(self) -> NotebookNode:
        """The notebook as it is before it is executed.

        Raises
        ------
        NotebookError
            Where a solution cell has no line ``# solution: NN.K``, or there is no such exercise.
        """
        cells = []
        for cell in self.lesson.cells():
            if ("exercise" if self.solved else "solution") in tags(cell):
                continue
            if cell.cell_type == "markdown":
                cell.source = filled(cell.source, self.lesson, lessons(folder=self.lesson.folder))
            if self.solved and cell.cell_type == "markdown":
                cell.source = _RELATIVE_LINK.sub(_from_solutions, cell.source)
            elif "solution" in tags(cell):
                cell.source = self._with_solution(cell)
            if hidden := {part: True for tag in tags(cell) for part in FOLDED.get(tag, ())}:
                cell.metadata["jupyter"] = hidden
            cells.append(cell)
        notebook = nbformat.v4.new_notebook(metadata=copy.deepcopy(METADATA), cells=cells)
        nbformat.validate(notebook)
        return notebook

    def _with_solution(self, cell: NotebookNode) -> str:
        source, wanted = self.lesson.source.name, self.lesson.checked_id(cell)
        if (named := _SOLUTION_LINE.findall(cell.source)) != [wanted]:
            raise NotebookError(
                f"{source}: the solution of exercise {wanted} needs one line `# solution: {wanted}`, in whose place "
                f"the official code is put; it has {named or 'none'}"
            )
        if (exercise := exercises.find(wanted)) is None:
            raise NotebookError(f"{source}: hierrag_lessons.exercises.lesson{wanted[:2]} has no exercise {wanted}")
        code = inspect.getsource(exercise.solution).rstrip()
        return _SOLUTION_LINE.sub(lambda _: f"\n{code}", cell.source).lstrip("\n")


def lessons(*numbers: str, folder: Path = NOTEBOOKS) -> list[Lesson]:
    """The lessons with these two-digit numbers, or all, in order.

    Raises
    ------
    NotebookError
        Where a number has no source, or two sources share one.
    """
    return _chosen(_sources(folder, _LESSON), numbers)


def _sources(folder: Path, pattern: str) -> list[Path]:
    return sorted((folder / "src").glob(pattern))


def _chosen(sources: Sequence[Path], numbers: Sequence[str]) -> list[Lesson]:
    """Those of the sources that the numbers name, or all."""
    found = [Lesson(path) for path in sources]
    known = [lesson.number for lesson in found]
    if shared := sorted({number for number in known if known.count(number) > 1}):
        raise NotebookError(f"two sources in notebooks/src share the number {', '.join(shared)}; rename one")
    if missing := sorted(set(numbers) - set(known)):
        raise NotebookError(
            f"notebooks/src has no lesson {', '.join(missing)}; there are {', '.join(known) or 'none yet'}"
        )
    return [lesson for lesson in found if not numbers or lesson.number in numbers]


def editions(*numbers: str, folder: Path = NOTEBOOKS) -> list[Edition]:
    """The notebooks of these lessons and appendices, or of all: the lessons, the appendices, then the solutions.

    In this order a solution finds in the cache what its lesson has embedded; side by side both would do the same work.
    Raises ``NotebookError`` as :func:`lessons` does.
    """
    sources = [*_sources(folder, _LESSON), *_sources(folder, f"{_APPENDIX}/A[0-9]_*.py")]
    found = [edition for lesson in _chosen(sources, numbers) for edition in lesson.editions()]
    return sorted(found, key=lambda edition: edition.solved)


def tags(cell: NotebookNode) -> list[str]:
    """The tags of a cell."""
    return list(cell.metadata.get("tags", []))


def code_cells(notebook: NotebookNode) -> Iterator[NotebookNode]:
    """The code cells, in order."""
    return (cell for cell in notebook.cells if cell.cell_type == "code")


def dumps(notebook: NotebookNode) -> str:
    """The notebook as the text of its file: sorted keys, UTF-8 as it is, one line break at the end."""
    return str(nbformat.writes(notebook, version=4)).rstrip("\n") + "\n"


def _from_solutions(match: re.Match[str]) -> str:
    # The notebooks beside a solution notebook are solution notebooks; everything else lies one folder up.
    return match[1] if _LESSON_FILE.fullmatch(match[1]) else f"../{match[1]}"
