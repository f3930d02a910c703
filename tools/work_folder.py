"""The learner's copies of the notebooks in the ignored folder ``work``; ``python -m tools.work_folder`` refreshes them.

Work in a copy never stands in the way of an update of the course. What is unchanged since it was copied is replaced by
the course's new version; what the learner has changed is left alone, and the new version is put beside it, as
``NAME.new.ipynb``. A notebook is changed where the source of a cell is: neither running it nor saving it counts.

``work/.copied.json`` remembers what was copied.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from hierrag_lessons.whole_files import write_whole
from tools.notebooks import NOTEBOOKS, ROOT

WORK = ROOT / "work"

_KINDS = ("*.ipynb", "*.md", "appendix/*.ipynb", "solutions/*.ipynb", "images/*")
_RECORD = ".copied.json"


class WorkFolder:
    """A folder of copies, and the course's notebooks that they were made of."""

    def __init__(self, folder: Path = WORK, course: Path = NOTEBOOKS) -> None:
        self.folder, self.course = folder, course
        # name -> [the file's checksum, that of the sources of its cells], as they were when it was copied
        self._copied = _read_record(folder / _RECORD)

    def fill(self) -> list[str]:
        """Copy what is not there yet, or was broken off in the middle; the names, sorted."""
        missing = [name for name in self._names() if not self._is_whole(name)]
        for name in missing:
            self._copy(name)
        self._remember()
        return missing

    def outdated(self) -> list[str]:
        """The copies that the course has a new version of, sorted."""
        return [
            name
            for name in self._names()
            if self._is_whole(name)
            and self._copied.get(name) != _checksums(self.course / name)
            and _checksums(self.folder / name) != _checksums(self.course / name)
        ]

    def refresh(self) -> Iterator[str]:
        """Bring all copies up to date, and say in a line what happened to each that was not."""
        for name in self.outdated():
            mine, course = self.folder / name, self.course / name
            if _checksums(mine)[1] in (self._copied.get(name, ["", ""])[1], _checksums(course)[1]):
                self._copy(name)
                yield f"{name}: refreshed"
            else:
                beside = next(path for path in _beside(mine) if not path.exists())
                write_whole(beside, course.read_bytes())
                self._copied[name] = _checksums(course)
                yield f"{name}: you have changed it, so it stays; the new version is {beside.name}"
        for name in self.fill():
            yield f"{name}: new"
        for name in sorted(set(self._copied) - set(self._names())):
            mine = self.folder / name
            _, sources = self._copied.pop(name)
            if mine.exists() and _checksums(mine)[1] == sources:
                mine.unlink()
                yield f"{name}: removed, the course no longer has it"
        self._remember()

    def _names(self) -> list[str]:
        paths = (path for kind in _KINDS for path in self.course.glob(kind))
        return sorted(path.relative_to(self.course).as_posix() for path in paths)

    def _is_whole(self, name: str) -> bool:
        """Whether a copy is there, and is more than the beginning of the course's file that a full disk leaves."""
        mine, course = self.folder / name, self.course / name
        if not mine.exists():
            return False
        begun = mine.stat().st_size < course.stat().st_size and course.read_bytes().startswith(mine.read_bytes())
        return not begun or _checksums(mine) == self._copied.get(name)

    def _copy(self, name: str) -> None:
        write_whole(self.folder / name, (self.course / name).read_bytes())
        self._copied[name] = _checksums(self.course / name)

    def _remember(self) -> None:
        write_whole(self.folder / _RECORD, json.dumps(self._copied, indent=1, sort_keys=True) + "\n")


def _read_record(path: Path) -> dict[str, list[str]]:
    """What was copied; nothing where the record is not whole: then every copy counts as the learner's own."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _beside(path: Path) -> Iterator[Path]:
    """Names for a new version; the next one where the learner has not done away with the last."""
    return (path.with_suffix(f".new{number if number > 1 else ''}{path.suffix}") for number in count(1))


def _checksums(path: Path) -> list[str]:
    """Checksums of a file and of what a learner changes in it: the sources of a notebook's cells, else the whole."""
    content = path.read_bytes()
    whole = hashlib.sha256(content).hexdigest()
    if path.suffix == ".ipynb":
        try:
            # Read as plain JSON: nbformat would refuse or repair what an editor has left half done.
            cells = [[cell["cell_type"], "".join(cell["source"])] for cell in json.loads(content)["cells"]]
        except (ValueError, TypeError, KeyError):
            return [whole, whole]
        return [whole, hashlib.sha256(json.dumps(cells).encode()).hexdigest()]
    return [whole, whole]


def main() -> None:
    """Refresh the copies and say what was done."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    lines = list(WorkFolder().refresh())
    print("\n".join(lines) or "Every copy is up to date.")


if __name__ == "__main__":
    main()
