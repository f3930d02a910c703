"""Execute every committed notebook again and compare: ``python -m tools.verify_notebooks [NN ...]``.

A notebook passes where its cells are those of its source, its outputs are those of a fresh run without network and
key, and it is as every notebook must be (``tools/structure.py``). Text is compared exactly, but decimals within
``RELATIVE`` and ``ABSOLUTE``; of a figure only its presence and its alt text are compared, since the numbers behind it
are printed. Cells tagged ``volatile`` are executed and not compared.

A solution notebook is its lesson with other exercise cells. Those use nothing but what they import themselves, so only
they are executed again, and the outputs of all other cells must be the lesson's.

Lessons that read Python's own language reference give other outputs under another Python. They record its checksum;
under another one they are executed, but not compared, and the report says so.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import nbformat
from nbformat import NotebookNode

from hierrag_lessons.reading import python_reference_checksum
from tools.execution import JOBS, execute
from tools.notebooks import Edition, NotebookError, dumps, editions, tags
from tools.structure import TEXT_TYPES, problems

RELATIVE = 1e-4
ABSOLUTE = 1e-6

# Digits inside a word or a version (v2, 3.11.7) are text.
_NUMBER = re.compile(r"((?:(?<![\w.,)\]])[-+])?(?<![A-Za-z_\d.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")


@dataclass(frozen=True)
class Report:
    """What came of verifying one notebook; nothing is wrong where ``problems`` is empty."""

    edition: Edition
    problems: tuple[str, ...]
    note: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        if not self.problems:
            return f"{self.edition}: ok, {self.seconds:.0f} s" + (f" ({self.note})" if self.note else "")
        todo = (
            f"If this change is meant, run `python -m tools.build_notebooks {self.edition.lesson.number}` (for all: "
            "`make notebooks`), read what differs, and correct the prose that repeats a number."
        )
        return "\n  ".join([f"{self.edition}: FAILED", *self.problems, todo])


def verify(edition: Edition) -> Report:
    """Compare one committed notebook with its source and with a fresh run."""
    if not edition.path.exists():
        return Report(edition, ("the notebook is missing",))
    text = edition.path.read_text(encoding="utf-8")
    committed = nbformat.reads(text, as_version=4)
    try:
        fresh = edition.notebook()
        found = [*stale_cells(committed, fresh), *problems(committed)]
        if text != dumps(committed):
            found.append("the file is not as the builder writes it (was it saved in an editor?)")
        if found:  # a run would only repeat it
            return Report(edition, tuple(found))
        seconds = run(edition, fresh)
    except NotebookError as error:
        return Report(edition, (str(error),))
    found = problems(fresh)
    note = ""
    if _reference(committed) not in {None, python_reference_checksum()}:
        note = "executed, but its outputs not compared: they were made with another Python's language reference"
    elif committed.metadata != fresh.metadata:
        found.append("metadata: only one of the notebook and a fresh run says that it reads the Python reference")
    else:
        found += compare_outputs(committed, fresh)
    return Report(edition, tuple(found), note, seconds)


def run(edition: Edition, fresh: NotebookNode) -> float:
    """Execute a notebook in place, of a solution notebook only the exercises, and return the seconds.

    Raises ``NotebookError`` where a cell raises, and for a solution notebook whose lesson is missing or out of date.
    """
    return _run_solutions(edition, fresh) if edition.solved else execute(fresh, edition.path.parent).seconds


def _run_solutions(edition: Edition, fresh: NotebookNode) -> float:
    """Give a solution notebook the outputs of its own exercises, and its lesson's committed ones; return the seconds.

    Raises ``NotebookError`` where an exercise raises, or the lesson's notebook is missing or is not as its source.
    """
    lesson = Edition(edition.lesson, solved=False)
    if not lesson.path.exists():
        raise NotebookError(f"{lesson} is missing")
    committed = nbformat.read(lesson.path, as_version=4)
    if stale := stale_cells(committed, lesson.notebook()):
        raise NotebookError(f"{lesson} must be right first: {stale[0]}")
    shared = [cell for cell in fresh.cells if cell.cell_type == "code" and "solution" not in tags(cell)]
    sources = [cell.source for cell in shared]
    for cell in shared:
        cell.source = "pass"  # it counts as a cell
    seconds = execute(fresh, edition.path.parent).seconds
    theirs = [cell for cell in committed.cells if cell.cell_type == "code" and "exercise" not in tags(cell)]
    for cell, source, other in zip(shared, sources, theirs, strict=True):
        cell.source, cell.outputs, cell.metadata = source, other.outputs, other.metadata
    if "hierrag" in committed.metadata:
        fresh.metadata["hierrag"] = committed.metadata["hierrag"]
    return seconds


def verify_all(editions: Iterable[Edition]) -> Iterator[Report]:
    """A report for each notebook, ``JOBS`` at a time, each as soon as it is there."""
    with ProcessPoolExecutor(JOBS, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(verify, edition) for edition in editions]):
            yield future.result()


def _reference(notebook: NotebookNode) -> str | None:
    checksum = notebook.metadata.get("hierrag", {}).get("python_reference")
    return None if checksum is None else str(checksum)


def stale_cells(committed: NotebookNode, fresh: NotebookNode) -> list[str]:
    """Where a notebook's cells are not those that its source makes now."""
    pairs = itertools.zip_longest(committed.cells, fresh.cells)
    for number, (ours, theirs) in enumerate(pairs, start=1):
        if ours is None or theirs is None:
            return [f"the notebook has {len(committed.cells)} cells, its source makes {len(fresh.cells)}"]
        for part in ("cell_type", "source", "metadata", "id"):
            a, b = _without_alt(ours.get(part)), _without_alt(theirs.get(part))
            if a != b:
                now, then = _first_difference(str(b), str(a))
                return [f"cell {number}: its {part} is not the source's\n    notebook: {then}\n    source:   {now}"]
    return []


def _without_alt(part: Any) -> Any:
    """Metadata without what comes from the outputs: the alt text of a figure, which ``problems`` looks at."""
    return {name: value for name, value in part.items() if name != "mystnb"} if isinstance(part, dict) else part


def compare_outputs(committed: NotebookNode, fresh: NotebookNode) -> list[str]:
    """Where two runs of the same cells differ, cells tagged ``volatile`` left out."""
    found = []
    for number, (ours, theirs) in enumerate(zip(committed.cells, fresh.cells, strict=True), start=1):
        if ours.cell_type != "code" or "volatile" in tags(ours):
            continue
        then, now = _flat(ours), _flat(theirs)
        if [kind for kind, _ in then] != [kind for kind, _ in now]:
            kinds = [", ".join(kind for kind, _ in flat) or "nothing" for flat in (then, now)]
            found.append(f"cell {number}: other outputs\n    committed: {kinds[0]}\n    now:       {kinds[1]}")
            continue
        for (kind, old), (_, new) in zip(then, now, strict=True):
            if not same_text(old, new):
                a, b = _first_difference(old, new)
                found.append(f"cell {number}: {kind} differs\n    committed: {a}\n    now:       {b}")
                break
    return found


def _flat(cell: NotebookNode) -> list[tuple[str, str]]:
    """The outputs of a cell as pairs of a kind and a text; the text of an image is its alt text."""
    flat = []
    for output in cell.outputs:
        if output.output_type == "stream":
            flat.append((output.name, output.text))
        elif output.output_type == "error":
            flat.append(("error", f"{output.ename}: {output.evalue}"))
        else:
            for mime, data in sorted(output.data.items()):
                alt = str(output.metadata.get(mime, {}).get("alt", ""))
                flat.append((mime, str(data) if mime in TEXT_TYPES else alt))
    return flat


def same_text(a: str, b: str) -> bool:
    """Whether two texts are equal, decimals within ``RELATIVE`` and ``ABSOLUTE``; whole numbers must be equal."""
    if a == b:
        return True
    ours, theirs = _NUMBER.split(a), _NUMBER.split(b)
    # Text and numbers alternate, so the odd places are the numbers.
    return (
        len(ours) == len(theirs)
        and ours[::2] == theirs[::2]
        and all(_same_number(x, y) for x, y in zip(ours[1::2], theirs[1::2], strict=True))
    )


def _same_number(a: str, b: str) -> bool:
    if a == b:
        return True
    if a.lstrip("+-").isdigit() and b.lstrip("+-").isdigit():
        return False
    return math.isclose(float(a), float(b), rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _first_difference(a: str, b: str) -> tuple[str, str]:
    """The first line of two texts that differs, cut to what fits a terminal."""
    lines = itertools.zip_longest(a.splitlines(), b.splitlines())
    x, y = next(((x, y) for x, y in lines if x is None or y is None or not same_text(x, y)), (a, b))
    return ("(no such line)" if x is None else repr(x)[:200], "(no such line)" if y is None else repr(y)[:200])


def main() -> int:
    """Verify the lessons named on the command line and print a report for each; 1 where one of them fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("lesson", nargs="*", metavar="NN", help="two-digit number of a lesson; all where none is given")
    numbers = parser.parse_args().lesson
    try:
        chosen = editions(*numbers)
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Executing {len(chosen)} notebooks, {JOBS} at a time …", flush=True)
    failed = 0
    for report in verify_all(chosen):
        print(report, flush=True)
        failed += bool(report.problems)
    print(f"{len(chosen) - failed} of {len(chosen)} notebooks are as their source and a fresh run make them.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
