"""Run the tour without a browser and print its scoreboard: ``python -m tools.tour``."""

from __future__ import annotations

import re
import shutil
import sys
from typing import TextIO

from nbformat import NotebookNode

from tools.execution import execute
from tools.notebooks import NOTEBOOKS, Edition, NotebookError, code_cells, lessons, tags

_HEADING = re.compile(r"^#{1,6} +(?:\d\d · )?(.+)$", re.MULTILINE)


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


class Screen:
    """Says which part of a notebook begins, and in a terminal how far the long work in it is.

    It is what ``execute`` takes as its ``watch``.
    """

    def __init__(self, notebook: NotebookNode, screen: TextIO) -> None:
        self.screen = screen
        self.parts: dict[int, str] = {}  # the heading, by the number of the first code cell below it
        title = ""
        for number, cell in enumerate(notebook.cells, start=1):
            if cell.cell_type == "markdown":
                title = [title, *_HEADING.findall(cell.source)][-1]
            elif cell.cell_type == "code" and title:
                self.parts[number], title = title, ""

    def __call__(self, number: int, line: str | None) -> None:
        """Draw the line over the last one; where a part begins, say which."""
        if self.screen.isatty():
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{' ' * width}\r{(line or '')[:width]}", end="", file=self.screen, flush=True)
        if line is None and number in self.parts:
            place = list(self.parts).index(number) + 1
            print(f"{place} of {len(self.parts)}  {self.parts[number]}", file=self.screen, flush=True)


def main() -> int:
    """Run, print, and return 1 where the tour fails, 130 where it is interrupted."""
    try:
        (tour,) = lessons("00")
        notebook = Edition(tour, solved=False).notebook()
        print("The tour. What it embeds is kept, so that later runs are quicker.", file=sys.stderr)
        execution = execute(notebook, NOTEBOOKS, Screen(notebook, sys.stderr))
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt as stopped:
        said = str(stopped) or "Interrupted. What is embedded is kept; run it again to go on."
        print(f"\n{said}", file=sys.stderr)
        return 130
    print(scoreboard(execution.notebook))
    print(f"\nThe tour took {execution.seconds:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
