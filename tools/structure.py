"""What must be true of every executed notebook, whatever its lesson is about."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from tools.notebooks import ROOT, code_cells, tags

TEXT_TYPES = ("text/plain", "text/html", "text/markdown", "text/latex", "application/json")

_HEADING = re.compile(r"^(#{1,6}) +\S", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_MARKDOWN_IMAGE = re.compile(r"!\[([^\]]*)\]\(")
_HTML_IMAGE = re.compile(r"<img\b[^>]*>", re.IGNORECASE)
_HTML_SVG = re.compile(r"<svg\b[^>]*>(?:\s*<title>[^<]+</title>)?", re.IGNORECASE)
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
_MACHINE_PATHS = re.compile(
    "|".join(
        [
            *(
                re.escape(str(folder))
                for folder in (ROOT, Path.home(), Path(tempfile.gettempdir()))
                if folder.parent != folder
            ),
            r"(?<![\w.~/-])/(?:home|root|Users|work|tmp|private/var)/\w",
            r"\b[A-Z]:\\+Users\b",
        ]
    )
)


def problems(notebook: NotebookNode) -> list[str]:
    """Everything that is wrong with an executed notebook, one sentence each, the cell's number first."""
    return [*_headings(notebook), *_counts(notebook), *_cells(notebook)]


def _headings(notebook: NotebookNode) -> Iterator[str]:
    level = 0
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "markdown":
            continue
        for heading in _HEADING.finditer(_FENCE.sub("", cell.source)):
            before, level = level, len(heading[1])
            if level > before + 1:
                yield f"cell {number}: a heading of level {level} follows one of level {before}; use level {before + 1}"
            if level == 1 and (before or number > 1):
                yield f"cell {number}: only the first line of the first cell is a heading of level 1; use ##"
    if not level:
        yield "cell 1: the notebook has no title; start the first cell with `# NN · Title`"


def _counts(notebook: NotebookNode) -> Iterator[str]:
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"the execution counts are {counts}, not 1 to {len(counts)}: the cells were not run once each, in order"


def _cells(notebook: NotebookNode) -> Iterator[str]:
    for number, cell in enumerate(notebook.cells, start=1):
        for text in (cell.source, *texts(cell)):
            if match := _MACHINE_PATHS.search(text):
                yield f"cell {number}: {_around(text, match)!r} is a path of one machine; print a name instead"
            if match := _ADDRESS.search(text):
                yield f"cell {number}: {_around(text, match)!r} is an address in memory, which changes with every run"
        if cell.cell_type == "markdown":
            yield from (f"cell {number}: {problem}" for problem in images_without_alt(cell.source))
        elif cell.cell_type == "code":
            yield from (f"cell {number}: {problem}" for problem in _outputs(cell))


def _outputs(cell: NotebookNode) -> Iterator[str]:
    figures = alt_texts(cell)
    if not all(alt.strip() for alt in figures):
        yield "a figure without alt text; draw it with hierrag_lessons.drawing, which asks for one"
    elif figures and not any("Figure in words" in text for text in texts(cell)):
        yield "a figure without its words below; show a chart as the value of a cell"
    if len(figures) > 1:
        yield f"{len(figures)} figures in one cell; a site has one alt text a cell, so show one"
    elif cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "") != "".join(figures):
        yield "the alt text in its metadata is not the figure's; build the notebook again"
    for output in cell.outputs:
        if output.get("name") == "stderr":
            yield f"it writes to stderr, as warnings do: {output.text.strip()[:200]!r}; mend the cause"
        yield from images_without_alt(output.get("data", {}).get("text/html", ""))
    if "raises-exception" in tags(cell) and not any(output.output_type == "error" for output in cell.outputs):
        yield "tagged raises-exception, but nothing was raised"
    if "exercise" in tags(cell) and not any(text.startswith("Not attempted yet") for text in texts(cell)):
        yield 'the stub must end in check("…", function), which must answer "Not attempted yet"'
    if "solution" in tags(cell) and not any(text.startswith("Correct") for text in texts(cell)):
        yield 'the solution must end in check("…", function), which must answer "Correct"'


def alt_texts(cell: NotebookNode) -> list[str]:
    """The alt text of each image that the cell puts out, empty where it has none."""
    return [
        str(output.metadata.get(mime, {}).get("alt", ""))
        for output in cell.outputs
        for mime in output.get("data", {})
        if mime.startswith("image/")
    ]


def images_without_alt(text: str) -> Iterator[str]:
    """One sentence for each picture in Markdown or HTML that a reader who can't see it is not told about."""
    for image in _MARKDOWN_IMAGE.finditer(_FENCE.sub("", text)):
        if not image[1].strip():
            yield "a picture without alt text; write ![what it shows](…)"
    for tag in _HTML_IMAGE.findall(text):
        if not re.search(r"\balt=[\"'][^\"']", tag):
            yield f"{tag[:60]!r} has no alt text"
    for tag in _HTML_SVG.findall(text):
        if "<title>" not in tag and not re.search(r"\baria-(label|labelledby|hidden)=", tag):
            yield f"{tag[:60]!r} has neither aria-label nor <title>"


def texts(cell: NotebookNode) -> list[str]:
    """Everything that a cell puts out as text: what it prints, what it shows, what it raises."""
    found = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            found.append(output.text)
        elif output.output_type == "error":
            found += output.traceback
        else:
            found += [str(data) for mime, data in output.data.items() if mime in TEXT_TYPES]
    return found


def _around(text: str, match: re.Match[str]) -> str:
    return text[match.start() : match.end() + 30].splitlines()[0]
