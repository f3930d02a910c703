"""What is solved and what is left, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from hierrag_lessons.exercises import record
from hierrag_lessons.exercises.catalogue import lessons, of_lesson, title_of

_COLUMNS = ("lesson", "solved", "left")


@dataclass(frozen=True, repr=False)
class Progress:
    """A row for each lesson with exercises, in their order: its title, and the ids of those solved and left.

    ``problem`` says what is wrong with the file that remembers it, and is empty where nothing is.
    """

    rows: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    problem: str = ""

    @property
    def caption(self) -> str:
        """How many are solved, and the problem."""
        solved = sum(len(row[1]) for row in self.rows)
        total = solved + sum(len(row[2]) for row in self.rows)
        return f"{solved} of {total} exercises solved." + (f" {self.problem}." if self.problem else "")

    def __repr__(self) -> str:
        lines = [_COLUMNS, *self._cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        lines.insert(1, tuple("-" * width for width in widths))
        aligned = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
        return "\n".join([self.caption, *aligned])

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col" style="text-align: left">{name}</th>' for name in _COLUMNS)
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align: left">{escape(cell)}</td>' for cell in row) + "</tr>"
            for row in self._cells()
        )
        caption = f'<caption style="text-align: left; color: inherit">{escape(self.caption)}</caption>'
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _cells(self) -> list[tuple[str, ...]]:
        return [(title, ", ".join(solved) or "–", ", ".join(left) or "–") for title, solved, left in self.rows]


def progress() -> Progress:
    """What is solved and what is left, lesson by lesson, in all notebooks and kernels.

    ``check`` remembers what it found correct in ``progress.json`` in the folder that the platform has for a user's data
    (on Linux ``~/.local/share/hierrag``). That is outside the course and its ``work`` folder, so copies of notebooks
    share it and ``make update`` keeps it. ``HIERRAG_PROGRESS`` names another file; ``HIERRAG_PROGRESS=off`` keeps
    nothing beyond this kernel.
    """
    entries, problem = record.read()
    rows = []
    for lesson in lessons():
        exercises = of_lesson(lesson)
        solved = tuple(exercise.id for exercise in exercises if record.entry_of(exercise) in entries)
        left = tuple(exercise.id for exercise in exercises if exercise.id not in solved)
        rows.append((f"{lesson} · {title_of(lesson)}", solved, left))
    return Progress(tuple(rows), problem)
