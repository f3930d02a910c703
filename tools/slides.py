"""Slides made from lessons: ``python -m tools.slides [FOLDER]``, one HTML file a lesson that needs no network.

``notebooks/src/slides.toml`` names, for each slide, the section of the lesson, the sentences of it that are said, and
what of its outputs is shown. Sentences and outputs are the notebook's own: where a lesson changes and a sentence is no
longer there, the build stops and a test fails, so that slides say what the lesson says.
"""

from __future__ import annotations

import argparse
import base64
import html
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt
from nbformat import NotebookNode

from tools.notebooks import NOTEBOOKS, ROOT, Lesson, NotebookError, lessons, tags

PLAN = NOTEBOOKS / "src" / "slides.toml"
FOLDER = ROOT / "slides"
SHOWS = ("picture", "figure", "table", "print", "code")
MOST_SENTENCES, MOST_LINES = 4, 16  # what can be read from the last row

_HEADING = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_BLANKS = re.compile(r"\n> |\s+")  # a quotation goes on in the next line
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")  # leads nowhere from a slide: its text stays
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class Slide:
    """One slide of the plan: of the section's own sentences those that ``say`` names, and one of its outputs."""

    lesson: str
    section: str = ""
    say: tuple[str, ...] = ()
    show: str = ""
    which: int = 1


@dataclass(frozen=True)
class Section:
    """A heading of a lesson, its prose and its code cells; the first one, before any ``##``, has no heading."""

    heading: str
    prose: str
    cells: tuple[NotebookNode, ...]


def read_plan(path: Path = PLAN) -> list[Slide]:
    """The slides of the plan, in order.

    Raises ``NotebookError`` where a slide has a field that does not exist, too much on it, or nothing.
    """
    slides = []
    for number, fields in enumerate(tomllib.loads(path.read_text(encoding="utf-8")).get("slide", []), start=1):
        if unknown := sorted(set(fields) - {"lesson", "section", "say", "show", "which"}):
            raise NotebookError(f"{path.name}, slide {number}: {', '.join(unknown)} means nothing here")
        slide = Slide(**{**fields, "say": tuple(fields.get("say", ()))})
        if slide.show not in ("", *SHOWS) or not (slide.say or slide.show):
            raise NotebookError(f"{path.name}, slide {number}: say a sentence, or show one of {', '.join(SHOWS)}")
        if len(slide.say) > MOST_SENTENCES:
            raise NotebookError(f"{path.name}, slide {number}: {len(slide.say)} sentences; at most {MOST_SENTENCES}")
        slides.append(slide)
    return slides


def sections(notebook: NotebookNode) -> dict[str, Section]:
    """The sections of a lesson by their headings."""
    found: list[tuple[str, list[str], list[NotebookNode]]] = [("", [], [])]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            found[-1][2].append(cell)
            continue
        at = 0
        for match in _HEADING.finditer(cell.source):
            found[-1][1].append(cell.source[at : match.start()])
            if len(match[1]) > 1:
                found.append((match[2].strip(), [], []))
            at = match.end()
        found[-1][1].append(cell.source[at:])
    return {heading: Section(heading, "\n".join(prose), tuple(cells)) for heading, prose, cells in found}


def render(lesson: Lesson, plan: Sequence[Slide]) -> str:
    """The slides of one lesson as a page.

    Raises ``NotebookError`` where the lesson lacks a section, a sentence or an output that the plan names.
    """
    path = lesson.folder / f"{lesson.source.stem}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    title = next(match[2] for match in _HEADING.finditer(notebook.cells[0].source))
    known = sections(notebook)
    pages = []
    for slide in plan:
        if slide.section not in known:
            raise NotebookError(f"{path.name} has no section {slide.section!r}; it has {', '.join(known)}")
        section = known[slide.section]
        said = "".join(f"<li>{_sentence(path, section, each)}</li>" for each in slide.say)
        shown = _shown(path, section, slide) if slide.show else ""
        heading = html.escape(section.heading or title)
        pages.append(
            f"<section><h2>{heading}</h2><ul>{said}</ul>{shown}<footer>{html.escape(title)}</footer></section>"
        )
    return _PAGE.replace("{title}", html.escape(title)).replace("{pages}", "\n".join(pages))


def _sentence(path: Path, section: Section, wanted: str) -> str:
    """The sentence as HTML, where the section has it word for word; line breaks do not count."""
    if _BLANKS.sub(" ", wanted) not in _BLANKS.sub(" ", section.prose):
        raise NotebookError(f"{path.name}, {section.heading!r} does not say {wanted!r}; correct the plan of the slides")
    return _MARKDOWN.renderInline(_LINK.sub(r"\1", wanted))


def _shown(path: Path, section: Section, slide: Slide) -> str:
    makers = {
        "picture": lambda: _pictures(path, section),
        "figure": lambda: _figures(section),
        "table": lambda: _tables(section),
        "print": lambda: _prints(section),
        "code": lambda: (f"<pre>{_head(cell.source)}</pre>" for cell in section.cells if "exercise" not in tags(cell)),
    }
    found = list(makers[slide.show]())
    if not 1 <= slide.which <= len(found):
        raise NotebookError(f"{path.name}, {section.heading!r} has {len(found)} times {slide.show}, not {slide.which}")
    return found[slide.which - 1]


def _pictures(path: Path, section: Section) -> Iterator[str]:
    for alt, target in _PICTURE.findall(section.prose):
        data = base64.b64encode((path.parent / target).read_bytes()).decode("ascii")
        kind = "svg+xml" if target.endswith(".svg") else "png"
        yield f'<img alt="{html.escape(_BLANKS.sub(" ", alt))}" src="data:image/{kind};base64,{data}">'


def _outputs(section: Section, kind: str) -> Iterator[tuple[NotebookNode, Mapping[str, object]]]:
    for cell in section.cells:
        for output in cell.outputs:
            if kind in output.get("data", {}):
                yield output, output.metadata.get(kind, {})


def _figures(section: Section) -> Iterator[str]:
    for output, metadata in _outputs(section, "image/png"):
        data = "".join(output.data["image/png"].split())
        yield f'<img alt="{html.escape(str(metadata.get("alt", "")))}" src="data:image/png;base64,{data}">'


def _tables(section: Section) -> Iterator[str]:
    """Results as the package shows them: its HTML, which it has escaped itself. Then the tables of the prose."""
    for output, _ in _outputs(section, "text/html"):
        if "image/png" not in output.data and "<table" in output.data["text/html"]:
            yield f"<div class='shown'>{output.data['text/html']}</div>"
    for table in _TABLE.findall(_MARKDOWN.render(_LINK.sub(r"\1", section.prose))):
        yield f"<div class='shown prose'>{table}</div>"


def _prints(section: Section) -> Iterator[str]:
    for cell in section.cells:
        for output in cell.outputs:
            if output.get("name") == "stdout":
                yield f"<pre>{_head(output.text)}</pre>"


def _head(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    return html.escape("\n".join([*lines[:MOST_LINES], *["…"] * (len(lines) > MOST_LINES)]))


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
html { scroll-snap-type: y mandatory; font: 3.2vh/1.4 system-ui, sans-serif; }
body { margin: 0; color: #1b1b1b; background: #fff; }
section { box-sizing: border-box; height: 100vh; padding: 5vh 6vw; scroll-snap-align: start; overflow: hidden;
  display: flex; flex-direction: column; break-after: page; }
h2 { margin: 0 0 2vh; font-size: 1.6em; line-height: 1.15; } ul { margin: 0 0 2vh; padding-left: 1.1em; }
li { margin: .3em 0; } img, pre, .shown { flex: 1; min-height: 0; max-width: 100%; margin: 0; }
img { object-fit: contain; } pre, .shown { overflow: auto; } pre { line-height: 1.4; }
section:not(:has(img, pre, .shown)) ul { font-size: 1.3em; }
table { font-size: .75em; border-collapse: collapse; } caption { font-size: .8em; padding-bottom: .5em; }
td, th { padding: .2em .7em; border-bottom: 1px solid #ccc; text-align: left; white-space: nowrap; }
.prose td { white-space: normal; vertical-align: top; }
footer { padding-top: 1vh; font-size: .5em; color: #666; margin-top: auto; }
@media print { html { font-size: 27px; } section { height: 8.9in; padding: .45in .96in; }
  @page { size: 16in 9in; margin: 0; } }
</style></head><body>
{pages}
<script>const fit = () => {  // as large as there is room for
  for (const shown of document.querySelectorAll("pre, table")) {
    const box = shown.tagName == "TABLE" ? shown.parentElement : shown;
    for (let size = 1.05; size > 0.4; size -= 0.05) {
      shown.style.fontSize = size + "em";
      if (box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight) break;
    }
  }
};
fit();
addEventListener("resize", fit);
addEventListener("keydown", event => {
  const step = {ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1}[event.key];
  if (step) { event.preventDefault(); scrollBy(0, step * innerHeight); }
});</script></body></html>
"""


def build(folder: Path, plan: Sequence[Slide]) -> list[Path]:
    """Write one page for each lesson of the plan; the files. Raises ``NotebookError`` as :func:`render` does."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for lesson in lessons(*dict.fromkeys(slide.lesson for slide in plan)):
        page = render(lesson, [slide for slide in plan if slide.lesson == lesson.number])
        written.append(folder / f"{lesson.source.stem}.html")
        written[-1].write_text(page, encoding="utf-8")
    return written


def main() -> int:
    """Write the slides; 1 where a lesson no longer has what they name."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    try:
        for path in build(parser.parse_args().folder, read_plan()):
            print(path)
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
