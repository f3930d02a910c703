"""What a lesson says of itself on its first page and no one should count by hand: its minutes, and where it stands.

In a Markdown cell of a lesson's source, ``{{minutes}}`` becomes the minutes to read and run it and those of its
exercises, and ``{{map}}`` a line that names the parts of the course, with the lessons of this one and "you are here".
``{{tracks}}`` becomes a table of the ways through the course.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from tools.markdown import table

if TYPE_CHECKING:
    from tools.notebooks import Lesson

PARTS: Mapping[str, Mapping[str, str]] = {
    "foundations": {"00": "tour", "01": "spans", "02": "search", "03": "measuring"},
    "chunkers": {
        "04": "fixed size",
        "05": "sentences",
        "06": "recursive",
        "07": "structure",
        "08": "dialogue",
        "09": "meaning",
        "10": "topics",
        "11": "a model cuts",
        "12": "hybrid",
    },
    "hierarchical retrieval": {
        "13": "windows",
        "14": "parents",
        "15": "merging",
        "16": "summary trees",
        "17": "four levels",
        "18": "coarse to fine",
        "19": "fusion",
        "20": "every level",
    },
    "the question and the agent": {"21": "the question", "22": "the outline"},
    "the whole": {"23": "answers", "24": "comparison", "25": "production", "26": "interviews"},
}
"""The parts of the course, and a short name for each lesson."""

TRACKS: Mapping[str, tuple[Sequence[str], str]] = {
    "express": (("00", "02", "03", "14", "15", "20", "24"), "one weekend: the idea, how to measure it, what wins"),
    "chunking": (("00", "01", *PARTS["chunkers"]), "whoever prepares the documents"),
    "retrieval": (
        ("00", "02", "03", *PARTS["hierarchical retrieval"], *PARTS["the question and the agent"]),
        "whoever builds the search",
    ),
    "interview week": (("00", "03", "06", "14", "15", "18", "20", "21", "26"), "seven evenings before an interview"),
    "everything": (tuple(number for part in PARTS.values() for number in part), "the whole course"),
}
"""Ways through the course: their lessons, and whom they are for. Lessons that are not there yet are left out."""

WORDS, LINES, SHOWN = 200, 12, 0.5
"""Words of prose and lines of code that are read in a minute, and minutes to look at what a cell shows."""

_EXERCISE = re.compile(r"^[★☆]+ · (\d+) minutes", re.MULTILINE)
_FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
_TARGET = re.compile(r"\]\([^)]*\)|<[^>]*>")


def minutes(cells: Sequence[NotebookNode]) -> tuple[int, int]:
    """Minutes to read and run a lesson's cells, to the next five, and the sum of those that its exercises state."""
    prose = [cell.source for cell in cells if cell.cell_type == "markdown" and not _tagged(cell, "solution")]
    code = [
        cell.source
        for cell in cells
        if cell.cell_type == "code" and not _tagged(cell, "exercise", "solution", "hide-input", "hide-cell")
    ]
    # What an exercise asks is read in the minutes that it states, and answers are folded.
    read = [_FOLDED.sub("", text) for text in prose if not _EXERCISE.search(text)]
    words = sum(len(_TARGET.sub("", text).split()) for text in read)
    lines = sum(bool(line.strip()) for text in code for line in text.splitlines())
    reading = words / WORDS + lines / LINES + SHOWN * len(code)
    stated = sum(int(found) for text in prose for found in _EXERCISE.findall(text))
    return 5 * max(1, round(reading / 5)), stated


def tracks(known: Iterable[Lesson]) -> str:
    """Ways through the course, with the hours of those of their lessons that are there, as a Markdown table."""
    there = {lesson.number: minutes(lesson.cells()) for lesson in known}
    rows = []
    for name, (numbers, about) in TRACKS.items():
        own = [number for number in numbers if number in there]
        reading, exercises = (sum(each) for each in zip(*map(there.__getitem__, own), strict=True))
        rows.append((name, about, ", ".join(_runs(own)), f"{reading / 60:.1f}", f"{exercises / 60:.1f}"))
    return table(("track", "for", "lessons", "hours to read and run", "hours of exercises"), rows, texts=3)


def _runs(numbers: Sequence[str]) -> list[str]:
    """Lessons that follow each other as one range: 00, 02, 03, 13–22."""
    runs: list[list[str]] = []
    for number in numbers:
        if runs and int(number) == int(runs[-1][-1]) + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [part for run in runs for part in ([f"{run[0]}–{run[-1]}"] if len(run) > 2 else run)]


def filled(text: str, lesson: Lesson, known: Iterable[Lesson]) -> str:
    """A Markdown cell of the lesson with its marks replaced."""
    if "{{tracks}}" in text:
        return text.replace("{{tracks}}", tracks(known))
    if "{{minutes}}" in text:
        reading, exercises = minutes(lesson.cells())
        text = text.replace("{{minutes}}", f"{reading} minutes to read and run, {exercises} for the exercises")
    if "{{map}}" in text:
        files = {other.number: f"{other.source.stem}.ipynb" for other in known}
        text = text.replace("{{map}}", f"You are here: {' › '.join(_part(name, lesson, files) for name in PARTS)}")
    return text


def _part(name: str, lesson: Lesson, files: Mapping[str, str]) -> str:
    names = PARTS[name]
    if lesson.number not in names:
        return name
    own = (_step(number, names[number], lesson, files) for number in names)
    return f"**{name}** ({' · '.join(own)})"


def _step(number: str, name: str, lesson: Lesson, files: Mapping[str, str]) -> str:
    if number == lesson.number:
        return f"**{number} {name}**"
    return f"[{number} {name}]({files[number]})" if number in files else f"{number} {name}"


def _tagged(cell: NotebookNode, *wanted: str) -> bool:
    return bool(set(cell.metadata.get("tags", [])) & set(wanted))
