"""Check the links of the pages and notebooks: ``python -m tools.check_links``.

A relative link must lead to a file of this repository, and its anchor to a heading there. A link to another site must
be https and well-formed; it is not fetched.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat

from tools.notebooks import ROOT

_CODE = re.compile(r"^ *(```+|~~~+).*?^ *\1|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_TARGETS = (
    re.compile(r"\]\(\s*<?([^)\s>]*)>?(?:\s+[\"'][^\"']*[\"'])?\s*\)"),  # [text](target "title"), ![alt](target)
    re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$", re.MULTILINE),  # [name]: target
    re.compile(r"<(?:a\b[^>]*\bhref|img\b[^>]*\bsrc)=[\"']([^\"']*)"),
    re.compile(r"<(https?://[^>\s]*)>"),
)
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)? *$", re.MULTILINE)
_NAMED = re.compile(r"<\w+\b[^>]*\b(?:id|name)=[\"']([^\"']+)")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[`*]|(?<!\w)_|_(?!\w)|<[^>]+>")


def pages(root: Path = ROOT) -> list[Path]:
    """The Markdown files and notebooks whose links are followed; ``data/corpora`` holds texts, not pages."""
    patterns = ("*.md", "data/*.md", "benchmarks/**/*.md", "notebooks/*.md")
    notebooks = (f"notebooks/{room}/*.ipynb" for room in (".", "appendix", "solutions"))
    return sorted(path for pattern in (*patterns, *notebooks) for path in root.glob(pattern))


def markdown(page: Path) -> str:
    """The Markdown of a page: all of a ``.md`` file, the Markdown cells of a notebook."""
    if page.suffix == ".ipynb":
        notebook = nbformat.read(page, as_version=4)
        return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """What can stand behind ``#``: ids set by hand, and headings as GitHub (``.md``) and JupyterLab name them."""
    text = _CODE.sub(lambda match: "" if "\n" in match[0] else match[0], markdown(page))
    found = set(_NAMED.findall(text))
    seen: dict[str, int] = {}
    for heading in _HEADING.findall(text):
        title = _MARKUP.sub(lambda match: match[1] or "", heading)
        if page.suffix == ".ipynb":
            found.add(title.replace(" ", "-"))
            continue
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.add(slug if slug not in seen else f"{slug}-{seen[slug]}")
        seen[slug] = seen.get(slug, 0) + 1
    return found


def broken(page: Path, root: Path = ROOT) -> Iterator[str]:
    """One sentence for each link of a page that leads nowhere."""
    text = _CODE.sub("", markdown(page))
    for target in dict.fromkeys(target for pattern in _TARGETS for target in pattern.findall(text)):
        if problem := _problem(target, page, root):
            yield f"{page.relative_to(root)}: {target!r} {problem}"


def _problem(target: str, page: Path, root: Path) -> str:
    parts = urlsplit(target)
    if parts.scheme in {"http", "https"}:
        if parts.scheme == "http":
            return "is not https"
        host = parts.hostname or ""
        return "" if re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", host) else "names no host"
    if parts.scheme:
        return "" if parts.scheme == "mailto" else f"starts with {parts.scheme}:, which is no web address"
    if not target or target.startswith("/"):
        return "is no relative link"
    goal = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not goal.is_relative_to(root.resolve()):
        return "leads out of the repository"
    if not goal.exists():
        return "does not exist"
    if parts.fragment and (goal.suffix not in {".md", ".ipynb"} or unquote(parts.fragment) not in anchors(goal)):
        return f"has no heading {unquote(parts.fragment)!r}"
    return ""


def main() -> int:
    """Print what is broken; 1 where anything is."""
    problems = [problem for page in pages() for problem in broken(page)]
    print("\n".join(problems) or f"{len(pages())} pages: every link leads somewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
