"""Run the tour without a browser and print its scoreboard: ``python -m tools.tour``."""

from __future__ import annotations

import sys

from nbformat import NotebookNode

from tools.execution import execute
from tools.notebooks import NOTEBOOKS, Edition, NotebookError, code_cells, lessons, tags


def scoreboard(notebook: NotebookNode) -> str:
    """What the cells tagged ``scoreboard`` print and show as plain text."""
    found = []
    for cell in code_cells(notebook):
        for output in cell.outputs if "scoreboard" in tags(cell) else []:
            if output.get("name") == "stdout":
                found.append(output.text)
            elif "image/png" not in output.get("data", {}):
                found.append(output.get("data", {}).get("text/plain", ""))
    return "\n\n".join(text.strip("\n") for text in found if text.strip())


def main() -> int:
    """Run, print, and return 1 where the tour fails."""
    try:
        (tour,) = lessons("00")
        execution = execute(Edition(tour, solved=False).notebook(), NOTEBOOKS)
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    print(scoreboard(execution.notebook))
    print(f"\nThe tour took {execution.seconds:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
