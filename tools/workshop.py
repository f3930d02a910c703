"""The timetables of ``notebooks/WORKSHOP.md``: minute by minute, from what the lessons and exercises take.

A lesson takes the minutes that the build counts for it, an exercise those that it states. Where they change, so does
the clock: ``python -m tools.pages`` writes the tables, and a test compares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tools.markdown import table
from tools.notebooks import Lesson, lessons
from tools.opening import minutes

_TITLE = re.compile(r"^# (\d\d) · (.+)$", re.MULTILINE)
_TASK = re.compile(r"^### (.+?)\n+[★☆]+ · (\d+) minutes", re.MULTILINE)


class Step(NamedTuple):
    """What happens next: a lesson (``"14"``), an exercise (``"14.2"``), or something else, which says its minutes."""

    what: str
    minutes: int | None = None
    about: str = ""


HALF_DAY: tuple[Step, ...] = (
    Step("Welcome", 10, "everybody has the tour open and the first cell run"),
    Step("00"),
    Step("00.1"),
    Step("03", None, "skip *Several comparisons* and *The winner's curse*: show their last table"),
    Step("Break", 15),
    Step("14", None, "skip *Hits first, then their sections*"),
    Step("14.2"),
    Step("Break", 10),
    Step("20", None, "the idea, *By hand* and *Measured*; the two dials are for home"),
    Step("Your own documents", 25, "`python -m hierrag_lessons compare FOLDER` on a folder that people brought"),
    Step("Questions", 10),
)

ONE_DAY: tuple[Step, ...] = (
    Step("Welcome", 10, "everybody has the tour open and the first cell run"),
    Step("00"),
    Step("00.1"),
    Step("00.2"),
    Step("03"),
    Step("03.3"),
    Step("Break", 15),
    Step("14"),
    Step("14.2"),
    Step("14.1"),
    Step("Lunch", 60),
    Step("15", None, "*By hand* at the board, then from *Families* on"),
    Step("15.2"),
    Step("Break", 15),
    Step("20"),
    Step("20.3"),
    Step("Break", 15),
    Step("Your own documents", 45, "`label` five questions in pairs, then `compare`; read what five cannot decide"),
    Step("Questions", 15),
)

TWO_DAYS: tuple[Step, ...] = (
    Step("Welcome", 10, "everybody has the tour open and the first cell run"),
    Step("00"),
    Step("00.1"),
    Step("02", None, "skip *Memory, and when exact search stops* and *Keeping an index right*"),
    Step("Break", 15),
    Step("03"),
    Step("03.3"),
    Step("03.4"),
    Step("Lunch", 60),
    Step("07"),
    Step("07.1"),
    Step("Break", 15),
    Step("14"),
    Step("14.2"),
    Step("Questions", 15, "end of the first day"),
    Step("15"),
    Step("15.2"),
    Step("Break", 15),
    Step("20"),
    Step("20.3"),
    Step("Lunch", 60),
    Step("23"),
    Step("Break", 15),
    Step("25"),
    Step("Break", 15),
    Step("26", None, "each one a question, the neighbour marks"),
    Step("Your own documents", 45, "`label` five questions in pairs, then `compare`; read what five cannot decide"),
    Step("Questions", 15),
)

PLANS: Mapping[str, tuple[Sequence[Step], str]] = {
    "half_day": (HALF_DAY, "13:00"),
    "one_day": (ONE_DAY, "9:00"),
    "two_days": (TWO_DAYS, "9:00"),
}
"""The timetables by their marker, and when they begin."""

NEW_DAY = "end of the first day"


def timetable(steps: Sequence[Step], begin: str, known: Sequence[Lesson]) -> str:
    """A plan with the clock beside it.

    Raises ``ValueError`` where a step names a lesson or an exercise that is not there.
    """
    taught = {lesson.number: lesson for lesson in known}
    hours, late = map(int, begin.split(":"))
    start = now = 60 * hours + late
    rows = []
    for step in steps:
        what, takes = _step(step, taught)
        rows.append((_clock(now), what, step.about, str(takes)))
        now += takes
        if step.about == NEW_DAY:
            rows.append(("", "**second day**", "", ""))
            now = start
    rows.append((_clock(now), "End", "", ""))
    return table(("", "", "", "minutes"), rows, texts=3)


def _step(step: Step, taught: Mapping[str, Lesson]) -> tuple[str, int]:
    number = step.what[:2]
    if step.minutes is not None:
        return step.what, step.minutes
    if number not in taught:
        raise ValueError(f"a timetable names {step.what!r}, and there is no lesson {number}")
    cells = taught[number].cells()
    if step.what == number:
        (title,) = _TITLE.findall(cells[0].source)
        return f"[{number} · {title[1]}]({taught[number].source.stem}.ipynb)", minutes(cells)[0]
    tasks = [task for cell in cells if cell.cell_type == "markdown" for task in _TASK.findall(cell.source)]
    for title, takes in tasks:
        if title.startswith(f"Exercise {step.what} "):
            return title, int(takes)
    raise ValueError(f"a timetable names the exercise {step.what}, and lesson {number} has none of that number")


def _clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"


def made(name: str) -> str:
    """The timetable of that name as a Markdown table."""
    steps, begin = PLANS[name]
    return timetable(steps, begin, lessons())
