"""Make the notebooks from their sources and execute them: ``python -m tools.build_notebooks [NN ...]``.

``tools/notebooks.py`` says how a source is written. A notebook is only written where it is as it must be
(``tools/structure.py``): it runs from top to bottom, offline, without a warning.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from tools.execution import JOBS
from tools.notebooks import Edition, NotebookError, dumps, editions
from tools.structure import problems
from tools.verify_notebooks import run


def build(edition: Edition) -> str:
    """Make, execute, check and write one notebook, and return one line about it.

    Raises
    ------
    NotebookError
        Where a cell raises, or the notebook is not as it must be. Nothing is written then.
    """
    edition.path.parent.mkdir(exist_ok=True)
    try:
        notebook = edition.notebook()
        seconds = run(edition, notebook)
    except NotebookError as error:
        raise NotebookError(f"{edition} was not written: {error}") from None
    if found := problems(notebook):
        raise NotebookError("\n  ".join([f"{edition} was not written:", *found]))
    edition.path.write_text(dumps(notebook), encoding="utf-8", newline="\n")
    return f"{edition}: {len(notebook.cells)} cells in {seconds:.0f} s"


def main() -> int:
    """Build the lessons named on the command line, ``JOBS`` notebooks at a time; 1 where one of them fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("lesson", nargs="*", metavar="NN", help="two-digit number of a lesson; all where none is given")
    numbers = parser.parse_args().lesson
    failures = 0
    try:
        chosen = editions(*numbers)
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Executing {len(chosen)} notebooks, {JOBS} at a time …", flush=True)
    with ProcessPoolExecutor(JOBS, mp_context=get_context("spawn")) as pool:
        for solved in (False, True):  # a solution notebook has the outputs of its lesson's
            part = [edition for edition in chosen if edition.solved is solved]
            for future in as_completed([pool.submit(build, edition) for edition in part]):
                try:
                    print(future.result(), flush=True)
                except NotebookError as error:
                    failures += 1
                    print(error, file=sys.stderr, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
